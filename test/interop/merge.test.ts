/** MERGE on tables of every kind: Spark and delta-rs read what ours left, Spark merges on top, and we read that. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { closeTables, DeltaTable } from '../../src/index.ts'
import { oracleMissing, readByDeltaRs, runOnSpark, type SparkAnswer } from './oracle.ts'

interface MergedTable {
  readonly name: string
  readonly properties: Readonly<Record<string, string>>
  readonly partitionBy?: readonly string[]
  /** why delta-rs does not read it */
  readonly notDeltaRs?: string
}

const VECTORS = { 'delta.enableDeletionVectors': 'true' }
const FEED = { 'delta.enableChangeDataFeed': 'true' }

const TABLES: readonly MergedTable[] = [
  { name: 'plain', properties: {} },
  { name: 'partitioned', properties: {}, partitionBy: ['p'] },
  { name: 'vectors', properties: VECTORS },
  { name: 'feed', properties: FEED },
  { name: 'feed-vectors', properties: { ...FEED, ...VECTORS }, partitionBy: ['p'] },
  {
    name: 'mapped-tracked',
    properties: { ...VECTORS, 'delta.columnMapping.mode': 'name', 'delta.enableRowTracking': 'true' },
    notDeltaRs: 'delta-rs does not read mapped columns',
  },
]

/** Of two change feeds the rows of one version, without the time. */
const CHANGES = (path: string, version: number) =>
  `SELECT to_json(struct(id, p, v, st, _change_type)) AS row FROM table_changes_by_path('${path}', ${version}, ${version})`

const missing = oracleMissing()
const answers = new Map<string, { rows: SparkAnswer; changes: SparkAnswer; merge: SparkAnswer; after: SparkAnswer }>()
const own = new Map<string, { rows: string[]; changes: string[] }>()
let deltaRs: ReturnType<typeof readByDeltaRs>
let folder: string
const pathOf = (name: string) => join(folder, name)

async function mergeOurs({ name, properties, partitionBy = [] }: MergedTable): Promise<void> {
  const table = await DeltaTable.create()
    .location(pathOf(name))
    .addColumns('id INT, p STRING, v INT, st STRUCT<a: INT, b: STRING>')
    .partitionedBy(...partitionBy)
    .properties(properties)
    .execute()
  const row = (id: number | null) => ({ id, p: `p${(id ?? 0) % 2} /%`, v: id, st: id === 3 ? null : { a: id, b: 'x' } })
  await table.append([1, 2, 3].map(row))
  await table.append([4, 5, null].map(row))
  const source = [1, 2, 3, 7, 8, null].map((id) => ({ id, p: 'moved', v: (id ?? 0) * 10, k: id }))
  const { version } = await table
    .as('t')
    .merge(source, 't.id = s.id', { sourceAlias: 's' })
    .whenMatchedDelete('s.k = 1')
    .whenMatchedUpdate({ condition: 's.k = 3', set: { v: 't.v + s.v', 'st.a': 's.k' } })
    .whenMatchedUpdate({ set: { p: 's.p', v: 's.v' } })
    .whenNotMatchedInsert({ condition: 's.k > 7', values: { id: 's.id', p: "'new'" } })
    .whenNotMatchedInsert({ values: { id: 's.id', v: 's.v' } })
    .whenNotMatchedBySourceDelete('t.id = 4')
    .whenNotMatchedBySourceUpdate({ condition: 't.id = 5', set: { v: '-1' } })
    .execute()
  const changes = properties['delta.enableChangeDataFeed'] ? await changesOf(table, version!) : []
  own.set(name, { rows: await rowsOf(table), changes })
}

async function rowsOf(table: DeltaTable): Promise<string[]> {
  return (await table.rows({ as: 'js' })).map(jsonOf).sort()
}

async function changesOf(table: DeltaTable, version: number): Promise<string[]> {
  const select = ['id', 'p', 'v', 'st', '_change_type']
  return (await table.changes({ from: version, to: version, select, as: 'js' }).rows()).map(jsonOf).sort()
}

/** As `to_json` writes it: members that are null are left out. */
function jsonOf(row: unknown): string {
  return JSON.stringify(row, (_, value: unknown) => (value === null ? undefined : value))
}

function textsOf({ rows = [], ...rest }: SparkAnswer): string[] {
  expect(rest.error, JSON.stringify(rest.error)).toBeUndefined()
  return rows.map(({ row }) => String(row)).sort()
}

beforeAll(async () => {
  if (missing !== undefined) return
  folder = mkdtempSync(join(tmpdir(), 'bayou-merge-'))
  for (const table of TABLES) await mergeOurs(table)
  deltaRs = readByDeltaRs(TABLES.map(({ name }) => pathOf(name)))
  const statements = TABLES.flatMap(({ name, properties }) => {
    const t = `delta.\`${pathOf(name)}\``
    const all = `SELECT to_json(struct(*)) AS row FROM ${t}`
    return [
      all,
      properties['delta.enableChangeDataFeed'] ? CHANGES(pathOf(name), 3) : "SELECT '' AS row WHERE false",
      `MERGE INTO ${t} t USING (SELECT 2 AS id UNION ALL SELECT 9) s ON t.id = s.id
        WHEN MATCHED THEN UPDATE SET v = 1000 WHEN NOT MATCHED THEN INSERT (id, p) VALUES (s.id, 'spark')`,
      all,
    ]
  })
  const given = runOnSpark(statements)
  for (const [i, { name }] of TABLES.entries()) {
    const [rows, changes, merge, after] = given.slice(i * 4, i * 4 + 4) as [
      SparkAnswer,
      SparkAnswer,
      SparkAnswer,
      SparkAnswer,
    ]
    answers.set(name, { rows, changes, merge, after })
  }
}, 600_000)
afterAll(async () => {
  await closeTables()
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
})

describe.each(TABLES.map((table) => [table.name, table] as const))('a merged table: %s', (name, { notDeltaRs }) => {
  test('Spark reads the rows and the changes that we do', (context) => {
    if (missing !== undefined) return context.skip(missing)
    const { rows, changes } = answers.get(name)!
    expect(textsOf(rows)).toEqual(own.get(name)!.rows)
    expect(textsOf(changes)).toEqual(own.get(name)!.changes)
  })

  test('delta-rs reads the rows that we do', (context) => {
    const reason = missing ?? notDeltaRs
    if (reason !== undefined) return context.skip(reason)
    const found = deltaRs.get(pathOf(name))
    expect(found?.rows?.map(jsonOf).sort(), JSON.stringify(found).slice(0, 300)).toEqual(own.get(name)!.rows)
  })

  test('we read what Spark merged into it', async (context) => {
    if (missing !== undefined) return context.skip(missing)
    const { merge, after } = answers.get(name)!
    expect(merge.error, JSON.stringify(merge.error)).toBeUndefined()
    expect(await rowsOf(await DeltaTable.forPath(pathOf(name)))).toEqual(textsOf(after))
  })
})
