/** What decides which files are laid out anew, how they are grouped, and what their rows' order is. */
import type { RowCurve } from '../../engine/index.ts'
import type { AddFile } from '../../kernel/index.ts'

/** Sizes with everything filled in that a caller left out. */
export interface Sizes {
  readonly minFileSize: number
  readonly maxFileSize: number
  readonly maxDeletedRowsRatio: number
  readonly batchSize: number
}

export interface LayoutStrategy {
  /** the files of a page that are to be written anew */
  choose(files: readonly AddFile[]): readonly AddFile[] | Promise<readonly AddFile[]>
  /** the same, of one partition, in the order in which they are packed */
  prepare(files: readonly AddFile[]): readonly AddFile[]
  /** bytes of the files that are read as one */
  readonly maxBinSize: number
  /** whether a file is worth writing anew alone */
  takesAlone(file: AddFile): boolean
  /** how rows are sorted; absent: they keep their order */
  readonly curve?: RowCurve
  /** @param bin a number for the group a file comes from */
  tag(file: AddFile, bin: number): AddFile
}

/** Small files and those of many deleted rows are packed together; one that is alone stays as it is, as the reference has it. */
export function compaction({ minFileSize, maxFileSize, maxDeletedRowsRatio }: Sizes): LayoutStrategy {
  return {
    choose: (files) => files.filter((file) => file.size < minFileSize || deletedPart(file) > maxDeletedRowsRatio),
    prepare: bySize,
    maxBinSize: maxFileSize,
    takesAlone: () => false,
    tag: (file) => file,
  }
}

/** Files that hold what the table has no more. */
export function purging(choose: LayoutStrategy['choose'], { maxFileSize }: Sizes): LayoutStrategy {
  return { choose, prepare: bySize, maxBinSize: maxFileSize, takesAlone: () => true, tag: (file) => file }
}

/** All files of a partition, sorted as one. */
export function zOrdering(columns: RowCurve['columns']): LayoutStrategy {
  return {
    choose: (files) => files,
    prepare: (files) => files,
    maxBinSize: Number.POSITIVE_INFINITY,
    takesAlone: () => true,
    curve: { kind: 'z-order', columns },
    tag: (file) => file,
  }
}

/** The part of a file's rows that is deleted, as far as the log tells. */
function deletedPart({ deletionVector, stats }: AddFile): number {
  if (deletionVector === undefined) return 0
  const numRecords = Number(/"numRecords"\s*:\s*(\d+)/.exec(stats ?? '')?.[1] ?? Number.NaN)
  return numRecords > 0 ? deletionVector.cardinality / numRecords : 0
}

/** Files of like size end up in one bin, the older ones first. */
function bySize(files: readonly AddFile[]): readonly AddFile[] {
  return [...files].sort((a, b) => a.size - b.size || byAge(a, b))
}

/** The order in which files were written, as far as the log tells. */
export function byAge(a: AddFile, b: AddFile): number {
  return a.modificationTime - b.modificationTime || (a.path < b.path ? -1 : 1)
}
