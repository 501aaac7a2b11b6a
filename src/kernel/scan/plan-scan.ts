/** Which files a query must open. */
import type { BoundExpression } from '../../expressions/index.ts'
import type { AddFile } from '../actions/actions.ts'
import type { Snapshot } from '../snapshot/snapshot.ts'
import { fileMayMatch } from './file-may-match.ts'
import { skippingRule } from './rule-of-predicate.ts'

export interface PlanScanOptions {
  readonly signal?: AbortSignal
}

/**
 * The live files that may hold a row for which the predicate is TRUE, in pages; without a predicate all of them.
 *
 * @param predicate bound to the snapshot's schema
 */
export async function* scanPages(
  snapshot: Snapshot,
  predicate?: BoundExpression,
  options: PlanScanOptions = {},
): AsyncGenerator<readonly AddFile[]> {
  const rule = predicate && skippingRule(predicate, snapshot.layout)
  for await (const page of snapshot.files.select(rule, options)) {
    const kept = rule === undefined ? page : page.filter((file) => fileMayMatch(rule, file))
    if (kept.length > 0) yield kept
  }
}

/** The same files in one list, for whoever needs them all. */
export async function planScan(
  snapshot: Snapshot,
  predicate?: BoundExpression,
  options: PlanScanOptions = {},
): Promise<AddFile[]> {
  const files: AddFile[] = []
  for await (const page of scanPages(snapshot, predicate, options)) for (const file of page) files.push(file)
  return files
}
