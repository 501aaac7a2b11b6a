/**
 * Every operation on tables that differ along independent axes, by both engines; each pair of values meets in one table.
 *
 * What is found afterwards is asked of a process that never saw the table, and of the other engine.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { duckdbEngine } from '../../src/engine/duckdb/index.ts'
import type { Engine } from '../../src/engine/index.ts'
import { jsEngine } from '../../src/engine/js/index.ts'
import { loadSnapshot } from '../../src/kernel/index.ts'
import { localStore } from '../../src/storage/fs/index.ts'
import { collect } from '../../src/support/index.ts'
import { type DeltaTables, deltaTables, localBackend } from '../../src/table/index.ts'
import { pairwise } from '../support/pairwise.ts'
import { type AxisRow, buildTable, featureAxis, layoutAxis, logAxis } from '../support/table-axes.ts'
import {
  firstRows,
  type OperationName,
  operationsOf,
  rowTexts,
  secondRows,
  tableOperations,
} from '../support/table-operations.ts'

const keysOf = <T extends object>(axis: T) => Object.keys(axis) as (keyof T)[]

const engines: Record<'js' | 'duckdb', () => Engine> = {
  js: () => jsEngine(),
  duckdb: () => duckdbEngine({ threads: 1, memoryLimit: '500MB' }),
}
/** `BAYOU_MATRIX=full` runs them all; otherwise every seventh, which is another one for each operation. */
const isFull = process.env.BAYOU_MATRIX === 'full'
const all = pairwise({
  operation: operationsOf(true),
  features: keysOf(featureAxis),
  layout: keysOf(layoutAxis),
  log: keysOf(logAxis),
  engine: keysOf(engines),
}).filter(({ operation, layout }) => operationsOf(layout === 'partitioned').includes(operation))
const choices = all.filter((_, i) => isFull || i % 7 === 0)

let folder: string
const opened = new Map<string, Engine>()
const engineOf = (name: keyof typeof engines): Engine => {
  const engine = opened.get(name) ?? engines[name]()
  opened.set(name, engine)
  return engine
}

function openTables(engine: keyof typeof engines): DeltaTables {
  const backend = localBackend({ openStore: async (path) => localStore(path), engine: engineOf(engine) })
  return deltaTables(() => backend)
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bayou-matrix-'))
})
afterAll(async () => {
  for (const engine of opened.values()) await engine.close()
  await rm(folder, { recursive: true, force: true })
})

const isFed = (features: keyof typeof featureAxis) => 'delta.enableChangeDataFeed' in featureAxis[features]

/** What the feed of a version says, applied to the rows before it. */
function applied(before: readonly string[], changes: readonly Readonly<Record<string, unknown>>[]): string[] {
  const left = new Map<string, number>()
  const count = (text: string, by: number) => left.set(text, (left.get(text) ?? 0) + by)
  for (const text of before) count(text, 1)
  for (const change of changes) {
    const adds = change._change_type === 'insert' || change._change_type === 'update_postimage'
    count(rowTexts([change])[0]!, adds ? 1 : -1)
  }
  return [...left].flatMap(([text, n]) => Array<string>(n).fill(text)).sort()
}

const other = { js: 'duckdb', duckdb: 'js' } as const

describe(`${choices.length} of ${all.length} tables`, () => {
  test.each(
    choices.map(
      (choice) =>
        [
          `${choice.operation} of ${choice.features} ${choice.layout} ${choice.log} by ${choice.engine}`,
          choice,
        ] as const,
    ),
  )('%s', { timeout: 60_000 }, async (name, { operation, features, layout, log, engine }) => {
    const path = join(folder, name.replaceAll(' ', '-'))
    const table = await buildTable(openTables(engine), path, { features, layout, log }, [firstRows, secondRows])
    const before = [...firstRows, ...secondRows]
    const { version: begun } = { version: await table.version() }
    await tableOperations[operation as OperationName].run(table)
    const wanted = rowTexts(rowsAfter(operation, before))
    expect(rowTexts(await table.rows())).toEqual(wanted)

    const fresh = await openTables(other[engine]).forPath(path)
    expect(rowTexts(await fresh.rows())).toEqual(wanted)
    for (const id of [0, 8, 100, 201, 507]) {
      const found = await fresh.rows({ where: `id = ${id}` })
      expect(rowTexts(found)).toEqual(wanted.filter((text) => text.startsWith(`${id} `)))
    }
    const snapshot = await loadSnapshot(localStore(path), jsEngine())
    expect(await snapshot.files.totals()).toMatchObject({ numFiles: (await collect(table.files())).flat().length })
    expect(snapshot.warnings.filter((warning) => /crc/.test(warning))).toEqual([])
    const last = await fresh.version()
    if (isFed(features) && last === begun + 1 && operation !== 'restore') {
      const changes = await fresh.changes({ from: last, to: last }).rows()
      expect(applied(rowTexts(before), changes)).toEqual(wanted)
    }
  })
})

function rowsAfter(operation: OperationName, before: readonly AxisRow[]): readonly AxisRow[] {
  return tableOperations[operation].rows(before)
}

test('pairs of two axes all meet', () => {
  const found = pairwise({ a: [1, 2, 3], b: ['x', 'y'], c: [true, false] })
  expect(found.length).toBeLessThan(10)
  const pairs = new Set(found.flatMap(({ a, b, c }) => [`${a}${b}`, `${a}${c}`, `${b}${c}`]))
  expect(pairs.size).toBe(3 * 2 + 3 * 2 + 2 * 2)
})
