/**
 * Which rows a filter is TRUE for, by file and position: see `Engine.findRows`.
 *
 * The engine makes a bitmap of each 65,536 rows itself, so that nothing here grows with the number of rows found.
 */
import { type BoundExpression, compileEvaluator } from '../../../expressions/index.ts'
import {
  BLOCK_BYTES,
  type RowBlock,
  RowSet,
  RowSetBuilder,
  type TableLayout,
  withHiddenColumns,
} from '../../../kernel/index.ts'
import { binaryType, longType, structType, type Value } from '../../../schema/index.ts'
import type { EngineOptions, FindRowsPlan, FoundRows } from '../../index.ts'
import type { DuckDatabase, DuckSession, QueryOptions } from '../instance.ts'
import { readVector } from '../values/read-vector.ts'
import { ChunkBatch } from './chunk-batch.ts'
import { filterOf, type ScanFilter } from './filter.ts'
import { type FileGroup, localFiles } from './local-files.ts'
import { isShapeMismatch, readFailure } from './read-error.ts'
import { needsShapes, readSql } from './read-sql.ts'

/** Rows by the place of their file in the plan. */
type RowsByFile = ReadonlyMap<number, RowSet>

export async function* findRows(
  database: DuckDatabase,
  plan: FindRowsPlan,
  { signal, onProgress }: EngineOptions = {},
): AsyncGenerator<FoundRows> {
  const search = searchOf(plan)
  const need = { layout: search.layout, ordinals: search.ordinals, filter: plan.filter }
  let progress = { rows: 0, bytes: 0, files: 0 }
  const session = await database.acquire()
  try {
    for await (const group of localFiles(database, plan.store, plan.files, { signal, need })) {
      const found = await rowsOfGroup(session, search, group, { signal, what: 'the search for rows' })
      for (const { add: file, index } of group.files) {
        const rows = found.get(index)
        const { rows: sum, bytes, files } = progress
        progress = { rows: sum + (rows?.size ?? 0), bytes: bytes + file.size, files: files + 1 }
        if (rows !== undefined) yield { file, rows }
      }
      onProgress?.(progress)
    }
  } finally {
    session.release()
  }
}

/** A plan whose layout has the places of rows as hidden columns. */
interface Search {
  readonly layout: TableLayout
  readonly filter: ScanFilter
  readonly predicate: BoundExpression
  /** what is read: the places, then what the filter reads */
  readonly ordinals: readonly number[]
}

function searchOf(plan: FindRowsPlan): Search {
  const first = plan.layout.schema.fields.length
  const layout = withHiddenColumns(plan.layout, ['file_index', 'row_index'])
  const filter = filterOf({ ...plan, layout, columns: [first, first + 1] })
  return { layout, filter, predicate: plan.filter, ordinals: filter.inputs }
}

async function rowsOfGroup(
  session: DuckSession,
  search: Search,
  { files }: FileGroup,
  options: QueryOptions,
): Promise<RowsByFile> {
  const { layout, filter, ordinals } = search
  const find = async (byShape: boolean): Promise<RowsByFile> => {
    const read = await readSql(session, { layout, files, ordinals, byShape }, options)
    if (filter.residual) return await evaluatedRows(session, read, search, options)
    const [file, row] = ordinals.map((ordinal) => `c${ordinal}`)
    const places = `SELECT ${file} AS file_at, ${row} AS row_at FROM (${read}) WHERE ${filter.sql}`
    return await bitmapRows(session, places, options)
  }
  const byShape = needsShapes(layout, ordinals)
  try {
    return await find(byShape).catch((error: unknown) => {
      if (byShape || !isShapeMismatch(error)) throw error
      return find(true)
    })
  } catch (error) {
    throw readFailure(error, files)
  }
}

/**
 * Rows by file.
 *
 * @param places a query with the longs `file_at`, the file's place in a plan, and `row_at`, the row's in the file
 */
export async function bitmapRows(session: DuckSession, places: string, options: QueryOptions): Promise<RowsByFile> {
  const sql = `SELECT file_at, (row_at >> 16)::BIGINT, bitstring_agg((row_at & 65535)::INTEGER, 0, 65535)::BLOB
    FROM (${places}) GROUP BY 1, 2`
  const blocks = new Map<number, [number, RowBlock][]>()
  for await (const chunk of session.stream(sql, options)) {
    const files = readVector(chunk.getColumnVector(0), longType) as bigint[]
    const numbers = readVector(chunk.getColumnVector(1), longType) as bigint[]
    const bitmaps = readVector(chunk.getColumnVector(2), binaryType) as Uint8Array[]
    for (let at = 0; at < chunk.rowCount; at++) {
      const own = blocks.get(Number(files[at]!)) ?? []
      own.push([Number(numbers[at]!), blockOf(bitmaps[at]!)])
      blocks.set(Number(files[at]!), own)
    }
  }
  return new Map(Array.from(blocks, ([at, own]) => [at, RowSet.ofBlocks(own)]))
}

const REVERSED = Uint8Array.from({ length: 256 }, (_, byte) => {
  let reversed = 0
  for (let bit = 0; bit < 8; bit++) if (byte & (1 << bit)) reversed |= 0x80 >> bit
  return reversed
})

/** A bit string begins with its most significant bit, a block with its least. */
function blockOf(bits: Uint8Array): RowBlock {
  const block = new Uint8Array(BLOCK_BYTES)
  for (let i = 0; i < BLOCK_BYTES; i++) block[i] = REVERSED[bits[i]!]!
  return block
}

/** A filter that has no SQL form is evaluated here, over the columns it reads. */
async function evaluatedRows(
  session: DuckSession,
  read: string,
  { layout, predicate, ordinals }: Search,
  options: QueryOptions,
): Promise<RowsByFile> {
  const matches = compileEvaluator(predicate)
  const schema = structType(ordinals.map((ordinal) => layout.schema.fields[ordinal]!))
  const columns = ordinals.map((ordinal) => `c${ordinal}`).join(', ')
  const found = new Map<number, RowSetBuilder>()
  const row = new Array<Value>(layout.schema.fields.length).fill(null)
  for await (const chunk of session.stream(`SELECT ${columns} FROM (${read})`, options)) {
    const batch = new ChunkBatch(chunk, schema)
    const values = ordinals.map((_, i) => batch.column(i))
    for (let at = 0; at < batch.numRows; at++) {
      for (const [i, ordinal] of ordinals.entries()) row[ordinal] = values[i]![at]!
      if (matches(row) !== true) continue
      const file = Number(values[0]![at] as bigint)
      const builder = found.get(file) ?? new RowSetBuilder()
      builder.add(Number(values[1]![at] as bigint))
      found.set(file, builder)
    }
  }
  return new Map(Array.from(found, ([file, builder]) => [file, builder.build()]))
}
