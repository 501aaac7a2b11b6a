/**
 * Rows of data files, a row group at a time.
 *
 * Of a row group the columns asked for and those of the filter are fetched; deleted rows go first, then the filter, then
 * the limit. A row group whose footer proves that the filter is TRUE for none of its rows is not fetched.
 */
import { isDeltaError } from '../../errors/index.ts'
import { compileEvaluator } from '../../expressions/index.ts'
import {
  type AddFile,
  type DeletionVectorDescriptor,
  loadDeletionVector,
  openDataFile,
  type RowSet,
  RowSetBuilder,
  type ScanFile,
} from '../../kernel/index.ts'
import { openParquet, type ParquetReader } from '../../parquet/index.ts'
import type { Value } from '../../schema/index.ts'
import { mapParallel, throwIfAborted } from '../../support/index.ts'
import type { Batch, EngineOptions, FindRowsPlan, FoundRows, ScanPlan } from '../index.ts'
import { mayMatch, storeFile } from '../pruning/index.ts'
import { ColumnBatch } from './column-batch.ts'
import { type Columns, ScanColumns } from './scan-columns.ts'

const WHAT = 'the scan'
/** Rows of one batch, at most. */
const BATCH_ROWS = 8192
/** Files opened at once. */
const FILES_AHEAD = 8

/** See `Engine.scan`. */
export async function* scan(plan: ScanPlan, options: EngineOptions = {}): AsyncGenerator<Batch> {
  const scanner = new Scanner(plan, options)
  let left = plan.limit ?? Number.POSITIVE_INFINITY
  let rows = 0
  let bytes = 0
  if (left <= 0) return
  for await (const [i, opened] of openAhead(plan, options)) {
    if (left <= 0) return
    for await (const batch of scanner.scanFile(opened, left)) {
      left -= batch.numRows
      rows += batch.numRows
      yield batch
      if (left <= 0) return
    }
    bytes += opened.file.size
    options.onProgress?.({ rows, bytes, files: i + 1 })
  }
}

/** See `Engine.count`. */
export async function count(plan: ScanPlan, options: EngineOptions = {}): Promise<number> {
  let rows = 0
  if (plan.filter !== undefined || plan.files.some((file) => file.hiddenBy !== undefined)) {
    for await (const batch of scan({ ...plan, columns: [] }, options)) rows += batch.numRows
    return rows
  }
  const counts = await mapParallel(plan.files, FILES_AHEAD, async (file) => {
    const { footer } = await openFile(plan, file, options)
    return footer.numRows - (file.deletionVector?.cardinality ?? 0)
  })
  rows = counts.reduce((sum, count) => sum + count, 0)
  return plan.limit === undefined ? rows : Math.min(rows, plan.limit)
}

/** See `Engine.findRows`. */
export async function* findRows(plan: FindRowsPlan, options: EngineOptions = {}): AsyncGenerator<FoundRows> {
  const read = { ...plan, columns: [] }
  const scanner = new Scanner(read, options)
  let rows = 0
  let bytes = 0
  for await (const [i, opened] of openAhead(read, options)) {
    const found = await scanner.findInFile(opened)
    rows += found.size
    bytes += opened.file.size
    if (found.size > 0) yield { file: opened.file, rows: found }
    options.onProgress?.({ rows, bytes, files: i + 1 })
  }
}

/** A data file whose footer and deletion vector are there. */
interface OpenedFile {
  readonly file: ScanFile
  /** its place in the plan */
  readonly index: number
  readonly reader: ParquetReader
  /** row positions, ascending */
  readonly deleted: BigUint64Array
  /** where only some rows are wanted: their positions, ascending */
  readonly wanted?: BigUint64Array
}

/** Files opened while those before them are read; with a limit, which the first file may fill, one by one. */
async function* openAhead(plan: ScanPlan, options: EngineOptions): AsyncGenerator<readonly [number, OpenedFile]> {
  const ahead = plan.limit === undefined ? FILES_AHEAD : 1
  const opening: Promise<OpenedFile>[] = []
  for (let i = 0; i < plan.files.length; i++) {
    for (let next = i + opening.length; next < Math.min(i + ahead, plan.files.length); next++) {
      const promise = openWithDeletions(plan, next, options)
      // observed when its turn comes; until then a failure must not count as unhandled
      promise.catch(() => undefined)
      opening.push(promise)
    }
    yield [i, await opening.shift()!]
  }
}

async function openWithDeletions(plan: ScanPlan, index: number, options: EngineOptions): Promise<OpenedFile> {
  const file: ScanFile = plan.files[index]!
  const reader = await openFile(plan, file, options)
  const { deletionVector, hiddenBy } = file
  const { signal } = options
  const { numRows: numRecords } = reader.footer
  const load = (vector: DeletionVectorDescriptor) =>
    loadDeletionVector(plan.store, vector, { numRecords, ...(signal && { signal }) })
  const deleted = deletionVector === undefined ? new BigUint64Array(0) : await load(deletionVector)
  if (hiddenBy === undefined) return { file, index, reader, deleted }
  return { file, index, reader, deleted, wanted: await load(hiddenBy) }
}

async function openFile(plan: ScanPlan, file: AddFile, { signal }: EngineOptions): Promise<ParquetReader> {
  throwIfAborted(signal, WHAT)
  const { store, key } = openDataFile(plan.store, file.path)
  const matchBy = plan.layout.columnMapping === 'id' ? 'id' : 'name'
  const open = (size: number) => openParquet(storeFile(store, key, size, { signal }), { matchBy })
  try {
    return await open(file.size)
  } catch (error) {
    // some writers get the size in the log wrong, and the footer stands at the true end
    if (!isDeltaError(error, 'FAILED_READ_FILE.NO_HINT')) throw error
    const { size } = await store.head(key, signal === undefined ? {} : { signal })
    if (size === file.size) throw error
    return open(size)
  }
}

interface ReadGroup {
  readonly columns: Columns
  /** row numbers inside the group that no deletion vector names */
  readonly live: readonly number[]
  /** position in the file of the group's first row */
  readonly firstRow: number
}

class Scanner {
  private readonly plan: ScanPlan
  private readonly options: EngineOptions
  private readonly columns: ScanColumns
  private readonly matches: ((row: readonly Value[]) => Value) | undefined

  constructor(plan: ScanPlan, options: EngineOptions) {
    this.plan = plan
    this.options = options
    this.columns = new ScanColumns(plan)
    this.matches = plan.filter && compileEvaluator(plan.filter)
  }

  async *scanFile(opened: OpenedFile, limit: number): AsyncGenerator<Batch> {
    let left = limit
    for await (const { columns, live } of this.rowGroups(opened)) {
      const rows = this.selectRows(columns, live, left)
      left -= rows.length
      yield* this.batches(columns, rows)
      if (left <= 0) return
    }
  }

  async findInFile(opened: OpenedFile): Promise<RowSet> {
    const found = new RowSetBuilder()
    for await (const { columns, live, firstRow } of this.rowGroups(opened)) {
      for (const at of this.selectRows(columns, live, Number.POSITIVE_INFINITY)) found.add(firstRow + at)
    }
    return found.build()
  }

  /** The row groups that may have rows the filter passes. */
  private async *rowGroups({ file, index: place, reader, deleted, wanted }: OpenedFile): AsyncGenerator<ReadGroup> {
    const { plan, options } = this
    const constants = this.columns.constantsOf(plan.store, file, place)
    for (const [index, group] of reader.footer.rowGroups.entries()) {
      throwIfAborted(options.signal, WHAT)
      if (plan.filter !== undefined && !mayMatch(plan.filter, reader, group, plan.layout)) continue
      const values = await reader.readRowGroup(index, this.columns.stored)
      const columns = this.columns.assemble(values, constants, group)
      yield { columns, live: liveRows(group, deleted, wanted), firstRow: group.firstRow }
    }
  }

  /** Row numbers that pass the filter, at most `limit`. */
  private selectRows(columns: Columns, live: readonly number[], limit: number): readonly number[] {
    const { matches } = this
    if (matches === undefined) return live.length <= limit ? live : live.slice(0, limit)
    const row: Value[] = this.plan.layout.schema.fields.map(() => null)
    const selected: number[] = []
    for (const at of live) {
      for (const ordinal of this.columns.filtered) row[ordinal] = columns.get(ordinal)![at]!
      if (matches(row) !== true) continue
      selected.push(at)
      if (selected.length >= limit) break
    }
    return selected
  }

  private *batches(columns: Columns, rows: readonly number[]): Generator<Batch> {
    for (let start = 0; start < rows.length; start += BATCH_ROWS) {
      const slice = rows.slice(start, start + BATCH_ROWS)
      const values = this.plan.columns.map((ordinal) => {
        const column = columns.get(ordinal)!
        return slice.map((at) => column[at]!)
      })
      yield new ColumnBatch(this.columns.schema, values, slice.length)
    }
  }
}

/** Row numbers inside a row group that no deletion vector names; of those the wanted ones, where some are. */
function liveRows(
  { firstRow, numRows }: { readonly firstRow: number; readonly numRows: number },
  deleted: BigUint64Array,
  wanted: BigUint64Array | undefined,
): readonly number[] {
  if (deleted.length === 0 && wanted === undefined) return Array.from({ length: numRows }, (_, i) => i)
  const gone = new Uint8Array(numRows).fill(wanted === undefined ? 0 : 1)
  const mark = (positions: BigUint64Array, as: 0 | 1) => {
    for (const position of positions) {
      const at = Number(position) - firstRow
      if (at >= 0 && at < numRows) gone[at] = as
    }
  }
  if (wanted !== undefined) mark(wanted, 0)
  mark(deleted, 1)
  const live: number[] = []
  for (let i = 0; i < numRows; i++) if (gone[i] === 0) live.push(i)
  return live
}
