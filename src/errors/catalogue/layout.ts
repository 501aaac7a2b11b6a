/** Errors of operations that lay files out anew: OPTIMIZE, ZORDER BY, REORG. */
import type { ErrorSpec } from './spec.ts'

export const layoutErrors = {
  DELTA_NON_PARTITION_COLUMN_REFERENCE: {
    message: 'the condition names {column}, which is no partition column; the partition columns are {columns}',
    remedy: 'name partition columns only: files are chosen as wholes',
    sqlState: '42P10',
    kind: 'usage',
  },
  DELTA_ZORDERING_ON_PARTITION_COLUMN: {
    message: 'rows cannot be Z-ordered by {column}, which is a partition column and the same in every row of a file',
    remedy: 'leave it out',
    sqlState: '42P10',
    kind: 'usage',
  },
  DELTA_ZORDERING_COLUMN_DOES_NOT_EXIST: {
    message: 'rows cannot be Z-ordered by {column}: the table has no such column; it has {columns}',
    sqlState: '42703',
    kind: 'usage',
  },
  DELTA_ZORDERING_ON_COLUMN_WITHOUT_STATS: {
    message: 'Z-ordering by {columns} would be of no use, because files have no minimum and maximum for them',
    remedy:
      'choose columns with statistics, or give them some by delta.dataSkippingNumIndexedCols or delta.dataSkippingStatsColumns',
    sqlState: 'KD00D',
    kind: 'usage',
  },
  DELTA_CLUSTERING_WITH_ZORDER_BY: {
    message: 'a table that is clustered takes no ZORDER BY ({columns})',
    remedy: 'leave it out: OPTIMIZE sorts the rows by the clustering columns',
    sqlState: '42613',
    kind: 'usage',
  },
  DELTA_CLUSTERING_WITH_PARTITION_PREDICATE: {
    message: 'a table that is clustered has no partitions, so that {predicate} chooses no files',
    remedy: 'leave the condition out',
    sqlState: '0A000',
    kind: 'unsupported',
  },
  DELTA_OPTIMIZE_FULL_NOT_SUPPORTED: {
    message: 'OPTIMIZE FULL sorts clustered rows again, and the table at {path} is not clustered by columns',
    remedy: 'leave FULL out, or give the table clustering columns by ALTER TABLE … CLUSTER BY',
    sqlState: '42601',
    kind: 'usage',
  },
} as const satisfies Record<string, ErrorSpec>
