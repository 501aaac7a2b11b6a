/** Files of several layouts with one schema, read one after the other as if they were one scan. */
import type { Batch } from '../../engine/index.ts'
import type { BoundExpression } from '../../expressions/index.ts'
import { fileMayMatch, type ScanFile, skippingRule, type TableLayout } from '../../kernel/index.ts'
import type { OperationContext } from '../context.ts'

export interface LaidOutFiles {
  readonly layout: TableLayout
  readonly files: readonly ScanFile[]
}

export interface RowWish {
  readonly context: OperationContext
  readonly columns: readonly number[]
  readonly filter: BoundExpression | undefined
  /** rows of all scans together */
  readonly limit?: number | undefined
}

export async function* readScans(
  scans: AsyncIterable<LaidOutFiles> | Iterable<LaidOutFiles>,
  { context: { engine, store, options }, columns, filter, limit }: RowWish,
): AsyncGenerator<Batch> {
  const { onProgress, ...rest } = options
  let left = limit
  let done = { rows: 0, bytes: 0, files: 0 }
  if (left === 0) return
  for await (const { layout, files } of scans) {
    const before = done
    const report = (step: typeof done) => {
      done = { rows: before.rows + step.rows, bytes: before.bytes + step.bytes, files: before.files + step.files }
      onProgress?.(done)
    }
    const kept = filesThatMayMatch(files, layout, filter)
    const plan = { store, layout, files: kept, columns, ...(filter && { filter }) }
    const limited = left === undefined ? plan : { ...plan, limit: left }
    for await (const batch of engine.scan(limited, { ...rest, onProgress: report })) {
      if (left !== undefined) left -= batch.numRows
      yield batch
    }
    if (left === 0) return
  }
}

function filesThatMayMatch(
  files: readonly ScanFile[],
  layout: TableLayout,
  filter: BoundExpression | undefined,
): readonly ScanFile[] {
  if (filter === undefined) return files
  const rule = skippingRule(filter, layout)
  return files.filter((file) => fileMayMatch(rule, file))
}
