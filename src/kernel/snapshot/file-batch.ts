/** Live files by column, for those who list many: nothing is made of a column that is not asked for. */
import type { AddFile, PartitionValues } from '../actions/actions.ts'

export interface FileBatch {
  readonly numFiles: number
  /** as the log has them */
  paths(): readonly string[]
  /** bytes */
  sizes(): readonly number[]
  /** texts as in the log, by physical name */
  partitionValues(): readonly PartitionValues[]
}

export function fileBatch(files: readonly AddFile[]): FileBatch {
  return {
    numFiles: files.length,
    paths: () => files.map((file) => file.path),
    sizes: () => files.map((file) => file.size),
    partitionValues: () => files.map((file) => file.partitionValues),
  }
}
