/** Answers of queries as files. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { encodePath } from '../../../kernel/index.ts'
import {
  decimalType,
  field,
  longType,
  rowToJson,
  type StructType,
  stringType,
  structType,
  voidType,
} from '../../../schema/index.ts'
import { localStore } from '../../../storage/fs/index.ts'
import { memoryStore } from '../../../storage/index.ts'
import { rowsOf, type WritePlan, type WriteResult } from '../../index.ts'
import { duckdbEngine } from '../engine.ts'

const engine = duckdbEngine({ threads: 2, memoryLimit: '500MB' })
const roots: string[] = []
let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'write-query-'))
  roots.push(root)
})
afterAll(async () => {
  await engine.close()
  for (const path of roots) rmSync(path, { recursive: true })
})

function planOf(
  schema: StructType,
  rest: Partial<WritePlan> = {},
  partitionColumns: readonly string[] = [],
): WritePlan {
  return {
    store: localStore(root),
    layout: { schema, partitionColumns, columnMapping: 'none' },
    compression: 'zstd',
    targetFileSize: 128 * 1024 * 1024,
    statistics: { kind: 'first', limit: 32, stringPrefixLength: 32 },
    ...rest,
  }
}

async function writeQuery(sql: string, plan?: WritePlan): Promise<{ result: WriteResult; plan: WritePlan }> {
  const schema = await engine.describeQuery!(sql, [])
  const used = plan ?? planOf(schema)
  return { result: await engine.write({ kind: 'query', sql, views: [], schema }, used), plan: used }
}

async function readBack({ files }: WriteResult, { store, layout }: WritePlan): Promise<string[]> {
  const adds = files.map((file) => ({ ...file, path: encodePath(file.key), dataChange: true }))
  const columns = layout.schema.fields.map((_, i) => i)
  const lines: string[] = []
  for await (const batch of engine.scan({ store, layout, files: adds, columns })) {
    for (const row of rowsOf(batch)) lines.push(rowToJson(row, layout.schema))
  }
  return lines
}

/** The first column of a file. */
async function idsOf({ key, ...file }: WriteResult['files'][number], { store, layout }: WritePlan): Promise<number[]> {
  const files = [{ ...file, path: encodePath(key), dataChange: true }]
  const ids: number[] = []
  for await (const batch of engine.scan({ store, layout, files, columns: [0] }))
    ids.push(...batch.column(0).map(Number))
  return ids
}

test('values keep their kinds: long integers, long decimals, zeros with signs, nulls and empty texts', async () => {
  const { result, plan } = await writeQuery(`SELECT * FROM (VALUES
    (9007199254740993, 12345678901234567890.123456789::DECIMAL(38,9), -0.0::DOUBLE, '', [1, NULL], {'a': 'x'}),
    (NULL, NULL, 'NaN'::DOUBLE, NULL, NULL, NULL), (0, 0, 0.0::DOUBLE, 'é', [], {'a': NULL})
  ) t(l, d, f, s, a, st)`)
  expect(plan.layout.schema.fields.map(({ name, type }) => [name, type.kind])).toEqual([
    ['l', 'long'],
    ['d', 'decimal'],
    ['f', 'double'],
    ['s', 'string'],
    ['a', 'array'],
    ['st', 'struct'],
  ])
  expect(await readBack(result, plan)).toEqual([
    '{"l":9007199254740993,"d":12345678901234567890.123456789,"f":-0.0,"s":"","a":[1,null],"st":{"a":"x"}}',
    '{"l":null,"d":null,"f":"NaN","s":null,"a":null,"st":null}',
    '{"l":0,"d":0.000000000,"f":0,"s":"é","a":[],"st":{"a":null}}',
  ])
})

test('more rows than a file should hold go into several, in order', async () => {
  const sql = 'SELECT i, md5(i::VARCHAR) AS t, 1.5::DOUBLE AS x FROM range(30_000) r(i)'
  const plan = planOf(await engine.describeQuery!(sql, []), { targetFileSize: 200_000, compression: 'uncompressed' })
  const { result } = await writeQuery(sql, plan)
  expect(result.numRows).toBe(30_000)
  expect(result.files.length).toBeGreaterThan(2)
  for (const { size } of result.files) expect(size).toBeLessThan(800_000)
  const ids = (await readBack(result, plan)).map((line) => JSON.parse(line).i as number)
  expect(ids.every((id, i) => id === i)).toBe(true)
})

test('rows that go straight into files keep their order, beside what lies there; each file has its own statistics', async () => {
  writeFileSync(join(root, 'kept.parquet'), 'x')
  const sql = "SELECT i, repeat('x', 300) || i AS t FROM range(400_000) r(i)"
  const size = 32 * 1024 * 1024
  const plan = planOf(await engine.describeQuery!(sql, []), {
    targetFileSize: size,
    compression: 'uncompressed',
    filePrefix: 'new-',
  })
  const { result } = await writeQuery(sql, plan)
  expect(result.numRows).toBe(400_000)
  expect(result.files.length).toBeGreaterThan(2)
  const names = result.files.map(({ key }) => key)
  expect(readdirSync(root).sort()).toEqual([...names, 'kept.parquet'].sort())
  let next = 0
  for (const file of result.files) {
    expect(file.key).toMatch(/^new-[0-9a-f]{32}-\d+\.parquet$/)
    const ids = await idsOf(file, plan)
    const bounds = { minValues: { i: ids[0] }, maxValues: { i: ids.at(-1) } }
    expect(JSON.parse(file.stats!)).toMatchObject({ numRecords: ids.length, ...bounds })
    expect(ids.every((id, i) => id === next + i)).toBe(true)
    next += ids.length
  }
})

test('a store without folders gets the files of a query', async () => {
  const store = memoryStore({ location: 'memory:/t' })
  const sql = 'SELECT i FROM range(1000) r(i)'
  const plan = planOf(await engine.describeQuery!(sql, []), { store })
  const { result } = await writeQuery(sql, plan)
  expect((await readBack(result, plan)).length).toBe(1000)
})

test('a query that gives other rows each time runs once: statistics are those of the rows written', async () => {
  const { result, plan } = await writeQuery(
    "SELECT CASE WHEN random() < 0.5 THEN '-0.0'::DOUBLE ELSE random() END AS x FROM range(1000)",
  )
  const values = (await readBack(result, plan)).map((line) => /"x":(.*)}/.exec(line)![1]!)
  const numbers = values.map(Number)
  const { minValues, maxValues } = JSON.parse(result.files[0]!.stats!)
  expect([minValues.x, maxValues.x].map(Number)).toEqual([Math.min(...numbers), Math.max(...numbers)])
  expect(values.filter((text) => text === '-0.0').length).toBeGreaterThan(0)
})

test('columns are cast to those of the table, one of the type void is null; each partition has its file', async () => {
  const schema = structType([field('p', stringType), field('n', decimalType(10, 0)), field('t', stringType)])
  const sql = "SELECT NULL AS t, i::INTEGER AS n, 'p' || i % 2 AS p FROM range(4) r(i)"
  const given = structType([field('t', voidType), ...(await engine.describeQuery!(sql, [])).fields.slice(1)])
  const plan = planOf(schema, {}, ['p'])
  const result = await engine.write({ kind: 'query', sql, views: [], schema: given }, plan)
  expect(result.files.map(({ partitionValues }) => partitionValues.get('p'))).toEqual(['p0', 'p1'])
  expect((await readBack(result, plan)).sort()).toEqual([
    '{"p":"p0","n":0,"t":null}',
    '{"p":"p0","n":2,"t":null}',
    '{"p":"p1","n":1,"t":null}',
    '{"p":"p1","n":3,"t":null}',
  ])
})

test('many partitions, nulls and both zeros among them, get the rows that are theirs', async () => {
  const sql = `SELECT CASE WHEN i % 12 = 0 THEN NULL WHEN i % 12 = 1 THEN '-0.0'::DOUBLE ELSE i % 12 - 2 END AS p, i, 'x' || i AS t
    FROM range(6000) r(i)`
  const plan = planOf(await engine.describeQuery!(sql, []), {}, ['p'])
  const { result } = await writeQuery(sql, plan)
  expect(result.files.length).toBe(12)
  for (const file of result.files) {
    const rows = (await readBack({ ...result, files: [file] }, plan)).map((line) => JSON.parse(line))
    const kinds = new Set(rows.map(({ i, t }) => (t === `x${i}` ? i % 12 : t)))
    expect([rows.length, kinds.size]).toEqual([500, 1])
  }
})

test('no rows give no file', async () => {
  const { result } = await writeQuery('SELECT 1 AS a WHERE false')
  expect(result).toEqual({ files: [], numRows: 0, numFiltered: 0, numRejected: 0 })
})

test('a query that fails on the way leaves no file, and the next is not in its way', async () => {
  const failing = "SELECT CASE WHEN i < 200_000 THEN i ELSE error('stop') END::BIGINT AS a FROM range(300_000) r(i)"
  await expect(writeQuery(failing)).rejects.toMatchObject({ code: 'LAKE_QUERY_FAILED' })
  const notNull = planOf(structType([field('a', longType, false)]))
  const nulls = 'SELECT CASE WHEN i < 9 THEN i END AS a FROM range(10) r(i)'
  await expect(writeQuery(nulls, notNull)).rejects.toMatchObject({ code: 'DELTA_NOT_NULL_CONSTRAINT_VIOLATED' })
  expect(readdirSync(root)).toEqual([])
  expect((await writeQuery('SELECT 1 AS a')).result.numRows).toBe(1)
})
