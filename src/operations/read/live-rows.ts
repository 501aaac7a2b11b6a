/** How many rows the log says a file has. */
import { type AddFile, parseStats } from '../../kernel/index.ts'

/** Rows of a file without the deleted ones, or undefined where its statistics do not say. */
export function liveRows(file: AddFile): number | undefined {
  const { numRecords } = parseStats(file.stats)
  return numRecords === undefined ? undefined : Number(numRecords) - (file.deletionVector?.cardinality ?? 0)
}
