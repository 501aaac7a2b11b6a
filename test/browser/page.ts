/** What the page of the browser test does: the package as a page uses it, called from outside. */
import {
  type DeltaTable,
  deltaTables,
  directoryStore,
  fileListStore,
  httpStore,
  jsEngine,
  localBackend,
  type ObjectStore,
} from '../../src/browser.ts'
import { type ContractSubject, objectStoreContract } from '../../src/storage/contract/index.ts'
import { memoryStore } from '../../src/storage/index.ts'

export interface Reading {
  /** as text, longs as digits */
  readonly rows: readonly string[]
  readonly version: number
  /** calls to the store, by method */
  readonly calls: Readonly<Record<string, number>>
  readonly bytes: number
  readonly ms: number
}

/** The rows of a table that pass a predicate, and what it took to read them. */
async function read(plain: ObjectStore, options: { where?: string; version?: number } = {}): Promise<Reading> {
  const calls: Record<string, number> = {}
  let bytes = 0
  const counted = (method: string, got: Uint8Array) => {
    calls[method] = (calls[method] ?? 0) + 1
    bytes += got.length
    return got
  }
  const store: ObjectStore = {
    ...plain,
    get: async (...call) => counted('get', await plain.get(...call)),
    getRange: async (...call) => counted('getRange', await plain.getRange(...call)),
  }
  const start = performance.now()
  const backend = localBackend({ openStore: async () => store, engine: jsEngine() })
  const table: DeltaTable = await deltaTables(() => backend).forPath('table')
  const scan = table.scan({ ...options, as: 'exact' })
  const { version } = await scan.open()
  const rows: string[] = []
  for await (const row of scan) {
    rows.push(JSON.stringify(row, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value)))
  }
  return { rows: rows.sort(), version, calls, bytes, ms: performance.now() - start }
}

/** The contract of stores over the page's private file system, which is a folder of the same API. */
async function contract(): Promise<string[]> {
  const faults: string[] = []
  const root = await navigator.storage.getDirectory()
  let count = 0
  const make = async (): Promise<ContractSubject> => {
    const name = `case-${count++}`
    const folder = await root.getDirectoryHandle(name, { create: true })
    const writer = { ...memoryStore(), put: (key: string, bytes: Uint8Array) => writeFile(folder, key, bytes) }
    return { store: directoryStore(folder), writer, close: () => root.removeEntry(name, { recursive: true }) }
  }
  for (const { name, run } of objectStoreContract({ capabilities: { write: false, list: true }, make })) {
    await run().catch((error: unknown) => faults.push(`${name}: ${String(error)}`))
  }
  return faults
}

async function writeFile(root: FileSystemDirectoryHandle, key: string, bytes: Uint8Array): Promise<void> {
  const segments = key.split('/')
  let folder = root
  for (const name of segments.slice(0, -1)) folder = await folder.getDirectoryHandle(name, { create: true })
  const file = await folder.getFileHandle(segments.at(-1)!, { create: true })
  const writing = await file.createWritable()
  await writing.write(bytes.slice().buffer)
  await writing.close()
}

/** A table fetched file by file into the private file system, as a folder to be picked. */
async function keep(name: string, url: string, keys: readonly string[]): Promise<FileSystemDirectoryHandle> {
  const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle(name, { create: true })
  const from = httpStore(url)
  for (const key of keys) await writeFile(folder, key, await from.get(key))
  return folder
}

const input = document.querySelector('input')!

Object.assign(window, {
  contract,
  readHttp: (url: string, options: object) => read(httpStore(url), options),
  readPicked: (options: object) => read(fileListStore(input.files!), options),
  readDirectory: async (url: string, keys: readonly string[], options: object) =>
    read(directoryStore(await keep(new URL(url).pathname.replaceAll('/', '-'), url, keys)), options),
})
