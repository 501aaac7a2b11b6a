/** Keeps a playground in the browser's own storage until it is reset. */
import type { KeptTable } from './play-table.ts'

const DATABASE = 'bayou'
const STORE = 'playground'

export async function keep(id: string, table: KeptTable): Promise<void> {
  await withStore('readwrite', (store) => store.put(table, id))
}

/** @returns undefined where nothing was kept, or what was kept is of no use */
export async function recall(id: string): Promise<KeptTable | undefined> {
  const found = await withStore('readonly', (store) => store.get(id))
  return isKept(found) ? found : undefined
}

export async function forget(id: string): Promise<void> {
  await withStore('readwrite', (store) => store.delete(id))
}

function isKept(value: unknown): value is KeptTable {
  return typeof value === 'object' && value !== null && 'objects' in value && Array.isArray(value.objects)
}

async function withStore(mode: IDBTransactionMode, work: (store: IDBObjectStore) => IDBRequest): Promise<unknown> {
  const database = await settled(opening())
  try {
    return await settled(work(database.transaction(STORE, mode).objectStore(STORE)))
  } finally {
    database.close()
  }
}

function opening(): IDBOpenDBRequest {
  const request = indexedDB.open(DATABASE, 1)
  request.onupgradeneeded = () => request.result.createObjectStore(STORE)
  return request
}

function settled<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error ?? new Error('the browser keeps nothing'))
  })
}
