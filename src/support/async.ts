/** Small tools for asynchronous work: bounded parallelism, cancellation, delays. */
import { deltaError } from '../errors/index.ts'

/**
 * Maps items with at most `limit` calls under way; results keep the order of the items.
 *
 * The first failure rejects; calls under way are awaited before it does, so that nothing goes on behind the caller.
 */
export async function mapParallel<T, R>(
  items: readonly T[],
  limit: number,
  work: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results = new Array<R>(items.length)
  let next = 0
  let failed = false
  const lane = async () => {
    while (next < items.length && !failed) {
      const index = next++
      try {
        results[index] = await work(items[index]!, index)
      } catch (error) {
        failed = true
        throw error
      }
    }
  }
  const lanes = await Promise.allSettled(Array.from({ length: Math.min(limit, items.length) }, lane))
  for (const outcome of lanes) if (outcome.status === 'rejected') throw outcome.reason
  return results
}

/** @throws DeltaError `LAKE_CANCELLED` once the signal is aborted */
export function throwIfAborted(signal: AbortSignal | undefined, what: string): void {
  if (signal?.aborted) throw deltaError('LAKE_CANCELLED', { what }, { cause: signal.reason })
}

/** Waits; resolves early, without an error, when the signal is aborted. */
export function delay(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve()
    const done = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal?.addEventListener('abort', done, { once: true })
  })
}

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const result: T[] = []
  for await (const item of items) result.push(item)
  return result
}
