/**
 * The answer of a query into files: in SQL from end to end.
 *
 * The query runs once, for it need not give the same rows again. Where nothing is to be seen in its rows a second time
 * they go straight into files, else into a temporary table, which spills under the memory limit; each file is a range of it.
 */
import type { QuerySource } from '../../index.ts'
import { createQueryTable, withQuery } from '../query/query.ts'
import { LOGICAL } from '../values/sql-type.ts'
import { type SourceCounts, tableColumns, type WriteJob } from './job.ts'

const NONE: SourceCounts = { numFiltered: 0, numRejected: 0 }
const QUERIED = 'queried_rows'
/** Bytes of a file to those of its rows as values, before one is written. */
const FIRST_RATIO = 0.5
/** Rows that tell how large one is. */
const SAMPLE_ROWS = 10_000

export async function writeQuery(source: QuerySource, job: WriteJob): Promise<SourceCounts> {
  const { session, options, database, plan, writer } = job
  const columns = tableColumns({ schema: source.schema, naming: LOGICAL, columnSql: (i) => `s${i}` }, plan)
  if (writer.canStream) {
    await withQuery(job, source, options, (select) => writer.stream(`SELECT ${columns} FROM (${select})`))
    job.report()
    return NONE
  }
  const { fields } = await createQueryTable({ database, session }, source, QUERIED, options)
  const [[count]] = (await session.query(`SELECT count(*)::BIGINT FROM ${QUERIED}`, options)) as [[bigint]]
  let rowBytes = (await valueBytes(fields.length, job)) * FIRST_RATIO
  for (let first = 0; first < count; ) {
    const last = Math.min(Number(count), first + Math.max(1, Math.floor(plan.targetFileSize / rowBytes))) - 1
    const isAll = first === 0 && last === Number(count) - 1
    const range = isAll ? '' : `WHERE rowid BETWEEN ${first} AND ${last} ORDER BY rowid`
    const before = writer.files.length
    await writer.write(`SELECT ${columns} FROM ${QUERIED} ${range}`, { isTable: true })
    const bytes = writer.files.slice(before).reduce((sum, { size }) => sum + size, 0)
    if (bytes > 0) rowBytes = bytes / (last + 1 - first)
    first = last + 1
    job.report()
  }
  await session.run(`DROP TABLE ${QUERIED}`, options)
  return NONE
}

/** Bytes of a row's values as texts, roughly: what is shorter than a number takes as much as one. */
async function valueBytes(numColumns: number, { session, options }: WriteJob): Promise<number> {
  const sizes = Array.from({ length: numColumns }, (_, i) => `greatest(8, coalesce(strlen(s${i}::VARCHAR), 0))`)
  const sql = `SELECT avg(${sizes.join(' + ')})::DOUBLE FROM (FROM ${QUERIED} LIMIT ${SAMPLE_ROWS})`
  const [[bytes]] = (await session.query(sql, options)) as [[number | null]]
  return bytes ?? 8
}
