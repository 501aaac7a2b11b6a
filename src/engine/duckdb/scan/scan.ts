/**
 * Rows of files as batches, and their number.
 *
 * Files are read in groups, one streaming query a group, so memory does not grow with the table. A query whose file
 * turns out to share no member with a struct is written again for the files' own shapes and goes on behind the rows
 * already given, for the order of rows is fixed.
 */
import type { DuckDBDataChunk } from '@duckdb/node-api'
import { structType } from '../../../schema/index.ts'
import type { Batch, EngineOptions, ScanPlan } from '../../index.ts'
import type { DuckDatabase, DuckSession, QueryOptions } from '../instance.ts'
import { pathList } from '../sql-text.ts'
import { ChunkBatch } from './chunk-batch.ts'
import { filterOf, type ScanFilter } from './filter.ts'
import { type FileGroup, localFiles } from './local-files.ts'
import { isShapeMismatch, readFailure } from './read-error.ts'
import { needsShapes, readSql } from './read-sql.ts'

const WHAT = 'the scan'

/** See `Engine.scan`. */
export async function* scan(database: DuckDatabase, plan: ScanPlan, call: EngineOptions = {}): AsyncGenerator<Batch> {
  const filter = filterOf(plan)
  const schema = structType(plan.columns.map((i) => plan.layout.schema.fields[i]!))
  const given = structType(filter.outputs.map((i) => plan.layout.schema.fields[i]!))
  const outputs = filter.outputs.map((i) => `c${i}`).join(', ') || '1 AS one'
  let left = plan.limit
  if (left === 0) return
  for await (const chunk of scanChunks(database, plan, { filter, outputs }, call)) {
    const batch = filter.apply(new ChunkBatch(chunk, given), schema, left)
    if (left !== undefined) left -= batch.numRows
    if (batch.numRows > 0) yield batch
    if (left === 0) return
  }
}

/**
 * The rows of a plan as text, one expression a row, a newline behind each.
 *
 * @param line SQL over the columns `c<ordinal>`; the plan's filter, if any, must have an SQL form
 */
export async function* scanLines(
  database: DuckDatabase,
  plan: ScanPlan,
  line: string,
  call: EngineOptions = {},
): AsyncGenerator<string> {
  let left = plan.limit ?? Number.POSITIVE_INFINITY
  if (left === 0) return
  for await (const chunk of scanChunks(database, plan, { filter: filterOf(plan), outputs: line }, call)) {
    const lines = chunk.getColumnValues(0).slice(0, left)
    left -= lines.length
    yield `${lines.join('\n')}\n`
    if (left === 0) return
  }
}

interface ChunkScan {
  readonly filter: ScanFilter
  /** the SELECT list over the columns `c<ordinal>` */
  readonly outputs: string
}

async function* scanChunks(
  database: DuckDatabase,
  plan: ScanPlan,
  scanned: ChunkScan,
  { signal }: EngineOptions,
): AsyncGenerator<DuckDBDataChunk> {
  const session = await database.acquire()
  try {
    const need = { layout: plan.layout, ordinals: scanned.filter.inputs, filter: plan.filter }
    for await (const group of localFiles(database, plan.store, plan.files, { signal, need })) {
      yield* groupChunks(session, plan, { ...scanned, group }, { signal, what: WHAT })
    }
  } finally {
    session.release()
  }
}

/** Chunks of a group, filtered as far as SQL does it; the plan's limit bounds each group, the caller all of them. */
async function* groupChunks(
  session: DuckSession,
  plan: ScanPlan,
  { filter, outputs, group }: ChunkScan & { readonly group: FileGroup },
  options: QueryOptions,
): AsyncGenerator<DuckDBDataChunk> {
  const { limit } = plan
  let given = 0
  const run = async function* (byShape: boolean) {
    const sql = await selectSql(session, plan, { filter, outputs, group, byShape }, options)
    const upTo = limit === undefined || filter.residual ? '' : ` LIMIT ${limit - given}`
    const chunks = session.stream(`${sql}${upTo}${given === 0 ? '' : ` OFFSET ${given}`}`, options)
    for await (const chunk of chunks) {
      given += chunk.rowCount
      yield chunk
    }
  }
  try {
    const byShape = needsShapes(plan.layout, filter.inputs)
    try {
      yield* run(byShape)
    } catch (error) {
      if (byShape || !isShapeMismatch(error)) throw error
      yield* run(true)
    }
  } catch (error) {
    throw readFailure(error, group.files)
  }
}

/** The query of a group, rows in order. */
export async function selectSql(
  session: DuckSession,
  plan: ScanPlan,
  { filter, outputs, group, byShape }: ChunkScan & { group: FileGroup; byShape: boolean },
  options: QueryOptions,
): Promise<string> {
  const read = await readSql(
    session,
    { layout: plan.layout, files: group.files, ordinals: filter.inputs, byShape },
    options,
  )
  return `SELECT ${outputs} FROM (${read})
    ${filter.sql === undefined ? '' : `WHERE ${filter.sql}`}`
}

/** See `Engine.count`. */
export async function count(database: DuckDatabase, plan: ScanPlan, { signal }: EngineOptions = {}): Promise<number> {
  const byFooter = plan.filter === undefined && plan.files.every((file) => file.hiddenBy === undefined)
  const all = byFooter ? await countFooters(database, plan, signal) : await countRows(database, plan, signal)
  return plan.limit === undefined ? all : Math.min(all, plan.limit)
}

async function countFooters(database: DuckDatabase, plan: ScanPlan, signal: AbortSignal | undefined): Promise<number> {
  let rows = 0
  const need = { layout: plan.layout, ordinals: [] }
  for await (const group of localFiles(database, plan.store, plan.files, { signal, need })) {
    const footers = await database
      .withSession((session) =>
        session.query(
          `SELECT sum(num_rows)::BIGINT FROM parquet_file_metadata(${pathList(group.files.map((file) => file.path))})`,
          { signal, what: WHAT },
        ),
      )
      .catch((error: unknown) => {
        throw readFailure(error, group.files)
      })
    rows += Number(footers[0]![0])
    for (const { add } of group.files) rows -= add.deletionVector?.cardinality ?? 0
  }
  return rows
}

async function countRows(database: DuckDatabase, plan: ScanPlan, signal: AbortSignal | undefined): Promise<number> {
  let rows = 0
  for await (const batch of scan(database, { ...plan, columns: [] }, signal && { signal })) rows += batch.numRows
  return rows
}
