/**
 * Whether a store refuses a second conditional write, which a log stands on; asked before anything is read.
 *
 * Some stores take the header and pass over it: two writers there overwrite each other's commits without a word.
 */
import { deltaError, isDeltaError } from '../../../errors/index.ts'
import type { ObjectStore } from '../../../storage/index.ts'

const ATTEMPTS = 4

/** @throws DeltaError `WORKER_STORE_UNCONDITIONAL`, `LAKE_STORAGE_…` */
export async function probeStore(store: ObjectStore): Promise<void> {
  // the file system of this host has been tried by its own tests
  if (store.localPath !== undefined) return
  for (let attempt = 1; ; attempt++) {
    const key = `_bayou_probe_${crypto.randomUUID()}`
    try {
      await store.putIfAbsent(key, new Uint8Array([0x31]))
      const second = await store.putIfAbsent(key, new Uint8Array([0x32]))
      if (second === 'exists') return
      throw deltaError('WORKER_STORE_UNCONDITIONAL', { location: store.location })
    } catch (error) {
      // an answer that was lost says nothing; another key does
      if (attempt >= ATTEMPTS || !isDeltaError(error) || !error.retryable) throw error
    } finally {
      await store.delete(key).catch(() => undefined)
    }
  }
}
