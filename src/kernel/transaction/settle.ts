/** Whose commit lies at a version: asked of the log itself when the store's answer does not tell. */
import { isDeltaError } from '../../errors/index.ts'
import type { ObjectStore } from '../../storage/index.ts'
import { compareBytes, decodeUtf8, delay, isJsonObject, parseJson } from '../../support/index.ts'

export type Settlement =
  | { readonly kind: 'ours' }
  | { readonly kind: 'theirs' }
  /** nothing lies there */
  | { readonly kind: 'absent' }
  | { readonly kind: 'unknown'; readonly cause: unknown }

export interface SettleRequest {
  readonly store: ObjectStore
  readonly key: string
  /** what was sent */
  readonly bytes: Uint8Array
  readonly txnId: string
  /** the error the call ended with; undefined when the store said that an object is there */
  readonly cause: unknown
  readonly settleMs?: number
  readonly firstDelayMs?: number
  readonly signal?: AbortSignal
}

const MAX_DELAY_MS = 2000

/**
 * Reads the object until it is known to be ours, another's or absent, or until the time is over.
 *
 * An object the store has called present and then does not show is asked for again: stores may lag behind themselves.
 */
export async function settle(request: SettleRequest): Promise<Settlement> {
  const { store, key, settleMs = 60_000, firstDelayMs = 10, signal } = request
  const end = Date.now() + settleMs
  let cause = request.cause
  for (let attempt = 0; ; attempt++) {
    try {
      // a cancelled caller still learns what became of its commit: the first look goes out without its signal
      const bytes = await store.get(key)
      return { kind: isOurs(bytes, request) ? 'ours' : 'theirs' }
    } catch (error) {
      if (isDeltaError(error, 'LAKE_OBJECT_NOT_FOUND') && request.cause !== undefined) return { kind: 'absent' }
      cause = request.cause ?? error
    }
    if (signal?.aborted || Date.now() >= end) return { kind: 'unknown', cause }
    await delay(Math.min(MAX_DELAY_MS, firstDelayMs * 2 ** Math.min(attempt, 10)), signal)
  }
}

function isOurs(found: Uint8Array, { bytes, txnId }: SettleRequest): boolean {
  return compareBytes(found, bytes) === 0 || txnIdsOf(found).includes(txnId)
}

/** The tokens in the commitInfo lines of a commit; a damaged line has none. */
function txnIdsOf(bytes: Uint8Array): readonly unknown[] {
  return decodeUtf8(bytes)
    .split('\n')
    .filter((line) => line.includes('"txnId"'))
    .map(txnIdOf)
}

function txnIdOf(line: string): unknown {
  try {
    const action = parseJson(line)
    return isJsonObject(action) && isJsonObject(action.commitInfo) ? action.commitInfo.txnId : undefined
  } catch {
    return undefined
  }
}
