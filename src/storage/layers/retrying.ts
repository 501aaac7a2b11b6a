/** Calls that a passing fault made fail, made again. */
import { type DeltaError, isDeltaError } from '../../errors/index.ts'
import { delay, throwIfAborted } from '../../support/index.ts'
import type { ObjectMeta, ObjectStore, StoreCallOptions } from '../object-store.ts'
import { withLocalPath } from './with-local-path.ts'

export interface RetryPolicy {
  /** calls in all, the first one included; 5 when absent */
  readonly attempts?: number
  /** the longest wait before the second call, milliseconds; it doubles from call to call; 200 when absent */
  readonly firstDelayMs?: number
  /** no wait is longer; 10,000 when absent */
  readonly maxDelayMs?: number
  /** waits; for tests */
  /** told of each failure that is met by another call */
  readonly onRetry?: (error: DeltaError) => void
  readonly sleep?: (ms: number, signal?: AbortSignal) => Promise<void>
  /** 0 to 1, spreads the waits of many callers; for tests */
  readonly random?: () => number
}

/**
 * The same store, with errors marked retryable met by trying again, each wait drawn between half of its length and all.
 *
 * `putIfAbsent` is passed on as it is: whether a call that failed had its effect is for the caller to find out, and
 * sending it again could answer `'exists'` to the one who created the object. A listing goes on behind the last page
 * that was given.
 */
export function retrying(store: ObjectStore, policy: RetryPolicy = {}): ObjectStore {
  const attempts = policy.attempts ?? 5
  const sleep = policy.sleep ?? delay
  const random = policy.random ?? Math.random
  const wait = async (attempt: number, error: unknown, signal: AbortSignal | undefined): Promise<void> => {
    if (attempt >= attempts || !isDeltaError(error) || !error.retryable) throw error
    policy.onRetry?.(error)
    const longest = Math.min(policy.maxDelayMs ?? 10_000, (policy.firstDelayMs ?? 200) * 2 ** (attempt - 1))
    await sleep(longest * (0.5 + random() / 2), signal)
    throwIfAborted(signal, 'waiting to try again')
  }
  const retry = async <T>(options: StoreCallOptions | undefined, work: () => Promise<T>): Promise<T> => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await work()
      } catch (error) {
        await wait(attempt, error, options?.signal)
      }
    }
  }
  return withLocalPath(store, {
    location: store.location,
    capabilities: store.capabilities,
    get: (key, options) => retry(options, () => store.get(key, options)),
    getRange: (key, range, options) => retry(options, () => store.getRange(key, range, options)),
    head: (key, options) => retry(options, () => store.head(key, options)),
    async *list(options): AsyncGenerator<readonly ObjectMeta[]> {
      let startAfter = options.startAfter
      for (let attempt = 1; ; attempt++) {
        try {
          for await (const page of store.list(startAfter === undefined ? options : { ...options, startAfter })) {
            startAfter = page.at(-1)?.key ?? startAfter
            attempt = 1
            yield page
          }
          return
        } catch (error) {
          await wait(attempt, error, options.signal)
        }
      }
    },
    put: (key, bytes, options) => retry(options, () => store.put(key, bytes, options)),
    putIfAbsent: (key, bytes, options) => store.putIfAbsent(key, bytes, options),
    delete: (key, options) => retry(options, () => store.delete(key, options)),
  })
}
