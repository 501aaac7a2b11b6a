/**
 * Every error of the project, by code.
 *
 * A code is Delta's (`DELTA_…`) or Spark's where one exists, else begins with `LAKE_`, `WORKER_` or `DUCKLAKE_`. The
 * page `docs/errors.md` is generated from here, and a test compares the two.
 */
import { alterErrors } from './alter.ts'
import { deltaErrors } from './delta.ts'
import { dropFeatureErrors } from './drop-feature.ts'
import { ducklakeErrors } from './ducklake.ts'
import { engineErrors } from './engine.ts'
import { expressionErrors } from './expression.ts'
import { intervalErrors } from './interval.ts'
import { lakeErrors } from './lake.ts'
import { layoutErrors } from './layout.ts'
import { mergeErrors } from './merge.ts'
import type { ErrorSpec } from './spec.ts'
import { sqlErrors } from './sql.ts'
import { storageErrors } from './storage.ts'
import { tableErrors } from './table.ts'
import { upkeepErrors } from './upkeep.ts'
import { workerErrors } from './worker.ts'

export type { ErrorSpec } from './spec.ts'

export const catalogue = {
  ...lakeErrors,
  ...mergeErrors,
  ...storageErrors,
  ...deltaErrors,
  ...dropFeatureErrors,
  ...alterErrors,
  ...expressionErrors,
  ...intervalErrors,
  ...engineErrors,
  ...sqlErrors,
  ...tableErrors,
  ...upkeepErrors,
  ...layoutErrors,
  ...workerErrors,
  ...ducklakeErrors,
} as const

export type ErrorCode = keyof typeof catalogue

export function specOf(code: ErrorCode): ErrorSpec {
  return catalogue[code]
}
