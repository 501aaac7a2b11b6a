/**
 * Random histories of appends, deletes, updates and overwrites against a model in memory, on both engines: the rows of
 * every version, the rows affected, and the change feed, which must lead from each version to the next.
 */
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { duckdbEngine } from '../../src/engine/duckdb/index.ts'
import type { Engine } from '../../src/engine/index.ts'
import { jsEngine } from '../../src/engine/js/index.ts'
import { memoryStore } from '../../src/storage/index.ts'
import { type DeltaTable, deltaTables, localBackend } from '../../src/table/index.ts'

interface Model {
  readonly id: number
  readonly x: number | null
  readonly s: { readonly a: number | null; readonly b: string | null } | null
  readonly p: string | null
}

/** SQL and what it means; null is SQL's NULL. */
interface Predicate {
  readonly text: string
  readonly holds: (row: Model) => boolean | null
}

const atoms: fc.Arbitrary<Predicate> = fc.oneof(
  fc
    .integer({ min: -3, max: 12 })
    .map((k) => ({ text: `x > ${k}`, holds: ({ x }: Model) => (x === null ? null : x > k) })),
  fc.integer({ min: 0, max: 20 }).map((k) => ({ text: `id = ${k}`, holds: ({ id }: Model) => id === k })),
  fc.integer({ min: 0, max: 2 }).map((r) => ({ text: `id % 3 = ${r}`, holds: ({ id }: Model) => id % 3 === r })),
  fc
    .constantFrom('a', 'b', 'c')
    .map((v) => ({ text: `p = '${v}'`, holds: ({ p }: Model) => (p === null ? null : p === v) })),
  fc.constantFrom<Predicate>(
    { text: 'p IS NULL', holds: ({ p }) => p === null },
    { text: 'x IS NULL', holds: ({ x }) => x === null },
    { text: 's.a < 5', holds: ({ s }) => (s === null || s.a === null ? null : s.a < 5) },
    { text: 's IS NULL', holds: ({ s }) => s === null },
    // no SQL form in DuckDB: evaluated over values
    {
      text: 'exists(array(id, x), v -> v = 7)',
      holds: ({ id, x }) => (id === 7 || x === 7 ? true : x === null ? null : false),
    },
    { text: 'true', holds: () => true },
  ),
)

const predicates: fc.Arbitrary<Predicate> = fc.oneof(
  atoms,
  atoms.map((a) => ({ text: `NOT (${a.text})`, holds: (row: Model) => not(a.holds(row)) })),
  fc.tuple(atoms, atoms).map(([a, b]) => ({
    text: `(${a.text}) AND (${b.text})`,
    holds: (row: Model) => both(a.holds(row), b.holds(row)),
  })),
  fc.tuple(atoms, atoms).map(([a, b]) => ({
    text: `(${a.text}) OR (${b.text})`,
    holds: (row: Model) => not(both(not(a.holds(row)), not(b.holds(row)))),
  })),
)

function not(value: boolean | null): boolean | null {
  return value === null ? null : !value
}

function both(a: boolean | null, b: boolean | null): boolean | null {
  if (a === false || b === false) return false
  return a === null || b === null ? null : true
}

interface Update {
  readonly set: Record<string, string>
  readonly change: (row: Model) => Model
}

const updates: fc.Arbitrary<Update> = fc.constantFrom<Update>(
  { set: { x: 'x + 1' }, change: (row) => ({ ...row, x: row.x === null ? null : row.x + 1 }) },
  { set: { x: 'id', p: "'c'" }, change: (row) => ({ ...row, x: row.id, p: 'c' }) },
  { set: { p: 'NULL', x: 'NULL' }, change: (row) => ({ ...row, p: null, x: null }) },
  { set: { p: 'coalesce(s.b, p)' }, change: (row) => ({ ...row, p: row.s?.b ?? row.p }) },
  { set: { 's.a': 'x' }, change: (row) => ({ ...row, s: { a: row.x, b: row.s?.b ?? null } }) },
  { set: { s: 'NULL' }, change: (row) => ({ ...row, s: null }) },
  { set: { s: "named_struct('b', p, 'a', id)" }, change: (row) => ({ ...row, s: { a: row.id, b: row.p } }) },
)

type Draft = Omit<Model, 'id'>

type Step =
  | { readonly kind: 'append'; readonly rows: readonly Draft[] }
  | { readonly kind: 'delete'; readonly where: Predicate }
  | { readonly kind: 'update'; readonly where: Predicate; readonly update: Update }
  | { readonly kind: 'replace'; readonly where: Predicate; readonly rows: readonly Draft[] }
  | { readonly kind: 'partitions'; readonly rows: readonly Draft[] }

const nullable = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null, freq: 4 })
const partition = nullable(fc.constantFrom('a', 'b', 'c'))
const drafts = fc.array(
  fc.record<Draft>({
    x: nullable(fc.integer({ min: -5, max: 15 })),
    s: nullable(fc.record({ a: nullable(fc.integer({ min: 0, max: 9 })), b: nullable(fc.constantFrom('a', 'd')) })),
    p: partition,
  }),
  { minLength: 1, maxLength: 8 },
)

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof<fc.Arbitrary<Step>[]>(
    drafts.map((rows) => ({ kind: 'append', rows })),
    predicates.map((where) => ({ kind: 'delete', where })),
    fc.tuple(predicates, updates).map(([where, update]) => ({ kind: 'update', where, update })),
    fc.tuple(predicates, drafts).map(([where, rows]) => ({ kind: 'replace', where, rows })),
    drafts.map((rows) => ({ kind: 'partitions', rows })),
  ),
  { minLength: 1, maxLength: 7 },
)

const tableKinds = fc.record({
  vectors: fc.boolean(),
  mapped: fc.boolean(),
  tracked: fc.boolean(),
})

/** The table as it should be. */
class ModelTable {
  rows: readonly Model[] = []
  private nextId = 0

  number(rows: readonly Draft[]): Model[] {
    return rows.map((row) => ({ id: this.nextId++, ...row }))
  }

  /** @returns how many rows it touches */
  apply(step: Step, added: readonly Model[]): number {
    const before = this.rows
    switch (step.kind) {
      case 'append':
        this.rows = [...before, ...added]
        return added.length
      case 'delete':
        this.rows = before.filter((row) => step.where.holds(row) !== true)
        return before.length - this.rows.length
      case 'update':
        this.rows = before.map((row) => (step.where.holds(row) === true ? step.update.change(row) : row))
        return before.filter((row) => step.where.holds(row) === true).length
      case 'replace':
        this.rows = [...before.filter((row) => step.where.holds(row) !== true), ...added]
        return added.length
      case 'partitions': {
        const written = new Set(added.map(({ p }) => p))
        this.rows = [...before.filter(({ p }) => !written.has(p)), ...added]
        return added.length
      }
    }
  }
}

async function makeTable(engine: Engine, kind: { vectors: boolean; mapped: boolean; tracked: boolean }) {
  const store = memoryStore()
  const backend = localBackend({ openStore: async () => store, engine })
  const builder = deltaTables(() => backend)
    .create()
    .location('/t')
    .addColumns('id INT NOT NULL, x INT, s STRUCT<a: INT, b: STRING>, p STRING')
  return await builder
    .partitionedBy('p')
    .property('delta.enableChangeDataFeed', 'true')
    .property('delta.enableDeletionVectors', String(kind.vectors))
    .property('delta.enableRowTracking', String(kind.tracked))
    .property('delta.columnMapping.mode', kind.mapped ? 'name' : 'none')
    .execute()
}

async function perform(table: DeltaTable, step: Step, added: readonly Model[]) {
  switch (step.kind) {
    case 'append':
      return await table.append(added).then(({ version, numOutputRows }) => ({ version, touched: numOutputRows }))
    case 'delete':
      return await table.delete(step.where.text).then(({ version, numAffectedRows: touched }) => ({ version, touched }))
    case 'update': {
      const { version, numAffectedRows } = await table.update({ where: step.where.text, set: step.update.set })
      return { version, touched: numAffectedRows }
    }
    case 'replace': {
      const { version, numOutputRows } = await table.overwrite(added, { replaceWhere: step.where.text })
      return { version, touched: numOutputRows }
    }
    case 'partitions': {
      const { version, numOutputRows } = await table.overwrite(added, { partitionOverwriteMode: 'dynamic' })
      return { version, touched: numOutputRows }
    }
  }
}

function textOf({ id, x, s, p }: Model): string {
  return JSON.stringify([id, x, s, p])
}

function texts(rows: readonly unknown[]): string[] {
  return rows.map((row) => textOf(row as Model)).sort()
}

/** The rows of the next version, by what the feed says of it. */
async function followed(table: DeltaTable, version: number, before: readonly string[]): Promise<string[]> {
  const rows = [...before]
  const feed = await table.changes({ from: version, to: version }).rows()
  for (const row of feed) {
    if (row._change_type === 'insert' || row._change_type === 'update_postimage') continue
    const at = rows.indexOf(textOf(row as unknown as Model))
    expect(at, `${row._change_type} of a row that was there`).toBeGreaterThanOrEqual(0)
    rows.splice(at, 1)
  }
  const added = feed.filter(({ _change_type: kind }) => kind === 'insert' || kind === 'update_postimage')
  return [...rows, ...texts(added)].sort()
}

/** Ids are unique, and a row keeps its own for as long as it lives. */
async function checkIds(table: DeltaTable, known: Map<number, bigint>): Promise<void> {
  const rows = await table.rows({ rowIds: true })
  const seen = new Set<bigint>()
  for (const row of rows) {
    const rowId = row['_metadata.row_id'] as bigint
    expect(seen.has(rowId), 'a row id is given once').toBe(false)
    seen.add(rowId)
    const id = Number(row.id)
    expect(known.get(id) ?? rowId, `the row id of ${id}`).toBe(rowId)
    known.set(id, rowId)
  }
}

const engines: readonly [string, Engine, number][] = [
  ['js', jsEngine(), 60],
  ['duckdb', duckdbEngine({ threads: 1 }), 25],
]
afterAll(async () => {
  for (const [, engine] of engines) await engine.close()
})

describe.each(engines)('%s', (_, engine, numRuns) => {
  test('histories are those of the model', async () => {
    await fc.assert(
      fc.asyncProperty(tableKinds, steps, async (kind, history) => {
        const table = await makeTable(engine, kind)
        const model = new ModelTable()
        const ids = new Map<number, bigint>()
        for (const step of history) {
          const drafted = 'rows' in step ? model.number(step.rows) : []
          const added = step.kind === 'replace' ? drafted.filter((row) => step.where.holds(row) === true) : drafted
          const before = texts(model.rows)
          const touched = model.apply(step, added)
          const result = await perform(table, step, added)
          expect(result.touched).toBe(touched)
          expect(texts(await table.rows())).toEqual(texts(model.rows))
          if (result.version !== null) expect(await followed(table, result.version, before)).toEqual(texts(model.rows))
          if (kind.tracked) await checkIds(table, ids)
        }
      }),
      { numRuns },
    )
  }, 120_000)
})
