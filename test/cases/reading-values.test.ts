/** What happened to users of such systems when rows were read: small inputs, the right rows, in both engines. */
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { duckdbEngine } from '../../src/engine/duckdb/index.ts'
import { jsEngine } from '../../src/engine/js/index.ts'
import { isDeltaError } from '../../src/errors/index.ts'
import { inferSchema, memoryFile, openParquet } from '../../src/parquet/index.ts'
import {
  arrayType,
  field,
  longType,
  printSchema,
  type StructType,
  stringType,
  structType,
} from '../../src/schema/index.ts'
import { localStore } from '../../src/storage/fs/index.ts'
import { type MeasuredStore, measured } from '../../src/storage/index.ts'
import { type DeltaTables, deltaTables, localBackend } from '../../src/table/index.ts'
import { sharedMissing, sharedPath } from '../support/shared.ts'

const engines = [jsEngine(), duckdbEngine()]
const below = mkdtempSync(join(tmpdir(), 'bayou-values-'))
afterAll(async () => {
  for (const engine of engines) await engine.close()
  rmSync(below, { recursive: true })
})

const missing = sharedMissing('bug-files')
const onShared = missing === undefined ? it : (name: string, _: unknown) => it.skip(`${name}: ${missing}`, () => {})

const RS = 'delta-rs/crates/test/tests/data'
const GOLDEN = 'delta/connectors/golden-tables/src/main/resources/golden'
const KERNEL = 'delta-kernel-rs/kernel/tests/data'

let folders = 0
function freshFolder(): string {
  const folder = join(below, `t${folders++}`)
  mkdirSync(folder)
  return folder
}

function bugFile(...path: string[]): string {
  return sharedPath('bug-files', ...path)
}

function bugFileCopy(...path: string[]): string {
  const folder = freshFolder()
  cpSync(bugFile(...path), folder, { recursive: true })
  return folder
}

/** Writes version 0 of a table over data files that lie in the folder. */
function writeLog(folder: string, schema: StructType, files: readonly { path: string; stats?: string }[]): void {
  const lines = [
    { protocol: { minReaderVersion: 1, minWriterVersion: 2 } },
    {
      metaData: {
        id: 'cases',
        format: { provider: 'parquet', options: {} },
        schemaString: printSchema(schema),
        partitionColumns: [],
        configuration: {},
      },
    },
    ...files.map((file) => ({
      add: { size: 1, modificationTime: 1, dataChange: true, partitionValues: {}, ...file },
    })),
  ]
  mkdirSync(join(folder, '_delta_log'), { recursive: true })
  writeFileSync(logFile(folder, 0), lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
}

function logFile(folder: string, version: number): string {
  return join(folder, '_delta_log', `${String(version).padStart(20, '0')}.json`)
}

function changeLog(folder: string, version: number, change: (text: string) => string): void {
  const file = logFile(folder, version)
  writeFileSync(file, change(readFileSync(file, 'utf8')))
}

async function refusal(promise: Promise<unknown>): Promise<string> {
  return await promise.then(
    () => 'it was answered',
    (error: unknown) => (isDeltaError(error) ? error.code : String(error)),
  )
}

describe.each(engines.map((engine) => [engine.name, engine] as const))('by %s', (_, engine) => {
  const stores = new Map<string, MeasuredStore>()
  const openStore = async (location: string): Promise<MeasuredStore> => {
    const store = stores.get(location) ?? measured(localStore(location))
    stores.set(location, store)
    return store
  }
  const tables: DeltaTables = deltaTables(() => localBackend({ openStore, engine }))
  const open = (folder: string) => tables.forPath(folder)

  onShared('UP-08 paths that are encoded twice, and values that look encoded', async () => {
    const special = await (await open(bugFile(RS, 'delta-0.8.0-special-partition'))).rows()
    expect(special.map((row) => row.x).sort()).toEqual(['A/A', 'B B'])
    const hive = await open(bugFile(GOLDEN, 'hive/deltatbl-special-chars-in-partition-column'))
    expect(await hive.count()).toBe(10)
    for (const { c2 } of await hive.rows()) {
      expect(await hive.count({ where: `c2 = '${String(c2).replaceAll(/['\\]/g, '\\$&')}'` }), String(c2)).toBe(5)
    }
    const escaped = await open(bugFile(GOLDEN, 'data-reader-escaped-chars'))
    expect((await escaped.rows()).map((row) => Object.values(row)[0]).sort()).toEqual(['foo1', 'foo2', 'foo3'])
  })

  onShared('UP-10 a mapped table reads by physical names, its predicates too', async () => {
    const folder = bugFileCopy(RS, 'table_with_column_mapping')
    const before = await (await open(folder)).rows()
    expect(before).toHaveLength(5)
    expect(before.every((row) => Object.values(row).every((value) => typeof value === 'string'))).toBe(true)
    const metadata = readFileSync(logFile(folder, 0), 'utf8')
      .split('\n')
      .find((line) => line.includes('"metaData"'))!
    writeFileSync(logFile(folder, 1), `${metadata.replaceAll('Super Name', 'Any.Name')}\n`)
    const renamed = await open(folder)
    const after = await renamed.rows()
    expect(after.map((row) => row['Any.Name']).sort()).toEqual(before.map((row) => row['Super Name']).sort())
    expect(await renamed.count({ where: "`Any.Name` = 'Anthony Johnson'" })).toBe(1)
    expect(await renamed.count({ where: "`Company Very Short` = 'BMS'" })).toBe(4)
  })

  onShared('UP-21 decimals of every physical form', async () => {
    const PQ = 'hyparquet/test/files'
    for (const name of ['issue115decimal', 'byte_array_decimal', 'fixed_length_decimal', 'decimal-column']) {
      const folder = freshFolder()
      copyFileSync(bugFile(PQ, `${name}.parquet`), join(folder, 'data.parquet'))
      const { footer } = await openParquet(memoryFile(name, readFileSync(bugFile(PQ, `${name}.parquet`))))
      writeLog(folder, inferSchema(footer.root), [{ path: 'data.parquet' }])
      const rows = await (await open(folder)).rows()
      const expected = JSON.parse(readFileSync(bugFile(PQ, `${name}.json`), 'utf8')) as unknown[][]
      expect(
        rows.map((row) => Object.values(row).map(Number)),
        name,
      ).toEqual(expected.map((row) => row.map(Number)))
    }
  })

  it('UP-21 statistics of decimals in any spelling lose no file', async () => {
    const folder = freshFolder()
    const builder = tables.create().location(folder).addColumn('d', 'decimal(38,0)').addColumn('s', 'decimal(10,9)')
    const table = await builder.execute()
    const largest = '9'.repeat(38)
    await table.append([{ d: largest, s: '0.000000001' }])
    changeLog(folder, 1, (text) =>
      text.replaceAll(/\\"s\\":0\.000000001/g, '\\"s\\":1E-9').replaceAll(`\\"d\\":${largest}`, `\\"d\\":${largest}.0`),
    )
    expect(readFileSync(logFile(folder, 1), 'utf8')).toContain('1E-9')
    const again = await open(folder)
    expect(await again.count({ where: `d = ${largest}` })).toBe(1)
    expect(await again.count({ where: 's = 0.000000001' })).toBe(1)
    expect(await again.count({ where: 's < 0.000000001' })).toBe(0)
  })

  onShared('UP-22 the last day there is, stored and in statistics', async () => {
    const table = await open(bugFile(RS, 'table_with_edge_timestamps'))
    expect(await table.count({ where: "BIG_DATE >= timestamp'9999-12-31 00:00:00'" })).toBe(1)
    expect((await table.rows({ select: ['BIG_DATE'] })).map(({ BIG_DATE }) => String(BIG_DATE)).sort()).toEqual([
      expect.stringContaining('9999-12-30'),
      expect.stringContaining('9999-12-31'),
    ])
  })

  it('UP-22 far dates go round exactly, as values, in partitions and in predicates', async () => {
    const folder = freshFolder()
    const days = ['0001-01-01', '1582-10-10', '1899-12-31', '9999-12-31']
    const rows = days.map((d) => ({ d, t: `${d}T23:59:59.999999Z`, n: `${d}T23:59:59.999999`, p: d }))
    const builder = tables.create().location(folder).addColumn('d', 'date').addColumn('t', 'timestamp')
    const table = await builder.addColumn('n', 'timestamp_ntz').addColumn('p', 'date').partitionedBy('p').execute()
    await table.append(rows)
    const read = await table.rows()
    expect(read.sort((a, b) => (String(a.d) < String(b.d) ? -1 : 1))).toEqual(rows)
    for (const day of days) {
      expect(await table.count({ where: `d = date'${day}'` })).toBe(1)
      expect(await table.count({ where: `p = date'${day}'` })).toBe(1)
      expect(await table.count({ where: `t = timestamp'${day} 23:59:59.999999Z'` })).toBe(1)
      expect(await table.count({ where: `n = timestamp_ntz'${day} 23:59:59.999999'` })).toBe(1)
    }
  })

  onShared('UP-23 null and empty partitions are told apart from texts', async () => {
    const table = await open(bugFile(RS, 'delta-0.8.0-null-partition'))
    const nulls = await table.count({ where: 'k IS NULL' })
    expect([nulls, await table.count({ where: 'k IS NOT NULL' })]).toEqual([1, (await table.count()) - 1])
  })

  onShared('UP-35 damaged deletion vectors are four errors and no rows', async () => {
    const vector = 'deletion_vector_61d16c75-6994-46b7-a15b-8b538852e50e.bin'
    const damaged = async (bytes: (file: Buffer) => void, log: (text: string) => string = (text) => text) => {
      const folder = bugFileCopy(RS, 'table-with-dv-small')
      const file = readFileSync(join(folder, vector))
      bytes(file)
      writeFileSync(join(folder, vector), file)
      changeLog(folder, 1, log)
      return await refusal((await open(folder)).rows())
    }
    const none = () => {}
    expect(await damaged(none)).toBe('it was answered')
    const flipped = await damaged((file) => file.writeUInt8(file.readUInt8(file.length - 1) ^ 1, file.length - 1))
    expect(flipped).toBe('DELTA_DELETION_VECTOR_CHECKSUM_MISMATCH')
    expect(await damaged((file) => file.writeUInt32BE(35, 1))).toBe('DELTA_DELETION_VECTOR_SIZE_MISMATCH')
    for (const cardinality of [1, 3]) {
      const changed = (text: string) => text.replace('"cardinality":2', `"cardinality":${cardinality}`)
      expect(await damaged(none, changed)).toBe('DELTA_DELETION_VECTOR_CARDINALITY_MISMATCH')
    }
    // rows 3, 4, 7, 11, 18 and 29 of a file of ten
    const pathOrInlineDv = 'wi5b=000010000siXQKl0rr91000f55c8Xg0@@D72lkbi5=-{L'
    const far = { storageType: 'i', pathOrInlineDv, sizeInBytes: 40, cardinality: 6 }
    const outside = await damaged(none, (text) => {
      return text.replace(/"deletionVector":\{[^}]*\}/, `"deletionVector":${JSON.stringify(far)}`)
    })
    expect(outside).toBe('DELTA_DELETION_VECTOR_INVALID_ROW_INDEX')
  })

  onShared('UP-37 a column of type void reads as null', async () => {
    const rows = await (await open(bugFile(KERNEL, 'void-column'))).rows()
    expect(rows.length).toBeGreaterThan(0)
    expect(rows.every((row) => Object.values(row).includes(null))).toBe(true)
  })

  it('UP-37 a column that a file stores as the type of nulls reads as null, whatever its type', async () => {
    const folder = freshFolder()
    copyFileSync(join(import.meta.dirname, '../fixtures/null-type.parquet'), join(folder, 'f.parquet'))
    const schema = structType([
      field('id', longType),
      field('v', stringType),
      field('s', structType([field('x', arrayType(longType)), field('y', longType)])),
    ])
    writeLog(folder, schema, [{ path: 'f.parquet' }])
    const table = await open(folder)
    expect(await table.rows()).toEqual([
      { id: 1n, v: null, s: { x: null, y: null } },
      { id: null, v: null, s: null },
    ])
    expect(await table.count({ where: 'v IS NULL AND s.x IS NULL' })).toBe(2)
  })

  it('UP-39 NaN and the infinities in statistics, quoted and bare, hide no row', async () => {
    const folder = freshFolder()
    const table = await tables.create().location(folder).addColumn('x', 'double').execute()
    const values = [1.5, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -0]
    await table.append(values.map((x) => ({ x })))
    const plain = readFileSync(logFile(folder, 1), 'utf8')
    expect(plain).not.toMatch(/(?<!")(NaN|Infinity)/)
    const spellings = [
      ['\\"NaN\\"', '\\"-Infinity\\"'],
      ['NaN', '-Infinity'],
    ] as const
    for (const [max, min] of spellings) {
      const bounds = `\\"minValues\\":{\\"x\\":${min}},\\"maxValues\\":{\\"x\\":${max}},`
      writeFileSync(
        logFile(folder, 1),
        plain.replaceAll(/\\"m(in|ax)Values\\":\{[^}]*\},?/g, '').replace('\\"nullCount', `${bounds}\\"nullCount`),
      )
      expect(readFileSync(logFile(folder, 1), 'utf8')).toContain(max)
      const again = await deltaTables(() => localBackend({ openStore, engine })).forPath(folder)
      // NaN is the greatest value and equal to itself
      expect(await again.count({ where: 'x > 5' })).toBe(2)
      expect(await again.count({ where: "x = double('NaN')" })).toBe(1)
      expect(await again.count({ where: "x = double('-Infinity')" })).toBe(1)
      expect(await again.count({ where: 'x = 0.0' })).toBe(1)
    }
  })

  it('UP-42 three columns of many cost their own bytes', async () => {
    const folder = freshFolder()
    const columns = Array.from({ length: 300 }, (_, i) => `c${i}`)
    let builder = tables.create().location(folder)
    for (const name of columns) builder = builder.addColumn(name, 'string')
    const table = await builder.execute()
    const text = (i: number, name: string) => `${name} of row ${i}: ${'x'.repeat(i % 50)} ${(i * 2654435761) % 1e9}`
    await table.append(Array.from({ length: 1000 }, (_, i) => Object.fromEntries(columns.map((c) => [c, text(i, c)]))))
    const [file] = readdirSync(folder).filter((name) => name.endsWith('.parquet'))
    const size = readFileSync(join(folder, file!)).length
    if (engine.name === 'js') {
      const store = stores.get(folder)!
      const before = store.measures().getRange.bytes + store.measures().get.bytes
      expect(await table.rows({ select: ['c1', 'c100', 'c299'] })).toHaveLength(1000)
      expect(store.measures().getRange.bytes + store.measures().get.bytes - before).toBeLessThan(size / 4)
    }
  })

  onShared('UP-44 one absolute path in three spellings is one file; a root may end in a slash', async () => {
    for (const table of ['normal-a', 'normal-b', 'special-a', 'special-b']) {
      const [version] = await (await open(bugFile(GOLDEN, `canonicalized-paths-${table}`))).history()
      expect(version?.version, table).toBe(1)
    }
    const folder = join(freshFolder(), 'a b%20c')
    await tables.write(folder, [{ a: 1 }])
    const file = readdirSync(folder).find((name) => name.endsWith('.parquet'))!
    const absolute = `${folder}/${file}`.replaceAll('%', '%25').replaceAll(' ', '%20')
    for (const path of [absolute, `file:${absolute}`, `file://${absolute}`, `file:///${absolute}`]) {
      const other = freshFolder()
      cpSync(join(folder, '_delta_log'), join(other, '_delta_log'), { recursive: true })
      changeLog(other, 0, (text) => text.replace(/"path":"[^"]*"/, `"path":"${path}"`))
      expect(await (await open(`${other}/`)).rows(), path).toEqual([{ a: 1n }])
    }
  })
})
