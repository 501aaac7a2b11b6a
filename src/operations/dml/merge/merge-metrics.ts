/** The metrics of a MERGE, under the reference's names. */

export interface MergeMetrics {
  readonly executionTimeMs: number
  readonly materializeSourceTimeMs: number
  /** rows of the data files written: those inserted, updated and copied */
  readonly numOutputRows: number
  readonly numSourceRows: number
  readonly numTargetBytesAdded: number
  readonly numTargetBytesRemoved: number
  readonly numTargetChangeFilesAdded: number
  readonly numTargetDeletionVectorsAdded: number
  readonly numTargetDeletionVectorsRemoved: number
  readonly numTargetDeletionVectorsUpdated: number
  readonly numTargetFilesAdded: number
  readonly numTargetFilesRemoved: number
  readonly numTargetRowsCopied: number
  readonly numTargetRowsDeleted: number
  readonly numTargetRowsInserted: number
  readonly numTargetRowsMatchedDeleted: number
  readonly numTargetRowsMatchedUpdated: number
  readonly numTargetRowsNotMatchedBySourceDeleted: number
  readonly numTargetRowsNotMatchedBySourceUpdated: number
  readonly numTargetRowsUpdated: number
  readonly rewriteTimeMs: number
  readonly scanTimeMs: number
}

/** Those that count rows. */
export type MergeRowCounts = Pick<
  MergeMetrics,
  | 'numTargetRowsDeleted'
  | 'numTargetRowsInserted'
  | 'numTargetRowsMatchedDeleted'
  | 'numTargetRowsMatchedUpdated'
  | 'numTargetRowsNotMatchedBySourceDeleted'
  | 'numTargetRowsNotMatchedBySourceUpdated'
  | 'numTargetRowsUpdated'
>

interface CountedClause {
  readonly id: number
  readonly when: 'matched' | 'notMatched' | 'notMatchedBySource'
  readonly action: 'update' | 'delete' | 'insert'
}

/** @param counts rows by the number of the clause that applied to them */
export function rowCounts(clauses: readonly CountedClause[], counts: ReadonlyMap<number, number>): MergeRowCounts {
  const count = (when: CountedClause['when'], action: CountedClause['action']) =>
    clauses.reduce((sum, { id, ...clause }) => {
      return clause.when === when && clause.action === action ? sum + (counts.get(id) ?? 0) : sum
    }, 0)
  const matchedUpdated = count('matched', 'update')
  const matchedDeleted = count('matched', 'delete')
  const bySourceUpdated = count('notMatchedBySource', 'update')
  const bySourceDeleted = count('notMatchedBySource', 'delete')
  return {
    numTargetRowsInserted: count('notMatched', 'insert'),
    numTargetRowsUpdated: matchedUpdated + bySourceUpdated,
    numTargetRowsMatchedUpdated: matchedUpdated,
    numTargetRowsNotMatchedBySourceUpdated: bySourceUpdated,
    numTargetRowsDeleted: matchedDeleted + bySourceDeleted,
    numTargetRowsMatchedDeleted: matchedDeleted,
    numTargetRowsNotMatchedBySourceDeleted: bySourceDeleted,
  }
}
