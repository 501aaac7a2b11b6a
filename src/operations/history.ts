/** What was done to a table, with the columns of DESCRIBE HISTORY. */
import { type HistoryEntry, history } from '../kernel/index.ts'
import { isJsonObject, JsonNumber, type JsonObject, type JsonValue, printJson } from '../support/index.ts'
import type { HistoryCommand } from './command.ts'
import type { OperationContext } from './context.ts'

/** One version; what its commit does not say is null. */
export interface HistoryRow {
  readonly version: number
  /** commit time, milliseconds since 1970 */
  readonly timestampMs: number
  readonly userId: string | null
  readonly userName: string | null
  readonly operation: string | null
  readonly operationParameters: TextMap | null
  readonly job: TextMap | null
  readonly notebook: TextMap | null
  readonly clusterId: string | null
  readonly readVersion: number | null
  readonly isolationLevel: string | null
  readonly isBlindAppend: boolean | null
  readonly operationMetrics: TextMap | null
  readonly userMetadata: string | null
  readonly engineInfo: string | null
}

export type TextMap = ReadonlyMap<string, string | null>

/**
 * The newest versions first.
 *
 * @throws DeltaError `DELTA_TABLE_NOT_FOUND`, `FAILED_READ_FILE.NO_HINT`
 */
export async function executeHistory(command: HistoryCommand, context: OperationContext): Promise<HistoryRow[]> {
  const { signal } = context.options
  const entries = await history(context.store, context.engine, {
    ...(command.limit !== undefined && { limit: command.limit }),
    ...(signal && { signal }),
  })
  return entries.map(historyRow)
}

function historyRow({ version, timestampMs, commitInfo = {} }: HistoryEntry): HistoryRow {
  return {
    version,
    timestampMs,
    userId: textOf(commitInfo.userId),
    userName: textOf(commitInfo.userName),
    operation: textOf(commitInfo.operation),
    operationParameters: mapOf(commitInfo.operationParameters),
    job: mapOf(commitInfo.job),
    notebook: mapOf(commitInfo.notebook),
    clusterId: textOf(commitInfo.clusterId),
    readVersion: typeof commitInfo.readVersion === 'number' ? commitInfo.readVersion : null,
    isolationLevel: textOf(commitInfo.isolationLevel),
    isBlindAppend: typeof commitInfo.isBlindAppend === 'boolean' ? commitInfo.isBlindAppend : null,
    operationMetrics: mapOf(commitInfo.operationMetrics),
    userMetadata: textOf(commitInfo.userMetadata),
    engineInfo: textOf(commitInfo.engineInfo),
  }
}

/** Writers put any JSON where a text is meant; it is shown as its JSON. */
function textOf(value: JsonValue | undefined): string | null {
  if (value === undefined || value === null) return null
  if (typeof value === 'string') return value
  return value instanceof JsonNumber ? value.text : printJson(value)
}

function mapOf(value: JsonValue | undefined): TextMap | null {
  if (!isJsonObject(value)) return null
  return new Map(Object.entries(value as JsonObject).map(([key, item]) => [key, textOf(item)]))
}
