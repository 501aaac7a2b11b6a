/**
 * The answer of a query into files: in SQL from end to end.
 *
 * The query runs once, into a temporary table, which spills under the memory limit; each file is a range of it. What is
 * written could not be looked at twice otherwise, for a query need not give the same rows again.
 */
import type { QuerySource } from '../../index.ts'
import { createQueryTable } from '../query/query.ts'
import { LOGICAL } from '../values/sql-type.ts'
import { type SourceCounts, tableColumns, type WriteJob } from './job.ts'

const QUERIED = 'queried_rows'
/** Bytes of a file to those of its rows as values, before one is written. */
const FIRST_RATIO = 0.5
/** Rows that tell how large one is. */
const SAMPLE_ROWS = 10_000

export async function writeQuery(source: QuerySource, job: WriteJob): Promise<SourceCounts> {
  const { session, options, database, plan, writer } = job
  const columns = tableColumns({ schema: source.schema, naming: LOGICAL, columnSql: (i) => `s${i}` }, plan)
  const { fields } = await createQueryTable({ database, session }, source, QUERIED, options)
  const [[count]] = (await session.query(`SELECT count(*)::BIGINT FROM ${QUERIED}`, options)) as [[bigint]]
  let rowBytes = (await valueBytes(fields.length, job)) * FIRST_RATIO
  for (let first = 0; first < count; ) {
    const last = Math.min(Number(count), first + Math.max(1, Math.floor(plan.targetFileSize / rowBytes))) - 1
    const isAll = first === 0 && last === Number(count) - 1
    const range = isAll ? '' : `WHERE rowid BETWEEN ${first} AND ${last} ORDER BY rowid`
    const before = writer.files.length
    await writer.write(`SELECT ${columns} FROM ${QUERIED} ${range}`)
    const bytes = writer.files.slice(before).reduce((sum, { size }) => sum + size, 0)
    if (bytes > 0) rowBytes = bytes / (last + 1 - first)
    first = last + 1
    job.report()
  }
  await session.run(`DROP TABLE ${QUERIED}`, options)
  return { numFiltered: 0, numRejected: 0 }
}

/** Bytes of a row's values as texts, roughly: what is shorter than a number takes as much as one. */
async function valueBytes(numColumns: number, { session, options }: WriteJob): Promise<number> {
  const sizes = Array.from({ length: numColumns }, (_, i) => `greatest(8, coalesce(strlen(s${i}::VARCHAR), 0))`)
  const sql = `SELECT avg(${sizes.join(' + ')})::DOUBLE FROM (FROM ${QUERIED} LIMIT ${SAMPLE_ROWS})`
  const [[bytes]] = (await session.query(sql, options)) as [[number | null]]
  return bytes ?? 8
}
