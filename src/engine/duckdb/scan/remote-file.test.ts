import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sharedPath } from '../../../../test/support/shared.ts'
import { bindExpression, parseExpression } from '../../../expressions/index.ts'
import type { AddFile, TableLayout } from '../../../kernel/index.ts'
import { inferSchema, memoryFile, openParquet } from '../../../parquet/index.ts'
import { arrayType, doubleType, field, longType, type Row, stringType, structType } from '../../../schema/index.ts'
import { localStore } from '../../../storage/fs/index.ts'
import { type MeasuredStore, measured, memoryStore } from '../../../storage/index.ts'
import type { ScanPlan } from '../../index.ts'
import { DuckDatabase } from '../instance.ts'
import { count, scan } from './scan.ts'

const ROWS = 60_000
const GROUP_ROWS = 6_000
const layout: TableLayout = {
  schema: structType([
    field('id', longType),
    field('n', longType),
    field('x', doubleType),
    field('text', stringType),
    field('s', structType([field('a', longType), field('b', arrayType(stringType))])),
    field('wide', stringType),
  ]),
  partitionColumns: [],
  columnMapping: 'none',
}

let root: string
let database: DuckDatabase
let remote: MeasuredStore
let file: AddFile

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'bayou-remote-'))
  database = new DuckDatabase({ threads: 2, memoryLimit: '500MB' })
  // what is not fetched holds garbage in place of zeros
  database.fetching = { fillHoles }
  const path = join(root, 'f.parquet')
  await database.withSession((session) =>
    session.run(`COPY (SELECT i AS id, CASE WHEN i % 7 = 0 THEN NULL ELSE (i * 7919) % 1000 END AS n, sin(i) AS x,
      'k' || (i % 50) AS text, {a: i // 3, b: ['v' || i, NULL]} AS s, sha256(i::VARCHAR) AS wide
      FROM range(${ROWS}) t(i)) TO '${path}' (FORMAT parquet, ROW_GROUP_SIZE ${GROUP_ROWS})`),
  )
  const size = statSync(path).size
  file = { path: 'f.parquet', partitionValues: new Map(), size, modificationTime: 0, dataChange: true }
  const objects = memoryStore()
  await objects.put('f.parquet', readFileSync(path))
  remote = measured(objects)
}, 120_000)
afterAll(async () => {
  await database.close()
  rmSync(root, { recursive: true })
})

const fillHoles = async (handle: FileHandle, size: number) =>
  void (await handle.write(new Uint8Array(size).fill(0xa5), 0, size, 0))

const plan = (columns: readonly number[], where?: string, rest: Partial<ScanPlan> = {}): ScanPlan => ({
  store: remote,
  layout,
  files: [file],
  columns,
  ...(where !== undefined && { filter: bindExpression(parseExpression(where), layout.schema) }),
  ...rest,
})

async function rowsOf(plan: ScanPlan, by = database): Promise<Row[]> {
  const rows: Row[] = []
  for await (const batch of scan(by, plan)) {
    const columns = batch.schema.fields.map((_, i) => batch.column(i))
    for (let i = 0; i < batch.numRows; i++) rows.push(columns.map((column) => column[i]!))
  }
  return rows
}

/** The rows, which are those of the same plan over the local file, and what was fetched for them. */
async function fetched(asked: ScanPlan) {
  remote.reset()
  const rows = await rowsOf(asked)
  expect(rows).toEqual(await rowsOf({ ...asked, store: localStore(root) }))
  const { calls, bytes } = remote.measures().getRange
  return { rows: rows.length, calls, share: bytes / file.size }
}

describe('of a file behind a network', () => {
  test('the columns of a query are fetched, and few requests are made', async () => {
    const { rows, calls, share } = await fetched(plan([1]))
    expect(rows).toBe(ROWS)
    expect(calls).toBeLessThanOrEqual(12)
    expect(share).toBeLessThan(0.3)
  })

  test('the row groups that can hold a row are fetched, and no other stands in what DuckDB reads', async () => {
    const { rows, calls, share } = await fetched(plan([0, 3, 5], 'id >= 24500 AND id < 24510'))
    expect(rows).toBe(10)
    expect(calls).toBeLessThanOrEqual(3)
    expect(share).toBeLessThan(0.2)
  })

  test('a filter that no row group can meet fetches the footer alone', async () => {
    const { rows, calls } = await fetched(plan([0, 5], 'id > 1000000'))
    expect([rows, calls]).toEqual([0, 1])
  })

  test('more than half of a file comes whole, the footer once', async () => {
    const { share } = await fetched(plan([0, 1, 2, 3, 4, 5]))
    expect(share).toBeLessThan(1.2)
  })

  test('rows are counted by the footer alone', async () => {
    remote.reset()
    expect(await count(database, plan([]))).toBe(ROWS)
    const { calls, bytes } = remote.measures().getRange
    expect(calls).toBe(1)
    expect(bytes).toBeLessThan(70_000)
  })

  test('deleted rows are counted from the beginning of the file', async () => {
    // rows 3, 4, 7, 11, 18 and 29
    const deletionVector = {
      storageType: 'i',
      pathOrInlineDv: 'wi5b=000010000siXQKl0rr91000f55c8Xg0@@D72lkbi5=-{L',
      sizeInBytes: 40,
      cardinality: 6,
    } as const
    const files = [{ ...file, deletionVector }]
    expect((await fetched(plan([0], 'id < 10', { files }))).rows).toBe(7)
    const { rows, share } = await fetched(plan([0], 'id >= 6000 AND id < 6010', { files }))
    expect(rows).toBe(10)
    expect(share).toBeLessThan(0.5)
  })

  test('no path of a log leads from there to a file of this machine', async () => {
    const files = [{ ...file, path: join(root, 'f.parquet') }]
    await expect(rowsOf(plan([0], undefined, { files }))).rejects.toMatchObject({ code: 'FAILED_READ_FILE.NO_HINT' })
    expect(await rowsOf(plan([0], 'id < 3', { files, store: localStore(root) }))).toHaveLength(3)
  })

  test('whatever columns and filter, no garbage of a hole reaches a result', async () => {
    const filters = [
      'id < 100',
      'id = 6000',
      'id IN (1, 30000)',
      'id = 1 OR n = 500',
      'n > 990',
      'n IS NULL',
      "text = 'k7'",
      "text LIKE 'k4%'",
      'x > 0.99',
      's.a = 40',
      'NOT (id > 5)',
      'id BETWEEN 17999 AND 18001',
      'id % 1000 = 1',
    ]
    const ordinals = fc.uniqueArray(fc.nat(5), { minLength: 0, maxLength: 3 })
    const cases = fc.tuple(ordinals, fc.constantFrom(...filters), fc.constantFrom(...filters, undefined))
    await fc.assert(
      fc.asyncProperty(cases, async ([columns, first, second]) => {
        await fetched(plan(columns, second === undefined ? first : `(${first}) AND (${second})`))
      }),
      { numRuns: 25 },
    )
  }, 120_000)

  test('files of other writers are read column by column as they are when whole', async () => {
    const folder = sharedPath('tables-spark')
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.parquet'))
    const poisoned = new DuckDatabase({ threads: 1 })
    poisoned.fetching = { wholeBytes: 0, wholeShare: 1, fillHoles }
    let compared = 0
    try {
      for (const name of names.filter((name, i) => i % 6 === 0 && !name.includes('_delta_log'))) {
        const bytes = readFileSync(join(folder, name))
        if (bytes.length < 12) continue // one is damaged on purpose
        const { footer } = await openParquet(memoryFile(name, bytes))
        const objects = memoryStore()
        await objects.put('f', bytes)
        const add = { path: 'f', partitionValues: new Map(), size: bytes.length, modificationTime: 0, dataChange: true }
        const read = { layout: { ...layout, schema: inferSchema(footer.root) }, files: [add] }
        for (const ordinal of read.layout.schema.fields.keys()) {
          const asked = { ...read, columns: [ordinal], store: objects }
          expect(await rowsOf(asked, poisoned), name).toEqual(await rowsOf(asked))
          compared++
        }
      }
    } finally {
      await poisoned.close()
    }
    expect(compared).toBeGreaterThan(100)
  }, 120_000)
})
