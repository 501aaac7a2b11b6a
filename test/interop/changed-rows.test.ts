/** Rows deleted, updated and replaced by us: Spark and delta-rs read the same, Spark changes them further, and so do we. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { closeTables, DeltaTable } from '../../src/index.ts'
import { oracleMissing, type ReadBack, readByDeltaRs, runOnSpark, type SparkAnswer } from './oracle.ts'

const VECTORS = { 'delta.enableDeletionVectors': 'true' }
const FEED = { 'delta.enableChangeDataFeed': 'true' }
const MAPPED = { 'delta.columnMapping.mode': 'name' }
const TRACKED = { 'delta.enableRowTracking': 'true' }

const KINDS: readonly { readonly name: string; readonly properties: Readonly<Record<string, string>> }[] = [
  { name: 'copied', properties: FEED },
  { name: 'marked', properties: { ...MAPPED, ...VECTORS, ...FEED } },
  { name: 'tracked', properties: TRACKED },
  { name: 'tracked-and-marked', properties: { ...TRACKED, ...VECTORS } },
]

const missing = oracleMissing()
let folder: string
type SparkAnswers = Record<'before' | 'more' | 'deleted' | 'updated' | 'after', SparkAnswer>
const spark = new Map<string, SparkAnswers>()
let deltaRs: Map<string, ReadBack>
const own = new Map<string, { rows: string[]; feed: string[]; ids: string[] }>()
const pathOf = (name: string) => join(folder, name)

const rowText = ({ id, x, s, p }: Readonly<Record<string, unknown>>): string => {
  const { a, b } = (s ?? {}) as Record<string, unknown>
  return JSON.stringify([id, x, s === null ? null : [a, b], p])
}
const texts = (rows: readonly Readonly<Record<string, unknown>>[] = []) => rows.map(rowText).sort()
const feedText = ({ id, _change_type: kind, _commit_version: version }: Readonly<Record<string, unknown>>) =>
  `${version} ${kind} ${id}`
const idText = (row: Readonly<Record<string, unknown>>) => Object.values(row).map(String).join(' ')

/** A history of changes: the last step is version 8. */
async function makeTable({ name, properties }: (typeof KINDS)[number]): Promise<DeltaTable> {
  const builder = DeltaTable.create()
    .location(pathOf(name))
    .addColumns('id INT, x INT, s STRUCT<a: INT, b: STRING>, p STRING')
  const table = await builder.partitionedBy('p').properties(properties).execute()
  const rows = Array.from({ length: 40 }, (_, id) => {
    const s = id % 5 === 0 ? null : { a: id, b: `b${id}` }
    return { id, x: id % 7 === 0 ? null : id * 10, s, p: [null, 'a b', 'c/d', 'é'][id % 4] }
  })
  await table.append(rows.slice(0, 20))
  await table.append(rows.slice(20))
  await table.delete('x > 100 AND x < 200')
  await table.update({ where: 'id % 6 = 1', set: { x: 'x + 1', 's.b': "'new'", p: "'moved'" } })
  await table.delete('p IS NULL AND id < 30')
  await table.update({ where: 's IS NULL', set: { s: "named_struct('b', p, 'a', id)" } })
  await table.overwrite([{ id: 500, x: 1, s: null, p: 'c/d' }], { replaceWhere: 'id > 35' })
  await table.overwrite(
    [
      { id: 600, x: null, s: null, p: 'new p' },
      { id: 601, x: 2, s: null, p: null },
    ],
    {
      partitionOverwriteMode: 'dynamic',
    },
  )
  return table
}

/** What Spark is asked, by the name of the answer. */
function statementsOf({ name, properties }: (typeof KINDS)[number]): Record<keyof SparkAnswers, string> {
  const path = pathOf(name)
  const table = `delta.\`${path}\``
  const isFed = 'delta.enableChangeDataFeed' in properties
  return {
    before: `SELECT * FROM ${table}`,
    more: isFed
      ? `SELECT * FROM table_changes_by_path('${path}', 1, 8)`
      : `SELECT id, _metadata.row_id, _metadata.row_commit_version FROM ${table}`,
    deleted: `DELETE FROM ${table} WHERE id IN (2, 500)`,
    updated: `UPDATE ${table} SET x = -1 WHERE id % 4 = 1`,
    after: `SELECT * FROM ${table}`,
  }
}

beforeAll(async () => {
  if (missing !== undefined) return
  folder = mkdtempSync(join(tmpdir(), 'bayou-changed-'))
  for (const kind of KINDS) {
    const table = await makeTable(kind)
    const feed = 'delta.enableChangeDataFeed' in kind.properties ? await table.changes({ from: 1, to: 8 }).rows() : []
    const tracked = 'delta.enableRowTracking' in kind.properties
    const ids = tracked ? await table.rows({ select: ['id'], rowIds: true }) : []
    own.set(kind.name, {
      rows: texts(await table.rows()),
      feed: feed.map(feedText).sort(),
      ids: ids.map(idText).sort(),
    })
  }
  deltaRs = readByDeltaRs(KINDS.map(({ name }) => pathOf(name)))
  const asked = KINDS.map(statementsOf)
  const answers = runOnSpark(asked.flatMap((statements) => Object.values(statements)))
  for (const [i, statements] of asked.entries()) {
    const names = Object.keys(statements)
    const own = answers.slice(i * names.length, (i + 1) * names.length)
    spark.set(KINDS[i]!.name, Object.fromEntries(names.map((name, at) => [name, own[at]!])) as SparkAnswers)
  }
}, 1_800_000)
afterAll(async () => {
  await closeTables()
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
})

describe.each(KINDS)('$name', ({ name, properties }) => {
  test('is read alike by Spark', (context) => {
    if (missing !== undefined) return context.skip(missing)
    const { before, more } = spark.get(name)!
    expect(texts(before.rows), JSON.stringify(before.error)).toEqual(own.get(name)!.rows)
    if ('delta.enableChangeDataFeed' in properties) {
      expect(more.rows?.map(feedText).sort(), JSON.stringify(more.error)).toEqual(own.get(name)!.feed)
    }
    if ('delta.enableRowTracking' in properties) {
      expect(more.rows?.map(idText).sort(), JSON.stringify(more.error)).toEqual(own.get(name)!.ids)
    }
  })

  test('is changed further by Spark, and then by us', async (context) => {
    if (missing !== undefined) return context.skip(missing)
    const { deleted, updated, after } = spark.get(name)!
    expect([deleted.error, updated.error]).toEqual([undefined, undefined])
    const table = await DeltaTable.forPath(pathOf(name))
    expect(texts(await table.rows())).toEqual(texts(after.rows))
    await table.delete('x = -1')
    expect(texts(await table.rows())).toEqual(texts(after.rows?.filter(({ x }) => x !== -1)))
  })

  test('is read alike by delta-rs', (context) => {
    if (missing !== undefined) return context.skip(missing)
    const found = deltaRs.get(pathOf(name))
    if (found?.rows === undefined)
      return context.skip(`delta-rs does not read it: ${JSON.stringify(found).slice(0, 200)}`)
    expect(texts(found.rows)).toEqual(own.get(name)!.rows)
  })
})
