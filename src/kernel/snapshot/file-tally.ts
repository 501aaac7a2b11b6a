/**
 * What the live files of a table come to, counted on from commit to commit.
 *
 * Source: Delta protocol, "Version Checksum File": file size histogram, deleted record counts histogram.
 */
import type { AddFile } from '../actions/actions.ts'

const KIB = 1024
const MIB = 1024 * KIB
const GIB = 1024 * MIB

/** Sizes at which the bins of the histogram begin, as the reference has them, bytes. */
export const SIZE_BINS: readonly number[] = [
  0,
  ...[8, 16, 32, 64, 128, 256, 512].map((n) => n * KIB),
  ...[1, 2, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 48, 56, 64, 72, 80, 88, 96, 104, 112, 120].map((n) => n * MIB),
  ...[124, 128, 132, 136, 140, 144, 160, 176, 192, 208, 224, 240, 256, 272, 288, 304, 320, 336].map((n) => n * MIB),
  ...[352, 368, 384, 400, 416, 432, 448, 464, 480, 496, 512, 528, 544, 560, 576, 640, 704].map((n) => n * MIB),
  ...[768, 832, 896, 960, 1024, 1088, 1152, 1216, 1280, 1344, 1408, 1536, 1664, 1792, 1920].map((n) => n * MIB),
  ...[2048, 2304, 2560, 2816, 3072, 3328, 3584, 3840].map((n) => n * MIB),
  ...[4, 8, 16, 32, 64, 128, 256].map((n) => n * GIB),
]

/** Counts of deleted rows at which the bins begin. */
const DELETED_BINS: readonly number[] = [0, 1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 2_147_483_647]

/** What the live files of a version come to, beyond their totals. */
export interface FileSummary {
  readonly numFiles: number
  readonly sizeInBytes: number
  /** files and their bytes by `SIZE_BINS` */
  readonly sizes: { readonly fileCounts: readonly number[]; readonly totalBytes: readonly number[] }
  readonly numDeletionVectors: number
  /** rows that deletion vectors hide */
  readonly numDeletedRecords: number
  /** files by how many of their rows are deleted: none, 1 to 9, 10 to 99, … */
  readonly deletedRecordCounts: readonly number[]
  /** the files themselves, where they are few */
  readonly files?: readonly AddFile[]
}

export class FileTally {
  private numFiles = 0
  private sizeInBytes = 0
  private readonly fileCounts = SIZE_BINS.map(() => 0)
  private readonly totalBytes = SIZE_BINS.map(() => 0)
  private numDeletionVectors = 0
  private numDeletedRecords = 0
  private readonly deletedRecordCounts = DELETED_BINS.map(() => 0)

  add(file: AddFile): void {
    this.count(file, 1)
  }

  remove(file: AddFile): void {
    this.count(file, -1)
  }

  /** As it stands; later counting does not change it. */
  read(): FileSummary {
    const { numFiles, sizeInBytes, numDeletionVectors, numDeletedRecords } = this
    return {
      numFiles,
      sizeInBytes,
      sizes: { fileCounts: [...this.fileCounts], totalBytes: [...this.totalBytes] },
      numDeletionVectors,
      numDeletedRecords,
      deletedRecordCounts: [...this.deletedRecordCounts],
    }
  }

  private count({ size, deletionVector }: AddFile, by: 1 | -1): void {
    this.numFiles += by
    this.sizeInBytes += by * size
    const bin = binOf(SIZE_BINS, size)
    this.fileCounts[bin]! += by
    this.totalBytes[bin]! += by * size
    const deleted = deletionVector?.cardinality ?? 0
    if (deletionVector !== undefined) this.numDeletionVectors += by
    this.numDeletedRecords += by * deleted
    this.deletedRecordCounts[binOf(DELETED_BINS, deleted)]! += by
  }
}

function binOf(bins: readonly number[], value: number): number {
  let low = 0
  let high = bins.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (bins[middle]! <= value) low = middle
    else high = middle - 1
  }
  return low
}
