/**
 * Rows of a table into files of another: in SQL from end to end, one file's worth of input files after the other.
 */
import { structType } from '../../../schema/index.ts'
import type { ScanPlan } from '../../index.ts'
import { filterOf } from '../scan/filter.ts'
import { localFiles } from '../scan/local-files.ts'
import { isShapeMismatch, readFailure } from '../scan/read-error.ts'
import { needsShapes } from '../scan/read-sql.ts'
import { scan, selectSql } from '../scan/scan.ts'
import { type SourceCounts, tableColumns, type WriteJob } from './job.ts'
import { RowStaging } from './row-source.ts'

const NONE: SourceCounts = { numFiltered: 0, numRejected: 0 }

export async function writeScan(plan: ScanPlan, job: WriteJob): Promise<SourceCounts> {
  const filter = filterOf(plan)
  if (filter.residual || plan.limit !== undefined) return writeBatches(plan, job)
  const schema = structType(plan.columns.map((i) => plan.layout.schema.fields[i]!))
  const columns = tableColumns({ schema, naming: plan.layout, columnSql: (i) => `c${plan.columns[i]!}` }, job.plan)
  for (const { files, firstIndex } of fileWorths(plan, job.plan.targetFileSize)) {
    for await (const group of localFiles(job.database, plan.store, files, {
      signal: job.options.signal,
      grouped: false,
      firstIndex,
      need: { layout: plan.layout, ordinals: filter.inputs, filter: plan.filter },
    })) {
      const copy = async (byShape: boolean) =>
        job.writer.write(await selectSql(job.session, plan, { filter, outputs: columns, group, byShape }, job.options))
      const byShape = needsShapes(plan.layout, filter.inputs)
      try {
        await copy(byShape).catch((error: unknown) => {
          if (byShape || !isShapeMismatch(error)) throw error
          return copy(true)
        })
      } catch (error) {
        throw readFailure(error, group.files)
      }
      job.report()
    }
  }
  return NONE
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

/** Plans whose rows SQL alone cannot choose go through values. */
async function writeBatches(plan: ScanPlan, job: WriteJob): Promise<SourceCounts> {
  const schema = structType(plan.columns.map((i) => plan.layout.schema.fields[i]!))
  const staging = await RowStaging.open(schema, job)
  const { signal } = job.options
  for await (const batch of scan(job.database, plan, signal && { signal })) {
    const columns = plan.columns.map((_, i) => batch.column(i))
    await staging.add(Array.from({ length: batch.numRows }, (_, row) => columns.map((column) => column[row]!)))
  }
  await staging.finish()
  return NONE
}
