/** Rows taken in as a temporary table, which spills under the memory limit: see `Engine.stage`. */
import { type Row, type StructType, structType } from '../../../schema/index.ts'
import { throwIfAborted } from '../../../support/index.ts'
import {
  type EngineOptions,
  type JoinSource,
  rowPages,
  type ScanPlan,
  type StagedRows,
  stageRows,
} from '../../index.ts'
import type { DuckDatabase, DuckSession, QueryOptions } from '../instance.ts'
import { createQueryTable } from '../query/query.ts'
import { filterOf } from '../scan/filter.ts'
import { localFiles } from '../scan/local-files.ts'
import { scan, selectSql } from '../scan/scan.ts'
import { convertSql } from '../values/convert.ts'
import { LOGICAL, sqlType } from '../values/sql-type.ts'
import { CHUNK_ROWS, ChunkBuilder } from '../values/write-chunk.ts'
import { StagedTable } from './staged-table.ts'
import { rowAccess, STAGED } from './staging.ts'
import { withShapes } from './with-shapes.ts'

export async function stage(
  database: DuckDatabase,
  source: JoinSource,
  { signal }: EngineOptions = {},
): Promise<StagedRows> {
  const options = { signal, what: 'the reading of the source' }
  if (source.kind === 'rows' && source.schema.fields.every(({ type }) => type.kind === 'void')) {
    return await stageRows(rowAccess(database), source.schema, source.rows)
  }
  const session = await database.acquire()
  try {
    const schema = await fill(database, session, source, options)
    const [[count]] = (await session.query(`SELECT count(*)::BIGINT FROM ${STAGED}`, options)) as [[bigint]]
    return new StagedTable({ database, session, schema, numRows: Number(count) })
  } catch (error) {
    session.release()
    throw error
  }
}

async function fill(
  database: DuckDatabase,
  session: DuckSession,
  source: JoinSource,
  options: QueryOptions,
): Promise<StructType> {
  if (source.kind === 'query') return await createQueryTable({ database, session }, source, STAGED, options)
  if (source.kind === 'rows') return await fillRows(session, source.schema, source.rows, options)
  return await fillScan(database, session, source.plan, options)
}

/** Straight from file to table where SQL alone chooses the rows. */
async function fillScan(
  database: DuckDatabase,
  session: DuckSession,
  plan: ScanPlan,
  options: QueryOptions,
): Promise<StructType> {
  const filter = filterOf(plan)
  const { layout } = plan
  const schema = structType(plan.columns.map((ordinal) => layout.schema.fields[ordinal]!))
  if (filter.residual || plan.limit !== undefined) {
    const pages = rowPages(scan(database, plan, options.signal && { signal: options.signal }))
    return await fillRows(session, schema, pages, options)
  }
  await session.run(`CREATE TEMP TABLE ${STAGED} (${stagedColumns(schema)})`, options)
  const outputs = schema.fields.flatMap(({ type }, i) =>
    type.kind === 'void'
      ? []
      : [convertSql(`c${plan.columns[i]!}`, { type, naming: layout }, { type, naming: LOGICAL })],
  )
  const need = { layout, ordinals: filter.inputs, filter: plan.filter }
  for await (const group of localFiles(database, plan.store, plan.files, { signal: options.signal, need })) {
    await withShapes(plan.layout, filter.inputs, group.files, async (byShape) => {
      const sql = await selectSql(session, plan, { filter, outputs: outputs.join(', '), group, byShape }, options)
      await session.run(`INSERT INTO ${STAGED} ${sql}`, options)
    })
  }
  return schema
}

async function fillRows(
  session: DuckSession,
  schema: StructType,
  pages: AsyncIterable<readonly Row[]>,
  options: QueryOptions,
): Promise<StructType> {
  await session.run(`CREATE TEMP TABLE ${STAGED} (${stagedColumns(schema)})`, options)
  const builder = new ChunkBuilder(await import('@duckdb/node-api'), schema, LOGICAL)
  const appender = await session.connection.createAppender(STAGED)
  try {
    for await (const rows of chunked(pages)) {
      throwIfAborted(options.signal, options.what ?? '')
      appender.appendDataChunk(builder.build(rows))
    }
  } finally {
    appender.closeSync()
  }
  return schema
}

function stagedColumns({ fields }: StructType): string {
  const columns = fields.flatMap(({ type }, i) => (type.kind === 'void' ? [] : [`s${i} ${sqlType(type, LOGICAL)}`]))
  return columns.join(', ')
}

async function* chunked(pages: AsyncIterable<readonly Row[]>): AsyncGenerator<readonly Row[]> {
  let pending: Row[] = []
  for await (const page of pages) {
    for (const row of page) {
      pending.push(row)
      if (pending.length < CHUNK_ROWS) continue
      yield pending
      pending = []
    }
  }
  if (pending.length > 0) yield pending
}
