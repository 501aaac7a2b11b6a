/**
 * Rows of a table into files of another: in SQL from end to end, one file's worth of input files after the other.
 */
import { type PartitionValues, physicalName, type ScanFile, type TableLayout } from '../../../kernel/index.ts'
import { findField, type Value } from '../../../schema/index.ts'
import type { ScanPlan, ScanSource } from '../../index.ts'
import { filterOf, type ScanFilter } from '../scan/filter.ts'
import { type FileGroup, localFiles } from '../scan/local-files.ts'
import { isShapeMismatch, readFailure } from '../scan/read-error.ts'
import { needsShapes } from '../scan/read-sql.ts'
import { scan, selectSql } from '../scan/scan.ts'
import { type SourceCounts, tableColumns, type WriteJob } from './job.ts'
import { RowStaging } from './row-source.ts'
import { type CopiedColumns, copiedColumns } from './select-columns.ts'
import { writeAlongCurve } from './sorted-source.ts'

const NONE: SourceCounts = { numFiltered: 0, numRejected: 0 }

export async function writeScan(source: ScanSource, job: WriteJob): Promise<SourceCounts> {
  const { plan } = source
  const copied = copiedColumns(source)
  const read = { ...plan, columns: copied.inputs }
  const filter = filterOf(read)
  if (filter.residual || plan.limit !== undefined || copied.sql === undefined) return writeBatches(read, copied, job)
  const { schema, naming, sql } = copied
  const outputs = tableColumns({ schema, naming, columnSql: (i) => sql[i]! }, job.plan)
  if (source.curve !== undefined) {
    await writeAlongCurve(
      source.curve,
      { plan: read, filter, outputs, partitionValues: onePartition(source, job) },
      job,
    )
    return NONE
  }
  for (const { files, firstIndex } of fileWorths(plan, job.plan.targetFileSize)) {
    const partitionValues = onePartition({ ...source, plan: { ...plan, files } }, job)
    for await (const group of localFiles(job.database, plan.store, files, {
      signal: job.options.signal,
      grouped: false,
      firstIndex,
      need: { layout: plan.layout, ordinals: filter.inputs, filter: plan.filter },
    })) {
      await copyGroup(read, { filter, outputs, group, partitionValues }, job)
      job.report()
    }
  }
  return NONE
}

interface GroupCopy {
  readonly filter: ScanFilter
  readonly outputs: string
  readonly group: FileGroup
  /** of all the rows, where they have but one */
  readonly partitionValues: PartitionValues | undefined
}

async function copyGroup(plan: ScanPlan, copied: GroupCopy, job: WriteJob): Promise<void> {
  const { filter, outputs, group, partitionValues } = copied
  const copy = async (byShape: boolean) => {
    const rows = await selectSql(job.session, plan, { filter, outputs, group, byShape }, job.options)
    await job.writer.write(rows, { partitionValues })
  }
  const byShape = needsShapes(plan.layout, filter.inputs)
  try {
    await copy(byShape).catch((error: unknown) => {
      if (byShape || !isShapeMismatch(error)) throw error
      return copy(true)
    })
  } catch (error) {
    throw readFailure(error, group.files)
  }
}

/** The partition that all files of a copy lie in, where it goes into the same one of the same table. */
function onePartition({ plan, select }: ScanSource, { plan: { layout } }: WriteJob): PartitionValues | undefined {
  if (select !== undefined || layout.partitionColumns.length === 0) return undefined
  const named = (of: TableLayout) =>
    of.partitionColumns.map((name) => [name, physicalName(findField(of.schema, name)!, of)] as const)
  const columns = named(layout)
  if (JSON.stringify(named(plan.layout)) !== JSON.stringify(columns)) return undefined
  const valuesOf = ({ partitionValues }: ScanFile) => columns.map(([, key]) => partitionValues.get(key) ?? null)
  const first = plan.files[0] && valuesOf(plan.files[0])
  if (first === undefined) return undefined
  if (plan.files.some((file) => valuesOf(file).some((value, i) => value !== first[i]))) return undefined
  return new Map(columns.map(([, key], i) => [key, first[i]!]))
}

/** Input files in order, as many at a time as make about one output file. */
function* fileWorths(plan: ScanPlan, target: number) {
  let start = 0
  let bytes = 0
  for (const [i, file] of plan.files.entries()) {
    if (i > start && bytes + file.size > target) {
      yield { files: plan.files.slice(start, i), firstIndex: start }
      start = i
      bytes = 0
    }
    bytes += file.size
  }
  if (start < plan.files.length) yield { files: plan.files.slice(start), firstIndex: start }
}

/** Rows that SQL alone cannot choose or compute go through values. */
async function writeBatches(plan: ScanPlan, copied: CopiedColumns, job: WriteJob): Promise<SourceCounts> {
  const staging = await RowStaging.open(copied.schema, job)
  const { signal } = job.options
  const compute = copied.compile()
  const row = new Array<Value>(plan.layout.schema.fields.length).fill(null)
  for await (const batch of scan(job.database, plan, signal && { signal })) {
    const columns = plan.columns.map((ordinal, i) => [ordinal, batch.column(i)] as const)
    const rows = Array.from({ length: batch.numRows }, (_, at) => {
      for (const [ordinal, column] of columns) row[ordinal] = column[at]!
      return compute(row)
    })
    await staging.add(rows)
  }
  await staging.finish()
  return NONE
}
