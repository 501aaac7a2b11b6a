import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { AddFile, TableLayout } from '../../../kernel/index.ts'
import { field, longType, stringType, structType } from '../../../schema/index.ts'
import { type MeasuredStore, measured, memoryStore } from '../../../storage/index.ts'
import { DuckDatabase } from '../instance.ts'
import { BLOCK_BYTES, BlockCache } from './block-cache.ts'
import { scan } from './scan.ts'

let root: string
let directory: string
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'bayou-cache-'))
})
beforeEach(() => {
  directory = mkdtempSync(join(root, 'cache-'))
})
afterAll(() => rmSync(root, { recursive: true }))

const file = { location: 's3://bucket/table', key: 'a.parquet', size: 10_000_000, modifiedMs: 1 }
const block = (value: number) => new Uint8Array(BLOCK_BYTES).fill(value)
const stored = () => readdirSync(directory).map((name) => join(directory, name))

describe('a cache of blocks', () => {
  test('gives what was put, also to another process, and nothing of another file, size or time', async () => {
    await new BlockCache({ directory }).put(file, 3, block(7))
    const other = new BlockCache({ directory })
    expect(await other.get(file, 3)).toEqual(block(7))
    expect(await other.get(file, 4)).toBeUndefined()
    for (const change of [{ key: 'b' }, { size: 1 }, { modifiedMs: 2 }, { location: 's3://other/table' }]) {
      expect(await other.get({ ...file, ...change }, 3)).toBeUndefined()
    }
  })

  test('keeps to its bound: what was unused longest goes first', async () => {
    const cache = new BlockCache({ directory, maxBytes: 4.5 * BLOCK_BYTES })
    for (let i = 0; i < 4; i++) {
      await cache.put(file, i, block(i))
      await new Promise((resolve) => setTimeout(resolve, 3))
    }
    expect(await cache.get(file, 0)).toEqual(block(0))
    await cache.put(file, 4, block(4))
    const kept = await Promise.all([0, 1, 2, 3, 4].map(async (i) => (await cache.get(file, i)) !== undefined))
    expect(kept).toEqual([true, false, true, true, true])
    expect(stored().reduce((sum, path) => sum + statSync(path).size, 0)).toBeLessThan(4.5 * BLOCK_BYTES)
  })

  test('gives no block that a crash left broken, and cannot be read by others', async () => {
    const cache = new BlockCache({ directory })
    await cache.put(file, 0, block(7))
    const [path] = stored()
    expect(statSync(path!).mode & 0o077).toBe(0)
    const bytes = readFileSync(path!)
    writeFileSync(path!, bytes.fill(0, 1_000, 2_000))
    expect(await cache.get(file, 0)).toBeUndefined()
    writeFileSync(path!, '')
    expect(await cache.get(file, 0)).toBeUndefined()
  })

  test('that cannot be written is as if it were not there', async () => {
    const cache = new BlockCache({ directory: join(root, 'a-file', 'below') })
    writeFileSync(join(root, 'a-file'), '')
    await cache.put(file, 0, block(7))
    expect(await cache.get(file, 0)).toBeUndefined()
  })
})

describe('a scan over a cache', () => {
  const layout: TableLayout = {
    schema: structType([field('id', longType), field('text', stringType)]),
    partitionColumns: [],
    columnMapping: 'none',
  }
  const ROWS = 40_000
  let remote: MeasuredStore
  let add: AddFile

  beforeAll(async () => {
    const database = new DuckDatabase({ threads: 2 })
    const path = join(root, 'f.parquet')
    await database.withSession((session) =>
      session.run(`COPY (SELECT i AS id, sha256(i::VARCHAR) AS text FROM range(${ROWS}) t(i))
        TO '${path}' (FORMAT parquet, ROW_GROUP_SIZE 4096)`),
    )
    await database.close()
    add = {
      path: 'f.parquet',
      partitionValues: new Map(),
      size: statSync(path).size,
      modificationTime: 5,
      dataChange: true,
    }
    const objects = memoryStore()
    await objects.put('f.parquet', readFileSync(path))
    remote = measured(objects)
  })

  async function requests(columns: readonly number[]): Promise<number> {
    const database = new DuckDatabase({ threads: 2, cache: { directory } })
    remote.reset()
    let next = 0
    try {
      for await (const batch of scan(database, { store: remote, layout, files: [add], columns })) {
        if (columns[0] === 0) for (const id of batch.column(0)) expect(id).toBe(BigInt(next++))
      }
      if (columns[0] === 0) expect(next).toBe(ROWS)
    } finally {
      await database.close()
    }
    return remote.measures().getRange.calls
  }

  test('asks for nothing twice, and of other columns only for what is not there', async () => {
    expect(await requests([0])).toBeGreaterThan(0)
    expect(await requests([0])).toBe(0)
    await requests([1])
    expect(await requests([0, 1])).toBe(0)
    for (const path of stored()) writeFileSync(path, readFileSync(path).fill(1, 40))
    expect(await requests([0])).toBeGreaterThan(0)
  })
})
