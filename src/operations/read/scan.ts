/** Rows of a table at one version: the files that may hold them are chosen here, an engine reads them. */
import { deltaError } from '../../errors/index.ts'
import type { BoundExpression } from '../../expressions/index.ts'
import { type AddFile, type Snapshot, scanPages } from '../../kernel/index.ts'
import { structType } from '../../schema/index.ts'
import type { ScanCommand, ScanResult } from '../command.ts'
import type { OperationContext } from '../context.ts'
import { bindRead } from './bind-read.ts'
import { liveRows } from './live-rows.ts'

/**
 * Plans the read; rows come when `batches` is called, from the files of that version whatever is committed meanwhile.
 *
 * @throws DeltaError `DELTA_READ_TABLE_WITHOUT_COLUMNS`, a code of the expression language, `UNRESOLVED_COLUMN.WITH_SUGGESTION`,
 * `FIELD_NOT_FOUND` for a member of `_metadata` there is none of, what loading a snapshot throws
 */
export async function executeScan(command: ScanCommand, context: OperationContext): Promise<ScanResult> {
  const { at, limit } = command
  const { engine, options } = context
  return await context.withSnapshot(at, async (snapshot) => {
    const { version, store } = snapshot
    if (snapshot.schema.fields.length === 0)
      throw deltaError('DELTA_READ_TABLE_WITHOUT_COLUMNS', { path: store.location })
    const { layout, columns, filter } = bindRead(command, snapshot.layout)
    const files = await filesFor(snapshot, { filter, limit, signal: options.signal })
    const plan = { store, layout, files, columns, ...(filter && { filter }), ...(limit !== undefined && { limit }) }
    return {
      version,
      schema: structType(columns.map((i) => layout.schema.fields[i]!)),
      batches: () => engine.scan(plan, options),
    }
  })
}

interface FileWish {
  readonly filter: BoundExpression | undefined
  readonly limit: number | undefined
  readonly signal: AbortSignal | undefined
}

/** The files to open: a limit without a predicate ends at the file with which the log promises enough rows. */
async function filesFor(snapshot: Snapshot, { filter, limit, signal }: FileWish): Promise<AddFile[]> {
  const files: AddFile[] = []
  let promised = 0
  for await (const page of scanPages(snapshot, filter, signal ? { signal } : {})) {
    for (const file of page) {
      if (filter === undefined && limit !== undefined && promised >= limit) return files
      files.push(file)
      promised += limit === undefined ? 0 : (liveRows(file) ?? 0)
    }
  }
  return files
}
