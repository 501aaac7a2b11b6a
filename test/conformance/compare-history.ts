/** The history of a table against what the reference's DESCRIBE HISTORY says. */
import type { Engine } from '../../src/engine/index.ts'
import { isDeltaError } from '../../src/errors/index.ts'
import { history } from '../../src/kernel/index.ts'
import type { ObjectStore } from '../../src/storage/index.ts'
import { isJsonObject, type JsonObject, type JsonValue, printJson } from '../../src/support/index.ts'
import type { RecordedCommit } from './recorded-tables.ts'

const FIELDS = [
  'operation',
  'operationParameters',
  'operationMetrics',
  'readVersion',
  'isolationLevel',
  'isBlindAppend',
] as const

/** @returns one text a difference; fields that the recording leaves out are not compared */
export async function compareHistory(
  engine: Engine,
  store: ObjectStore,
  recorded: readonly RecordedCommit[],
): Promise<string[]> {
  if (recorded.length === 0) return []
  const entries = await history(store, engine).catch((error: unknown) => {
    if (isDeltaError(error)) return `${error.code}: ${error.message}`
    throw error
  })
  if (typeof entries === 'string') return [`history: ${entries}`]
  const ours = new Map(entries.map((entry) => [entry.version, entry.commitInfo ?? {}]))
  return recorded.flatMap((commit) => {
    const info = ours.get(commit.version)
    if (info === undefined) return [`history: version ${commit.version} is missing`]
    return FIELDS.flatMap((field) => compareField(commit, field, info))
  })
}

function compareField(commit: RecordedCommit, field: (typeof FIELDS)[number], info: JsonObject): string[] {
  const theirs = commit[field]
  if (theirs === undefined) return []
  const [a, b] = [comparable(info[field]), comparable(theirs)]
  return a === b ? [] : [`history: ${field} of version ${commit.version} is ${a} instead of ${b}`]
}

/** The reference shows maps of texts, and an absent map as an empty one or null. */
function comparable(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return 'null'
  if (!isJsonObject(value)) return printJson(value)
  const members = Object.entries(value)
    .filter(([, member]) => member !== null)
    .map(([name, member]) => `${name}=${typeof member === 'string' ? member : printJson(member)}`)
  return members.length === 0 ? 'null' : members.sort().join('; ')
}
