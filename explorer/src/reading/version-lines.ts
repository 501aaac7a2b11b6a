/** One line a commit: who did what, and what it came to. */
import { type Commit, isJsonObject, type JsonObject, type JsonValue, mapParallel, printJson } from '../library.ts'
import type { VersionLine } from '../messages.ts'
import { fileChanges, shortName, type TableContext } from './context.ts'
import { liveRows } from './file-facts.ts'

const PARALLEL_READS = 8
const MAX_NAMES = 8

/** The lines of versions, newest first. */
export async function versionLines(
  context: TableContext,
  versions: readonly number[],
  marks: ReadonlyMap<number, readonly string[]>,
): Promise<VersionLine[]> {
  return await mapParallel(versions, PARALLEL_READS, async (version) => {
    const commit = await context.commit(version)
    return versionLine(commit, context, marks.get(version) ?? [])
  })
}

export function versionLine(commit: Commit, context: TableContext, marks: readonly string[]): VersionLine {
  const info = commit.actions.flatMap((action) => ('commitInfo' in action ? [action.commitInfo] : []))[0] ?? {}
  const { adds, removes } = fileChanges(commit)
  const all = [...adds, ...removes]
  return {
    version: commit.version,
    timestampMs: context.timeOf(commit.version),
    operation: textAt(info, 'operation') ?? 'commit',
    userName: textAt(info, 'userName'),
    engine: textAt(info, 'engineInfo'),
    parameters: parametersOf(info.operationParameters),
    userMetadata: textAt(info, 'userMetadata'),
    filesAdded: adds.length,
    filesRemoved: removes.length,
    rowsAdded: sumRows(adds, liveRows),
    // a remove need not repeat the statistics of its file
    rowsRemoved: sumRows(removes, (file) => liveRows(file) ?? context.rowsAdded(file)),
    added: adds.slice(0, MAX_NAMES).map(({ path }) => shortName(path)),
    removed: removes.slice(0, MAX_NAMES).map(({ path }) => shortName(path)),
    dataChange: all.length === 0 || all.some(({ dataChange }) => dataChange),
    also: alsoOf(commit),
    detail: metricsText(info.operationMetrics),
    marks,
  }
}

function sumRows<T>(files: readonly T[], rowsOf: (file: T) => number | null): number | null {
  let sum = 0
  for (const file of files) {
    const rows = rowsOf(file)
    if (rows === null) return null
    sum += rows
  }
  return sum
}

function alsoOf({ version, actions }: Commit): string[] {
  const also = new Set<string>()
  for (const action of actions) {
    if ('metaData' in action) also.add(version === 0 ? 'schema' : 'metadata')
    else if ('protocol' in action) also.add('protocol')
    else if ('txn' in action) also.add('transaction')
    else if ('domainMetadata' in action) also.add('domain')
    else if ('cdc' in action) also.add('change files')
  }
  return [...also]
}

function textAt(info: JsonObject, key: string): string | null {
  const value = info[key]
  return typeof value === 'string' && value !== '' ? value : null
}

function parametersOf(value: JsonValue | undefined): [string, string][] {
  if (!isJsonObject(value)) return []
  return Object.entries(value)
    .map(([key, item]): [string, string] => [key, typeof item === 'string' ? item : printJson(item)])
    .filter(([, text]) => !['', '[]', '{}', 'null'].includes(text))
}

/** Metrics a person looks for, with the words for one and for many. */
const METRIC_WORDS: ReadonlyMap<string, readonly [string, string]> = new Map([
  ['numDeletedRows', ['row deleted', 'rows deleted']],
  ['numUpdatedRows', ['row updated', 'rows updated']],
  ['numTargetRowsUpdated', ['row updated', 'rows updated']],
  ['numTargetRowsInserted', ['row inserted', 'rows inserted']],
  ['numTargetRowsDeleted', ['row deleted', 'rows deleted']],
  ['numCopiedRows', ['row copied', 'rows copied']],
  ['numTargetRowsCopied', ['row copied', 'rows copied']],
  ['numOutputRows', ['row written', 'rows written']],
  ['numRestoredFiles', ['file restored', 'files restored']],
  ['numDeletedFiles', ['file deleted', 'files deleted']],
  ['numFilesToDelete', ['file to delete', 'files to delete']],
])

/** `1 row updated, 3 rows copied`. */
function metricsText(metrics: JsonValue | undefined): string {
  if (!isJsonObject(metrics)) return ''
  const texts: string[] = []
  for (const [key, words] of METRIC_WORDS) {
    const value = metrics[key]
    const count = value === undefined ? '0' : String(value)
    if (count === '0' || (key === 'numOutputRows' && texts.length > 0)) continue
    texts.push(`${count} ${count === '1' ? words[0] : words[1]}`)
  }
  return texts.join(', ')
}
