/** Statistics of files in recorded histories, and of the same rows written here: for which columns, with which bounds. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { duckdbEngine } from '../../src/engine/duckdb/index.ts'
import { jsEngine } from '../../src/engine/js/index.ts'
import { readCommit } from '../../src/kernel/index.ts'
import { memoryStore } from '../../src/storage/index.ts'
import { compareText } from '../../src/support/index.ts'
import { type DeltaTable, deltaTables, localBackend } from '../../src/table/index.ts'
import { sharedMissing, sharedPath } from '../support/shared.ts'

const WIDE = Array.from({ length: 40 }, (_, i) => `c${String(i).padStart(2, '0')}`)
const wideRow = (a: number, b: string | null) => ({
  st: { a, b },
  ...Object.fromEntries(WIDE.map((name, i) => [name, i])),
})

interface Replay {
  readonly schema: string
  readonly steps: readonly ((table: DeltaTable) => Promise<unknown>)[]
}

const index = (limit: number) => (t: DeltaTable) => t.setProperties({ 'delta.dataSkippingNumIndexedCols': `${limit}` })

const REPLAYS: Readonly<Record<string, Replay>> = {
  'stats-index-columns': {
    schema: `st STRUCT<a: INT, b: STRING>, ${WIDE.map((name) => `${name} INT`).join(', ')}`,
    steps: [
      (t) => t.append([wideRow(1, 'x')]),
      index(3),
      (t) => t.append([wideRow(2, 'y')]),
      index(-1),
      (t) => t.append([wideRow(3, 'z')]),
      index(0),
      (t) => t.append([wideRow(4, null)]),
    ],
  },
  'stats-long-strings': {
    schema: 'id INT, s STRING',
    steps: [
      (t) => t.append([{ id: 1, s: 'a'.repeat(40) }]),
      (t) =>
        t.append([
          { id: 2, s: 'b'.repeat(32) },
          { id: 3, s: 'b'.repeat(33) },
        ]),
      (t) => t.append([{ id: 4, s: `${'c'.repeat(31)}😀tail` }]),
      (t) =>
        t.append([
          { id: 5, s: `${'é'.repeat(32)}zzz` },
          { id: 6, s: 'short' },
        ]),
      (t) => t.append([{ id: 7, s: `${'d'.repeat(32)}\uffff\uffff` }]),
      (t) => t.append([{ id: 8, s: '😀'.repeat(40) }]),
      (t) => t.append([{ id: 9, s: '' }]),
    ],
  },
}

const duckdb = duckdbEngine({ threads: 2, memoryLimit: '1GB' })
afterAll(() => duckdb.close())
const missing = sharedMissing('tables-spark')
if (missing !== undefined) console.log(`skipped: ${missing}`)

/** The statistics of the files a recorded commit adds. */
function recordedStats(name: string): Map<number, unknown[]> {
  const folder = sharedPath('tables-spark', name, 'table', '_delta_log')
  const commits = readdirSync(folder).filter((file) => /^\d{20}\.json$/.test(file))
  return new Map(
    commits.map((file) => {
      const lines = readFileSync(join(folder, file), 'utf8').trim().split('\n')
      const adds = lines.map((line) => JSON.parse(line) as { add?: { stats: string } }).flatMap(({ add }) => add ?? [])
      return [Number.parseInt(file, 10), adds.map(({ stats }) => JSON.parse(stats) as unknown)]
    }),
  )
}

/** Statistics without objects that say nothing, and without bounds of texts, which each writer cuts its own way. */
function comparable(stats: unknown): unknown {
  const entries = Object.entries(stats as Record<string, unknown>).map(([key, value]) => {
    if (typeof value !== 'object' || value === null) return [key, value]
    return [
      key,
      Object.fromEntries(Object.entries(value).filter(([name, bound]) => name !== 's' || typeof bound === 'number')),
    ]
  })
  const isEmpty = (value: unknown) => typeof value === 'object' && value !== null && Object.keys(value).length === 0
  return Object.fromEntries(entries.filter(([, value]) => !isEmpty(value)))
}

describe.skipIf(missing !== undefined).each([
  ['js', jsEngine()],
  ['duckdb', duckdb],
] as const)('the %s engine', (_, engine) => {
  test.each(Object.keys(REPLAYS))('%s', async (name) => {
    const store = memoryStore({ location: '/t' })
    const tables = deltaTables(() => localBackend({ openStore: async () => store, engine }))
    const table = await tables.create().location('/t').addColumns(REPLAYS[name]!.schema).execute()
    const recorded = recordedStats(name)
    for (const [i, run] of REPLAYS[name]!.steps.entries()) {
      await run(table)
      const { actions } = await readCommit(store, i + 1)
      const found = actions.flatMap((action) => ('add' in action ? [JSON.parse(action.add.stats!) as unknown] : []))
      expect(found.map(comparable), `${name}, version ${i + 1}`).toEqual(recorded.get(i + 1)!.map(comparable))
    }
  })

  test('bounds of long texts are cut and hold every text between them', async () => {
    const texts = [
      'a'.repeat(40),
      `${'c'.repeat(31)}😀tail`,
      `${'é'.repeat(32)}zzz`,
      `${'d'.repeat(32)}\uffff\uffff`,
      '😀'.repeat(40),
    ]
    for (const [i, text] of texts.entries()) {
      const store = memoryStore({ location: `/s${i}` })
      const tables = deltaTables(() => localBackend({ openStore: async () => store, engine }))
      const table = await tables.create().location(`/s${i}`).addColumns('s STRING').execute()
      await table.append([{ s: text }])
      const { actions } = await readCommit(store, 1)
      const add = actions.flatMap((action) => ('add' in action ? action.add : []))[0]!
      const { minValues, maxValues } = JSON.parse(add.stats!) as Record<'minValues' | 'maxValues', { s?: string }>
      expect(minValues.s!.length).toBeLessThanOrEqual(32)
      expect(compareText(minValues.s!, text)).toBeLessThanOrEqual(0)
      if (maxValues.s !== undefined) expect(compareText(maxValues.s, text)).toBeGreaterThanOrEqual(0)
    }
  })
})
