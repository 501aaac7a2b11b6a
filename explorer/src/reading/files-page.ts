/** The live files of a version by the page, with why each is read or passed over; the partitions; one file in detail. */
import { type AddFile, explainFile, fileMayMatch, loadDeletionVector, type Snapshot, skippingRule } from '../library.ts'
import type { FileDetail, FileLine, FilePage, FilesQuery, PartitionLine } from '../messages.ts'
import type { TableContext } from './context.ts'
import { boundsOf, liveRows, numRecordsOf } from './file-facts.ts'
import { partitionOf } from './folder.ts'
import { headsOf, predicateOf, scanFiles } from './scan-rows.ts'

const MAX_PARTITIONS = 5000
const MAX_FILE_ROWS = 200

/** Kept by whoever pages through a table: the files as they came out of the index, once. */
export interface HeldFiles {
  readonly version: number
  readonly where: string
  readonly without: string
  readonly files: readonly AddFile[]
  /** by place of the file; none without a predicate */
  readonly kept: Uint8Array | undefined
  readonly totals: Omit<FilePage, 'files' | 'offset'>
}

export async function holdFiles(context: TableContext, version: number, query: FilesQuery): Promise<HeldFiles> {
  const snapshot = await context.snapshot(version)
  const files: AddFile[] = []
  for await (const page of snapshot.files.select()) for (const file of page) files.push(file)
  const rule = ruleOf(snapshot, query.where)
  const kept = rule && new Uint8Array(files.length)
  const totals = {
    total: files.length,
    kept: files.length,
    skippedBytes: 0,
    totalBytes: 0,
    byPartition: 0,
    byStatistics: 0,
  }
  files.forEach((file, place) => {
    totals.totalBytes += file.size
    if (rule === undefined || kept === undefined) return
    const seen = without(file, query.without)
    if (fileMayMatch(rule, seen)) {
      kept[place] = 1
      return
    }
    totals.kept--
    totals.skippedBytes += file.size
    // what the partition values alone decide is pruning; the rest is the work of statistics
    const { stats: _, ...bare } = file
    if (!query.without.includes('partition') && !fileMayMatch(rule, bare)) totals.byPartition++
    else totals.byStatistics++
  })
  return { version, where: query.where, without: query.without.join(), files, kept, totals }
}

/** The file as a plan sees it that looks away from some of what the log tells. */
function without(file: AddFile, left: FilesQuery['without']): AddFile {
  if (!left.includes('statistics')) return file
  const { stats: _, ...bare } = file
  return bare
}

function ruleOf(snapshot: Snapshot, where: string) {
  const predicate = predicateOf(where, snapshot)
  return predicate && skippingRule(predicate, snapshot.layout)
}

export async function filesPage(context: TableContext, held: HeldFiles, query: FilesQuery): Promise<FilePage> {
  const snapshot = await context.snapshot(held.version)
  const rule = ruleOf(snapshot, held.where)
  const page = held.files.slice(query.offset, query.offset + query.limit)
  const lines = page.map((file): FileLine => {
    return {
      path: file.path,
      size: file.size,
      numRecords: numRecordsOf(file.stats),
      deletedRows: file.deletionVector?.cardinality ?? 0,
      partition: partitionOf(file, snapshot),
      outcome: rule === undefined ? null : explainFile(rule, without(file, query.without)),
    }
  })
  return { ...held.totals, files: lines, offset: query.offset }
}

export async function partitionLines(context: TableContext, version: number): Promise<PartitionLine[]> {
  const snapshot = await context.snapshot(version)
  const lines = new Map<
    string,
    { values: PartitionLine['values']; files: number; bytes: number; rows: number | null }
  >()
  for await (const page of snapshot.files.select()) {
    for (const file of page) {
      const values = partitionOf(file, snapshot)
      const key = JSON.stringify(values)
      const line = lines.get(key) ?? { values, files: 0, bytes: 0, rows: 0 }
      const rows = liveRows(file)
      line.files++
      line.bytes += file.size
      line.rows = line.rows === null || rows === null ? null : line.rows + rows
      if (lines.size < MAX_PARTITIONS || lines.has(key)) lines.set(key, line)
    }
  }
  return [...lines.values()].sort((a, b) => (JSON.stringify(a.values) < JSON.stringify(b.values) ? -1 : 1))
}

export async function fileDetail(context: TableContext, snapshot: Snapshot, file: AddFile): Promise<FileDetail> {
  const { deletionVector, ...whole } = file
  const deleted =
    deletionVector === undefined
      ? new Set<number>()
      : new Set([...(await loadDeletionVector(context.store, deletionVector))].map(Number))
  const rows = await scanFiles(context, snapshot, [whole], { limit: MAX_FILE_ROWS })
  return {
    path: file.path,
    size: file.size,
    numRecords: numRecordsOf(file.stats),
    deletedRows: deleted.size,
    modificationTime: file.modificationTime,
    partition: partitionOf(file, snapshot),
    bounds: boundsOf(file.stats),
    tags: [...(file.tags ?? [])],
    columns: headsOf(snapshot.schema),
    rows: rows.slice(0, MAX_FILE_ROWS).map(({ cells }, place) => ({ cells, deleted: deleted.has(place) })),
    more: rows.length > MAX_FILE_ROWS,
  }
}
