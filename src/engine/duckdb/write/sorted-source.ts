/**
 * Rows of files sorted along a curve into new files.
 *
 * What makes one file is sorted on its way into it; for more, the rows are sorted once into a temporary table, which
 * spills under the memory limit, and each file is a range of it.
 */
import type { PartitionValues } from '../../../kernel/index.ts'
import type { RowCurve, ScanPlan } from '../../index.ts'
import { columnPath, type ScanFilter } from '../scan/filter.ts'
import { type FileGroup, type LocalFile, localFiles } from '../scan/local-files.ts'
import { isShapeMismatch, readFailure } from '../scan/read-error.ts'
import { needsShapes } from '../scan/read-sql.ts'
import { selectSql } from '../scan/scan.ts'
import { type CurveColumn, curveOrder } from './curve-order.ts'
import type { WriteJob } from './job.ts'
import { writeFailure } from './write-failure.ts'

/** Files that are looked at to find ranges, spread over all there are. */
const SAMPLED_FILES = 96

export interface SortedCopy {
  readonly plan: ScanPlan
  readonly filter: ScanFilter
  /** the SELECT list of the table's columns */
  readonly outputs: string
  readonly partitionValues: PartitionValues | undefined
}

export async function writeAlongCurve(curve: RowCurve, copy: SortedCopy, job: WriteJob): Promise<void> {
  const { plan, filter } = copy
  const need = { layout: plan.layout, ordinals: filter.inputs, filter: plan.filter }
  const { signal } = job.options
  for await (const group of localFiles(job.database, plan.store, plan.files, { signal, grouped: false, need })) {
    try {
      const byShape = needsShapes(plan.layout, filter.inputs)
      await writeSorted(curve, { ...copy, group, byShape }, job).catch((error: unknown) => {
        if (byShape || !isShapeMismatch(error)) throw error
        return writeSorted(curve, { ...copy, group, byShape: true }, job)
      })
    } catch (error) {
      throw readFailure(error, group.files)
    }
    job.report()
  }
}

interface GroupSort extends SortedCopy {
  readonly group: FileGroup
  readonly byShape: boolean
}

async function writeSorted(curve: RowCurve, copy: GroupSort, job: WriteJob): Promise<void> {
  const { session, options, plan, writer } = job
  const { group, outputs, partitionValues } = copy
  const sample = sampleOf(copy, job)
  const { keys, place } = await curveOrder(curve, columnsOf(curve, copy), { session, options, sample })
  const numFiles = Math.max(1, Math.round(sizeOf(group.files) / plan.targetFileSize))
  const traits = { partitionValues }
  const columns = plan.layout.schema.fields.flatMap(({ type }, i) => (type.kind === 'void' ? [] : [`d${i}`]))
  const sorted = `SELECT ${columns.join(', ')} FROM (${await rowsOf(copy, `${outputs}, ${keys}`, job)}) ORDER BY ${place}`
  if (numFiles === 1 && (plan.layout.partitionColumns.length === 0 || partitionValues !== undefined)) {
    return await writer.write(sorted, traits)
  }
  await session.run(`CREATE OR REPLACE TEMP TABLE laid_out AS ${sorted}`, options).catch((cause: unknown) => {
    throw writeFailure(cause, 'the rows')
  })
  const [count] = (await session.query('SELECT count(*)::BIGINT FROM laid_out', options))[0]!
  const rowsOfFile = Math.max(1, Math.ceil(Number(count) / numFiles))
  for (let first = 0; first < Number(count); first += rowsOfFile) {
    const range = `rowid BETWEEN ${first} AND ${first + rowsOfFile - 1}`
    await writer.write(`SELECT * FROM laid_out WHERE ${range} ORDER BY rowid`, traits)
    job.report()
  }
  await session.run('DROP TABLE laid_out', options)
}

function columnsOf({ columns }: RowCurve, { plan: { layout } }: GroupSort): CurveColumn[] {
  return columns.map(({ path, type }) => ({
    sql: columnPath(path, layout.schema, layout),
    type: type as CurveColumn['type'],
  }))
}

/** Rows of some files, deleted ones among them: they are only looked at. */
function sampleOf(copy: GroupSort, job: WriteJob): (outputs: string) => Promise<string> {
  const { files } = copy.group
  const step = Math.max(1, files.length / SAMPLED_FILES)
  const some = Array.from({ length: Math.min(files.length, SAMPLED_FILES) }, (_, i) => files[Math.floor(i * step)]!)
  const group = { ...copy.group, files: some.map(({ deleted: _, ...file }) => file) }
  return (outputs) => rowsOf({ ...copy, group }, outputs, job)
}

async function rowsOf(copy: GroupSort, outputs: string, { session, options }: WriteJob): Promise<string> {
  const { plan, filter, group, byShape } = copy
  return await selectSql(session, plan, { filter, outputs, group, byShape }, options)
}

function sizeOf(files: readonly LocalFile[]): number {
  return files.reduce((sum, { add }) => sum + add.size, 0)
}
