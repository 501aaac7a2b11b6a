/** What OPTIMIZE and REORG did, under the reference's names: for the statement's row, and for the commit. */
import type { WrittenFile } from '../../engine/index.ts'
import type { AddFile } from '../../kernel/index.ts'

export interface FileSizeMetrics {
  /** bytes; null where there is no file */
  readonly min: number | null
  readonly max: number | null
  readonly avg: number
  readonly totalFiles: number
  readonly totalSize: number
}

/** Files and their bytes. */
export interface FilesSum {
  readonly num: number
  readonly size: number
}

export interface ZOrderStats {
  readonly strategyName: string
  readonly inputCubeFiles: FilesSum
  readonly inputOtherFiles: FilesSum
  readonly inputNumCubes: number
  readonly mergedFiles: FilesSum
  readonly numOutputCubes: number
  readonly mergedNumCubes: number | null
}

export interface ClusteringFilesSum {
  readonly numFiles: number
  readonly size: number
}

export interface ClusteringStats {
  readonly inputZCubeFiles: ClusteringFilesSum
  readonly inputOtherFiles: ClusteringFilesSum
  readonly inputNumZCubes: number
  readonly mergedFiles: ClusteringFilesSum
  readonly numOutputZCubes: number
}

export interface DeletionVectorStats {
  readonly numDeletionVectorsRemoved: number
  readonly numDeletionVectorRowsRemoved: number
}

/** The struct `metrics` of the row that OPTIMIZE gives, in the reference's order. */
export interface OptimizeMetrics {
  readonly numFilesAdded: number
  readonly numFilesRemoved: number
  readonly filesAdded: FileSizeMetrics
  readonly filesRemoved: FileSizeMetrics
  readonly partitionsOptimized: number
  readonly zOrderStats: ZOrderStats | null
  readonly clusteringStats: ClusteringStats | null
  readonly numBins: number
  readonly numBatches: number
  readonly totalConsideredFiles: number
  readonly totalFilesSkipped: number
  readonly preserveInsertionOrder: boolean
  readonly numFilesSkippedToReduceWriteAmplification: number
  readonly numBytesSkippedToReduceWriteAmplification: number
  /** milliseconds since 1970 */
  readonly startTimeMs: number
  /** milliseconds since 1970 */
  readonly endTimeMs: number
  readonly totalClusterParallelism: number
  readonly totalScheduledTasks: number
  readonly autoCompactParallelismStats: null
  readonly deletionVectorStats: DeletionVectorStats | null
  readonly numTableColumns: number
  readonly numTableColumnsWithStats: number
}

export function fileSizeMetrics(files: readonly { readonly size: number }[]): FileSizeMetrics {
  const totalSize = bytesOf(files)
  const totalFiles = files.length
  if (totalFiles === 0) return { min: null, max: null, avg: 0, totalFiles, totalSize }
  const sizes = sorted(files)
  return { min: sizes[0]!, max: sizes.at(-1)!, avg: totalSize / totalFiles, totalFiles, totalSize }
}

/** `operationMetrics` of one commit. */
export function commitMetrics(
  added: readonly WrittenFile[],
  removed: readonly AddFile[],
): Readonly<Record<string, number>> {
  const sizes = sorted(added)
  const at = (part: number) => sizes[Math.floor(sizes.length * part)] ?? 0
  return {
    numRemovedFiles: removed.length,
    numRemovedBytes: bytesOf(removed),
    p25FileSize: at(0.25),
    numDeletionVectorsRemoved: withVectors(removed).length,
    minFileSize: sizes[0] ?? 0,
    p75FileSize: at(0.75),
    p50FileSize: at(0.5),
    numAddedBytes: bytesOf(added),
    numAddedFiles: added.length,
    maxFileSize: sizes.at(-1) ?? 0,
  }
}

/** null where no file had a vector */
export function deletionVectorStats(removed: readonly AddFile[]): DeletionVectorStats | null {
  const marked = withVectors(removed)
  if (marked.length === 0) return null
  return {
    numDeletionVectorsRemoved: marked.length,
    numDeletionVectorRowsRemoved: marked.reduce((sum, { deletionVector }) => sum + deletionVector!.cardinality, 0),
  }
}

function withVectors(files: readonly AddFile[]): readonly AddFile[] {
  return files.filter(({ deletionVector }) => deletionVector !== undefined)
}

export function bytesOf(files: readonly { readonly size: number }[]): number {
  return files.reduce((sum, { size }) => sum + size, 0)
}

function sorted(files: readonly { readonly size: number }[]): readonly number[] {
  return files.map(({ size }) => size).sort((a, b) => a - b)
}
