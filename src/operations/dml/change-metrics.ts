/** The metrics of DELETE and UPDATE, under the reference's names. */
import type { WrittenFile } from '../../engine/index.ts'
import type { AddFile } from '../../kernel/index.ts'

export interface ChangeMetrics {
  readonly numRemovedFiles: number
  readonly numRemovedBytes: number
  readonly numAddedFiles: number
  readonly numAddedBytes: number
  readonly numAddedChangeFiles: number
  readonly numCopiedRows: number
  readonly numDeletionVectorsAdded: number
  readonly numDeletionVectorsRemoved: number
  readonly numDeletionVectorsUpdated: number
  readonly executionTimeMs: number
  readonly scanTimeMs: number
  readonly rewriteTimeMs: number
  readonly numDeletedRows?: number
  readonly numUpdatedRows?: number
}

/** Of a change that touched nothing. */
export const NO_CHANGE: ChangeMetrics = {
  numRemovedFiles: 0,
  numRemovedBytes: 0,
  numAddedFiles: 0,
  numAddedBytes: 0,
  numAddedChangeFiles: 0,
  numCopiedRows: 0,
  numDeletionVectorsAdded: 0,
  numDeletionVectorsRemoved: 0,
  numDeletionVectorsUpdated: 0,
  executionTimeMs: 0,
  scanTimeMs: 0,
  rewriteTimeMs: 0,
}

export function bytesOf(files: readonly (AddFile | WrittenFile)[]): number {
  return files.reduce((sum, { size }) => sum + size, 0)
}

/** Times of the steps of an operation, in the words of the metrics. */
export class StepTimes {
  private readonly startMs = Date.now()
  private scannedMs = this.startMs

  /** Ends the search for rows: what follows is rewriting. */
  scanned(): void {
    this.scannedMs = Date.now()
  }

  read(): Pick<ChangeMetrics, 'executionTimeMs' | 'scanTimeMs' | 'rewriteTimeMs'> {
    const now = Date.now()
    return {
      executionTimeMs: now - this.startMs,
      scanTimeMs: this.scannedMs - this.startMs,
      rewriteTimeMs: now - this.scannedMs,
    }
  }
}
