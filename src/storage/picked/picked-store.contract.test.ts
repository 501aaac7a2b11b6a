import { describe, expect, it } from 'vitest'
import { collect, encodeUtf8 } from '../../support/index.ts'
import { type ContractSubject, objectStoreContract } from '../contract/index.ts'
import { memoryStore, type ObjectStore } from '../index.ts'
import { directoryStore, fileListStore } from './index.ts'

const capabilities = { write: false, list: true }

/** A folder of the File System Access API over a store, with the names of its faults. */
function folderOver(store: ObjectStore, key = ''): FileSystemDirectoryHandle {
  const fault = (name: string) => new DOMException(name, name)
  const keysBelow = async (prefix: string) => (await collect(store.list({ prefix }))).flat().map((meta) => meta.key)
  const file = async (path: string): Promise<File> => {
    const [meta, bytes] = [await store.head(path), await store.get(path)]
    return new File([bytes.slice().buffer], path.slice(path.lastIndexOf('/') + 1), { lastModified: meta.modifiedMs })
  }
  const find = async (name: string, isFolder: boolean) => {
    if (name === '.' || name === '..') throw new TypeError('not allowed')
    const isFile = (await keysBelow(key + name)).includes(key + name)
    const isThere = isFile || (await keysBelow(`${key}${name}/`)).length > 0
    if (!isThere) throw fault('NotFoundError')
    if (isFile === isFolder) throw fault('TypeMismatchError')
  }
  const folder = {
    kind: 'directory',
    name: 'root',
    getDirectoryHandle: async (name: string) => {
      await find(name, true)
      return folderOver(store, `${key}${name}/`)
    },
    getFileHandle: async (name: string) => {
      await find(name, false)
      return { kind: 'file', getFile: () => file(key + name) }
    },
    async *entries() {
      const names = (await keysBelow(key)).map((path) => path.slice(key.length).split('/'))
      const kinds = new Map(names.map(([name, ...rest]) => [name, rest.length > 0 ? 'directory' : 'file']))
      // in an order of its own
      for (const [name, kind] of [...kinds].reverse()) yield [name, { kind }]
    },
  }
  return folder as unknown as FileSystemDirectoryHandle
}

describe('contract of the store over a picked folder', () => {
  const make = async (): Promise<ContractSubject> => {
    const writer = memoryStore()
    return { store: directoryStore(folderOver(writer)), writer }
  }
  for (const { name, run } of objectStoreContract({ capabilities, make })) it(name, run)

  it('a permission taken back is said to be so', async () => {
    const handle = { name: 'x', getFileHandle: () => Promise.reject(new DOMException('no', 'NotAllowedError')) }
    const store = directoryStore(handle as unknown as FileSystemDirectoryHandle)
    await expect(store.get('a')).rejects.toMatchObject({ code: 'LAKE_STORAGE_ACCESS_DENIED' })
  })
})

/** Files as an input gives them: picked again for each look, for a list does not change. */
function filesOf(objects: ReadonlyMap<string, Uint8Array>): File[] {
  return [...objects].map(([key, bytes]) => {
    const file = new File([bytes.slice().buffer], key.slice(key.lastIndexOf('/') + 1), { lastModified: 1000 })
    Object.defineProperty(file, 'webkitRelativePath', { value: `orders/${key}` })
    return file
  })
}

describe('contract of the store over a list of picked files', () => {
  const make = async (): Promise<ContractSubject> => {
    const objects = new Map<string, Uint8Array>()
    const writer = { ...memoryStore(), put: async (key: string, bytes: Uint8Array) => void objects.set(key, bytes) }
    const now = () => fileListStore(filesOf(objects))
    const store: ObjectStore = {
      ...now(),
      get: (...call) => now().get(...call),
      getRange: (...call) => now().getRange(...call),
      head: (...call) => now().head(...call),
      list: (...call) => now().list(...call),
    }
    return { store, writer }
  }
  for (const { name, run } of objectStoreContract({ capabilities, make })) it(name, run)

  it('is called as the folder that was picked', () => {
    expect(fileListStore(filesOf(new Map([['_delta_log/0.json', encodeUtf8('{}')]]))).location).toBe('orders')
  })
})
