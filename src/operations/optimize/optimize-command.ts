/** Commands that lay files out anew without changing a row: OPTIMIZE and REORG. */
import type { ExpressionInput, TableRef } from '../command-parts.ts'
import type { OptimizeMetrics } from './optimize-metrics.ts'

/** Sizes that say which files are too small and how large new ones are; the table's own, then the reference's, when absent. */
export interface LayoutSizes {
  /** bytes; files below are packed with others */
  readonly minFileSize?: number
  /** bytes of a new file, about */
  readonly maxFileSize?: number
  /** 0 to 1: files of which a greater part of the rows is deleted are written anew whatever their size */
  readonly maxDeletedRowsRatio?: number
  /** bytes of the files that one commit replaces, about; one commit for everything when absent */
  readonly batchSize?: number
}

/**
 * Small files become larger ones; with `zorderBy`, or in a table clustered by columns, rows are sorted along a curve
 * through these columns as well.
 */
export interface OptimizeCommand extends LayoutSizes {
  readonly kind: 'optimize'
  readonly table: TableRef
  /** over partition columns; absent: all partitions */
  readonly where?: ExpressionInput
  /** paths of columns; absent or empty: rows keep their order */
  readonly zorderBy?: readonly (readonly string[])[]
  /** true, for a table clustered by columns: rows that are clustered already are sorted again */
  readonly full?: boolean
  /** true: says what would be done and does nothing */
  readonly planOnly?: boolean
  readonly userMetadata?: string
}

/** Files that hold what the table has no more, deleted rows and dropped columns, are written anew without it. */
export interface ReorgCommand extends LayoutSizes {
  readonly kind: 'reorg'
  readonly table: TableRef
  /** over partition columns; absent: all partitions */
  readonly where?: ExpressionInput
  /** true: says what would be done and does nothing */
  readonly planOnly?: boolean
  readonly userMetadata?: string
}

/** What is to be written anew. */
export interface LayoutPlan {
  /** files that are replaced, and their bytes */
  readonly numFiles: number
  readonly numBytes: number
  /** groups of files that are each read as one */
  readonly numBins: number
  readonly numPartitions: number
  /** commits */
  readonly numBatches: number
  /** live files that were looked at */
  readonly numConsidered: number
}

export interface OptimizeResult {
  /** the versions made, one a batch; none where nothing was to be done */
  readonly versions: readonly number[]
  readonly plan: LayoutPlan
  /** as the statement's row has them; zeros where nothing was done */
  readonly metrics: OptimizeMetrics
}
