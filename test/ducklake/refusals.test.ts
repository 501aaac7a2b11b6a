/** What bad catalogs get: a refusal by name, and nothing changed. */
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { Lake } from '../../src/ducklake/index.ts'
import { DuckDatabase } from '../../src/engine/duckdb/index.ts'
import { lakePath, makeRoot, openStore } from './lakes.ts'

const roots: ReturnType<typeof makeRoot>[] = []
afterEach(() => {
  for (const root of roots.splice(0)) root.remove()
})

function copyOf(name: string): string {
  const root = makeRoot()
  roots.push(root)
  cpSync(lakePath(name), root.path, { recursive: true })
  return root.path
}

/** The catalog changed by SQL. */
async function edited(name: string, ...statements: string[]): Promise<string> {
  const folder = copyOf(name)
  const database = new DuckDatabase()
  await database.withSession(async (session) => {
    await session.run(`ATTACH '${join(folder, 'catalog.duckdb')}' AS c`)
    await session.run('USE c')
    for (const sql of statements) await session.run(sql)
    await session.run('USE memory')
    await session.run('DETACH c')
  })
  await database.close()
  return folder
}

async function open(folder: string, catalog = 'catalog.duckdb', confined = false) {
  return await Lake.open({ catalog: join(folder, catalog), openStore, confined })
}

async function read(folder: string, name = 'main.t', confined = false): Promise<number> {
  const lake = await open(folder, 'catalog.duckdb', confined)
  try {
    const snapshot = await lake.snapshot()
    const { batches } = await lake.scan(snapshot, await snapshot.table(name)).open()
    let rows = 0
    for await (const batch of batches()) rows += batch.numRows
    return rows
  } finally {
    await lake.close()
  }
}

it('a catalog that is not there', async () => {
  const folder = copyOf('plain')
  await expect(open(folder, 'other.duckdb')).rejects.toMatchObject({ code: 'DUCKLAKE_CATALOG_NOT_FOUND' })
})

it.each([
  ['text', (path: string) => writeFileSync(path, 'this is no catalog')],
  ['a header alone', (path: string) => truncateSync(path, 4096)],
  ['a file cut short', (path: string) => truncateSync(path, 100_000)],
])('%s is corrupt', async (_, spoil) => {
  const folder = copyOf('plain')
  spoil(join(folder, 'catalog.duckdb'))
  await expect(open(folder)).rejects.toMatchObject({ code: 'DUCKLAKE_CATALOG_CORRUPT' })
})

it('a DuckDB file without tables of a lake', async () => {
  const folder = await edited('plain', 'DROP TABLE ducklake_metadata')
  await expect(open(folder)).rejects.toMatchObject({ code: 'DUCKLAKE_CATALOG_CORRUPT' })
})

it('a newer DuckLake format', async () => {
  const folder = await edited('plain', "UPDATE ducklake_metadata SET value = '1.2' WHERE key = 'version'")
  await expect(open(folder)).rejects.toMatchObject({
    code: 'DUCKLAKE_FORMAT_UNSUPPORTED',
    message: expect.stringContaining('format 1.2; this version reads the formats 0.1 to 1.1'),
  })
})

it('storage of a newer DuckDB', async () => {
  const folder = copyOf('plain')
  const path = join(folder, 'catalog.duckdb')
  const bytes = readFileSync(path)
  bytes.writeBigUInt64LE(999n, 12)
  for (const at of [4096, 8192]) bytes.writeBigUInt64LE(69n, at + 56)
  writeFileSync(path, bytes)
  await expect(open(folder)).rejects.toMatchObject({
    code: 'DUCKLAKE_STORAGE_UNSUPPORTED',
    message: expect.stringContaining('needs DuckDB v2.0.0; the DuckDB in this version opens files up to v1.5.0'),
  })
})

it('encrypted files: tables are listed, rows refused', async () => {
  const folder = await edited('plain', "UPDATE ducklake_metadata SET value = 'true' WHERE key = 'encrypted'")
  const lake = await open(folder)
  expect((await (await lake.snapshot()).tables()).map(({ name }) => name)).toEqual(['main.t'])
  await lake.close()
  await expect(read(folder)).rejects.toMatchObject({ code: 'DUCKLAKE_ENCRYPTED' })
})

it('a missing data file, by its name', async () => {
  const folder = copyOf('plain')
  const [file] = readdirSync(join(folder, 'data/main/t'))
  rmSync(join(folder, 'data/main/t', file!))
  await expect(read(folder)).rejects.toMatchObject({
    code: 'DUCKLAKE_FILE_MISSING',
    message: expect.stringContaining(file!),
  })
})

it('a data file that is no Parquet, by its name', async () => {
  const folder = copyOf('plain')
  const [file] = readdirSync(join(folder, 'data/main/t'))
  writeFileSync(join(folder, 'data/main/t', file!), 'not Parquet at all, but long enough')
  await expect(read(folder)).rejects.toMatchObject({
    code: 'DUCKLAKE_FILE_CORRUPT',
    message: expect.stringContaining(file!),
  })
})

it.each(['../../../outside.parquet', '..', 'a/../../../x.parquet'])('the relative path %s', async (path) => {
  const folder = await edited('plain', `UPDATE ducklake_data_file SET path = '${path}'`)
  await expect(read(folder)).rejects.toMatchObject({ code: 'DUCKLAKE_PATH_ESCAPES' })
})

it('confined: absolute paths and links that lead out', async () => {
  const outside = copyOf('plain')
  const [file] = readdirSync(join(outside, 'data/main/t'))
  const absolute = join(outside, 'data/main/t', file!)
  const folder = await edited('plain', `UPDATE ducklake_data_file SET path = '${absolute}', path_is_relative = false`)
  await expect(read(folder, 'main.t', true)).rejects.toMatchObject({ code: 'DUCKLAKE_PATH_ESCAPES' })
  const linked = copyOf('plain')
  const own = join(linked, 'data/main/t', file!)
  copyFileSync(own, absolute)
  rmSync(own)
  mkdirSync(join(linked, 'data/main/t'), { recursive: true })
  symlinkSync(absolute, own)
  await expect(read(linked, 'main.t', true)).rejects.toMatchObject({ code: 'DUCKLAKE_PATH_ESCAPES' })
})

it('a name mapping that is not there', async () => {
  const folder = await edited('plain', 'UPDATE ducklake_data_file SET mapping_id = 77')
  await expect(read(folder)).rejects.toMatchObject({ code: 'DUCKLAKE_MAPPING_NOT_FOUND' })
})

it('a type nobody knows: its column only', async () => {
  const folder = await edited('plain', "UPDATE ducklake_column SET column_type = 'hologram' WHERE column_id = 2")
  await expect(read(folder)).rejects.toMatchObject({ code: 'DUCKLAKE_TYPE_UNSUPPORTED' })
})

it('tables, snapshots and times that are not there', async () => {
  const lake = await open(copyOf('plain'))
  const snapshot = await lake.snapshot()
  await expect(snapshot.table('main.nothing')).rejects.toMatchObject({
    code: 'DUCKLAKE_TABLE_NOT_FOUND',
    message: expect.stringContaining('its tables are: main.t'),
  })
  await expect(lake.snapshot({ version: 99 })).rejects.toMatchObject({ code: 'DUCKLAKE_SNAPSHOT_NOT_FOUND' })
  await expect(lake.snapshot({ timestamp: '1970-01-02' })).rejects.toMatchObject({
    code: 'DUCKLAKE_NO_SNAPSHOT_AT_TIME',
  })
  await expect(lake.snapshot({ timestamp: 'yesterday-ish' })).rejects.toMatchObject({ code: 'LAKE_USAGE' })
  await lake.close()
})
