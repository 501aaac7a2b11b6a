/** What a MERGE says it did. */
import type { JoinedRows } from '../../../engine/index.ts'
import type { MergeResult } from '../../command.ts'
import type { BoundClause } from './bind-clauses.ts'
import { type MergeMetrics, rowCounts } from './merge-metrics.ts'
import type { MergedFiles } from './write-merged.ts'

/** Times of the steps, in the words of the metrics. */
export class MergeTimes {
  private readonly startMs = Date.now()
  private stagedMs = this.startMs
  private scannedMs = this.startMs

  /** The source is taken in. */
  staged(): void {
    this.stagedMs = Date.now()
  }

  /** Every row's clause is known; what follows is rewriting. */
  scanned(): void {
    this.scannedMs = Date.now()
  }

  read(): Pick<MergeMetrics, 'executionTimeMs' | 'materializeSourceTimeMs' | 'scanTimeMs' | 'rewriteTimeMs'> {
    const now = Date.now()
    return {
      executionTimeMs: now - this.startMs,
      materializeSourceTimeMs: this.stagedMs - this.startMs,
      scanTimeMs: this.scannedMs - this.stagedMs,
      rewriteTimeMs: now - this.scannedMs,
    }
  }
}

export interface MergeFindings {
  readonly clauses: readonly BoundClause[]
  readonly joined: Pick<JoinedRows, 'counts'>
  readonly numSourceRows: number
  readonly times: MergeTimes
}

const NOTHING: MergedFiles['metrics'] = {
  numOutputRows: 0,
  numTargetBytesAdded: 0,
  numTargetBytesRemoved: 0,
  numTargetChangeFilesAdded: 0,
  numTargetDeletionVectorsAdded: 0,
  numTargetDeletionVectorsRemoved: 0,
  numTargetDeletionVectorsUpdated: 0,
  numTargetFilesAdded: 0,
  numTargetFilesRemoved: 0,
}

/** @param written undefined where nothing was to be changed */
export function resultOf(
  { clauses, joined, numSourceRows, times }: MergeFindings,
  written: MergedFiles | undefined,
  version: number | null,
): MergeResult {
  const counts = rowCounts(clauses, joined.counts)
  const files = written?.metrics ?? NOTHING
  const { numTargetRowsUpdated, numTargetRowsDeleted, numTargetRowsInserted } = counts
  const metrics: MergeMetrics = {
    numSourceRows,
    ...counts,
    ...files,
    numTargetRowsCopied: Math.max(0, files.numOutputRows - numTargetRowsUpdated - numTargetRowsInserted),
    ...times.read(),
  }
  return {
    version,
    numAffectedRows: numTargetRowsUpdated + numTargetRowsDeleted + numTargetRowsInserted,
    numUpdatedRows: numTargetRowsUpdated,
    numDeletedRows: numTargetRowsDeleted,
    numInsertedRows: numTargetRowsInserted,
    metrics,
  }
}
