/** Several scans, one after the other, as if they were one. */
import type { Batch, ScanPlan } from '../../engine/index.ts'
import type { OperationContext } from '../context.ts'

/** @param limit rows of all scans together */
export async function* readScans(
  { engine, options }: OperationContext,
  plans: AsyncIterable<ScanPlan>,
  limit?: number,
): AsyncGenerator<Batch> {
  const { onProgress, ...rest } = options
  let left = limit
  let done = { rows: 0, bytes: 0, files: 0 }
  if (left === 0) return
  for await (const plan of plans) {
    const before = done
    const report = (step: typeof done) => {
      done = { rows: before.rows + step.rows, bytes: before.bytes + step.bytes, files: before.files + step.files }
      onProgress?.(done)
    }
    const limited = left === undefined ? plan : { ...plan, limit: left }
    for await (const batch of engine.scan(limited, { ...rest, onProgress: report })) {
      if (left !== undefined) left -= batch.numRows
      yield batch
    }
    if (left === 0) return
  }
}
