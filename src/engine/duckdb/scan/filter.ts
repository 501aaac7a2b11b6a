/**
 * The filter of a scan: in SQL where the expression has an SQL form, else over the values of a batch.
 */
import type { StructType, Value } from '../../../schema/index.ts'
import type { Batch, ScanPlan } from '../../engine.ts'

export interface ScanFilter {
  /** SQL over the columns `c<ordinal>`, where the engine filters */
  readonly sql: string | undefined
  /** whether `apply` must still filter */
  readonly residual: boolean
  /** ordinals that are read, each once */
  readonly inputs: readonly number[]
  /** ordinals that come out of the query, in order */
  readonly outputs: readonly number[]
  /** The rows that pass, with the plan's columns, at most `limit`. */
  apply(batch: Batch, schema: StructType, limit: number | undefined): Batch
}

export function filterOf(plan: ScanPlan): ScanFilter {
  return {
    sql: undefined,
    residual: false,
    inputs: [...new Set(plan.columns)],
    outputs: plan.columns,
    apply: (batch) => batch,
  }
}

export type { Value }
