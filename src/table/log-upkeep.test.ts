import { expect, test } from 'vitest'
import { jsEngine } from '../engine/js/index.ts'
import { type AddFile, loadSnapshot } from '../kernel/index.ts'
import { memoryStore, type ObjectStore } from '../storage/index.ts'
import { collect, decodeUtf8, type JsonObject, parseJson } from '../support/index.ts'
import { deltaTables, localBackend } from './index.ts'

const LOCATION = '/lake/orders'

function openTables(store: ObjectStore, logCompactionInterval?: number) {
  const engine = jsEngine()
  const more = logCompactionInterval === undefined ? {} : { logCompactionInterval }
  const backend = localBackend({ openStore: async () => store, engine, ...more })
  return deltaTables(() => backend)
}

const key = (version: number, suffix: string) => `_delta_log/${String(version).padStart(20, '0')}.${suffix}`

interface FullChecksum {
  readonly fileSizeHistogram: { readonly fileCounts: readonly number[]; readonly totalBytes: readonly number[] }
  readonly allFiles: readonly { readonly path: string }[]
  readonly setTransactions: readonly unknown[]
  readonly domainMetadata: readonly unknown[]
}

async function checksum(store: ObjectStore, version: number): Promise<JsonObject> {
  return parseJson(decodeUtf8(await store.get(key(version, 'crc')))) as JsonObject
}

const rows = Array.from({ length: 12 }, (_, i) => ({ id: i, part: `p${i % 3}`, v: i * 10 }))

/** Versions that add, mark, rewrite, replace and re-describe files. */
async function history(store: ObjectStore) {
  const tables = openTables(store)
  await tables.write(LOCATION, rows, {
    partitionBy: ['part'],
    properties: { 'delta.enableDeletionVectors': 'true', 'delta.enableRowTracking': 'true' },
  })
  const table = await tables.forPath(LOCATION)
  await table.delete('id = 4')
  await table.update({ where: 'id < 3', set: { v: 'v + 1' } })
  await table.delete("part = 'p1'")
  await table.append(rows, { txn: { appId: 'app', version: 3 } })
  await table.delete('id IN (5, 8)')
  return table
}

test('every version has a checksum that says what the version comes to', async () => {
  const store = memoryStore()
  await history(store)
  for (let version = 0; version <= 5; version++) {
    const snapshot = await loadSnapshot(store, jsEngine(), { version })
    expect(snapshot.warnings).toEqual([])
    const files = (await collect(snapshot.files.select())).flat()
    const claimed = await checksum(store, version)
    const sum = (of: (file: AddFile) => number) => files.reduce((total, file) => total + of(file), 0)
    expect(claimed).toMatchObject({
      numFiles: files.length,
      tableSizeBytes: sum(({ size }) => size),
      numDeletionVectorsOpt: sum(({ deletionVector }) => (deletionVector ? 1 : 0)),
      numDeletedRecordsOpt: sum(({ deletionVector }) => deletionVector?.cardinality ?? 0),
      numMetadata: 1,
      numProtocol: 1,
    })
    const { fileSizeHistogram, allFiles, setTransactions, domainMetadata } = claimed as unknown as FullChecksum
    const { fileCounts, totalBytes } = fileSizeHistogram
    expect(fileCounts[0]).toBe(files.length)
    expect(totalBytes[0]).toBe(claimed.tableSizeBytes)
    const paths = (list: readonly { path: string }[]) => list.map(({ path }) => path).sort()
    expect(paths(allFiles)).toEqual(paths(files))
    expect(setTransactions).toHaveLength(version < 4 ? 0 : 1)
    expect(domainMetadata).toHaveLength(1)
  }
})

test('of a table of many files the checksum lists none', async () => {
  const store = memoryStore()
  const tables = openTables(store)
  const many = Array.from({ length: 60 }, (_, i) => ({ id: i, part: i }))
  await tables.write(LOCATION, many, { partitionBy: ['part'] })
  const claimed = await checksum(store, 0)
  expect(claimed.numFiles).toBe(60)
  expect(Object.keys(claimed)).not.toContain('allFiles')
})

test('a compacted file stands for the commits it spans, also when they are gone', async () => {
  const store = memoryStore()
  const table = await history(store)
  const before = await table.rows()
  expect(await table.compactLog({ from: 1, to: 4 })).toEqual({ from: 1, to: 4 })
  const text = decodeUtf8(await store.get(key(1, `${String(4).padStart(20, '0')}.compacted.json`)))
  expect(text).not.toContain('commitInfo')
  expect(text.match(/"appId"/g)).toHaveLength(1)
  expect(text.match(/"remove"/g)?.length).toBeGreaterThan(2)
  for (const version of [1, 2, 3, 4]) await store.delete(key(version, 'json'))
  const again = await openTables(store).forPath(LOCATION)
  expect(await again.rows()).toEqual(before)
  expect(await again.version()).toBe(5)
})

test('compacted files are written at the interval asked for, and on demand from the last checkpoint on', async () => {
  const store = memoryStore()
  const table = openTables(store, 4)
  await table.write(LOCATION, rows, {})
  for (let i = 0; i < 7; i++) await table.write(LOCATION, rows, { mode: 'append' })
  const compacted = (await collect(store.list({ prefix: '_delta_log/' }))).flat().filter((o) => /compacted/.test(o.key))
  expect(compacted.map((object) => object.key.slice(11).replaceAll(/0{3,}/g, ''))).toEqual([
    '.3.compacted.json',
    '4.7.compacted.json',
  ])
  const handle = await table.forPath(LOCATION)
  expect(await handle.compactLog()).toEqual({ from: 0, to: 7 })
  await handle.checkpoint()
  await expect(handle.compactLog({ from: 3, to: 3 })).rejects.toMatchObject({ code: 'LAKE_INVALID_OPTION' })
})
