/**
 * Operations on the tables of `table-axes.ts`, each with what it makes of the rows; any of them must hold for any table.
 */
import type { DeltaTable } from '../../src/table/index.ts'
import type { AxisRow } from './table-axes.ts'

export interface TableOperation {
  readonly run: (table: DeltaTable) => Promise<unknown>
  /** the rows afterwards, from those before; in any order */
  readonly rows: (before: readonly AxisRow[]) => readonly AxisRow[]
  /** whether the table must be partitioned */
  readonly partitioned?: boolean
}

const row = (id: number, v: number, p: string): AxisRow => ({ id: BigInt(id), v: BigInt(v), p })
const fresh = [row(100, 1, 'a'), row(101, 2, 'c d')]
const same = (rows: readonly AxisRow[]) => rows
const isA = ({ p }: AxisRow) => p === 'a'

/** Half of it meets rows of the table, half is new. */
const source = [row(0, 70, 'a'), row(8, 71, 'b'), row(200, 72, 'a'), row(201, 73, 'é')]
const isMet = ({ id }: AxisRow) => source.some((other) => other.id === id)
const sourceOf = ({ id }: AxisRow) => source.find((other) => other.id === id)!
const unmet = (rows: readonly AxisRow[]) => source.filter(({ id }) => !rows.some((known) => known.id === id))

const merge = (table: DeltaTable) => table.as('t').merge([...source], 't.id = s.id', { sourceAlias: 's' })

/** The rows that every table begins with, in two commits. */
export const firstRows = [0, 3, 7, 12].map((id) => row(id, id, id < 5 ? 'a' : 'b'))
export const secondRows = [1, 8, 9].map((id) => row(id, id * 2, id === 9 ? 'c d' : 'a'))

export const tableOperations = {
  append: { run: (table) => table.append(fresh), rows: (rows) => [...rows, ...fresh] },
  overwrite: { run: (table) => table.overwrite(fresh), rows: () => fresh },
  replaceWhere: {
    run: (table) => table.overwrite([row(100, 1, 'a')], { replaceWhere: "p = 'a'" }),
    rows: (rows) => [...rows.filter((one) => !isA(one)), row(100, 1, 'a')],
  },
  dynamicOverwrite: {
    partitioned: true,
    run: (table) => table.overwrite([row(100, 1, 'a')], { partitionOverwriteMode: 'dynamic' }),
    rows: (rows) => [...rows.filter((one) => !isA(one)), row(100, 1, 'a')],
  },
  deleteSome: { run: (table) => table.delete('id % 2 = 1'), rows: (rows) => rows.filter(({ id }) => id % 2n !== 1n) },
  deletePart: { run: (table) => table.delete("p = 'a'"), rows: (rows) => rows.filter((one) => !isA(one)) },
  deleteAll: { run: (table) => table.delete(), rows: () => [] },
  update: {
    run: (table) => table.update({ where: 'id >= 7', set: { v: 'v + 1000' } }),
    rows: (rows) => rows.map((one) => (one.id >= 7n ? { ...one, v: one.v + 1000n } : one)),
  },
  updateMoves: {
    run: (table) => table.update({ where: "p = 'b'", set: { p: "'new p'", id: 'id + 500' } }),
    rows: (rows) => rows.map((one) => (one.p === 'b' ? { ...one, p: 'new p', id: one.id + 500n } : one)),
  },
  mergeUpsert: {
    run: (table) => merge(table).whenMatchedUpdateAll().whenNotMatchedInsertAll().execute(),
    rows: (rows) => [...rows.map((one) => (isMet(one) ? sourceOf(one) : one)), ...unmet(rows)],
  },
  mergeInsert: {
    run: (table) => merge(table).whenNotMatchedInsertAll('s.v > 72').execute(),
    rows: (rows) => [...rows, ...unmet(rows).filter(({ v }) => v > 72n)],
  },
  mergeEverything: {
    run: (table) =>
      merge(table)
        .whenMatchedDelete('t.id = 0')
        .whenMatchedUpdate({ set: { v: 's.v - t.v' } })
        .whenNotMatchedInsert({ values: { id: 's.id', v: '-s.v', p: 's.p' } })
        .whenNotMatchedBySourceDelete("t.p = 'c d'")
        .whenNotMatchedBySourceUpdate({ condition: 't.id > 5', set: { v: '0' } })
        .execute(),
    rows: (rows) => [
      ...rows.flatMap((one) => {
        if (isMet(one)) return one.id === 0n ? [] : [{ ...one, v: sourceOf(one).v - one.v }]
        if (one.p === 'c d') return []
        return one.id > 5n ? [{ ...one, v: 0n }] : [one]
      }),
      ...unmet(rows).map((one) => ({ ...one, v: -one.v })),
    ],
  },
  optimize: { run: (table) => table.optimize().executeCompaction(), rows: same },
  restore: { run: (table) => table.restoreToVersion(1), rows: () => firstRows },
  vacuum: { run: (table) => table.vacuum({ retentionHours: 0, retentionCheck: false }), rows: same },
  setProperty: { run: (table) => table.setProperties({ note: 'kept' }), rows: same },
  addColumn: { run: (table) => table.addColumns('w INT'), rows: same },
  checkpoint: { run: (table) => table.checkpoint(), rows: same },
} as const satisfies Record<string, TableOperation>

export type OperationName = keyof typeof tableOperations

/** The operations a layout has. */
export function operationsOf(isPartitioned: boolean): readonly OperationName[] {
  const names = Object.keys(tableOperations) as OperationName[]
  return names.filter((name) => isPartitioned || !('partitioned' in tableOperations[name]))
}

/** Rows as texts, in an order of their own. */
export function rowTexts(
  rows: Iterable<{ readonly id?: unknown; readonly v?: unknown; readonly p?: unknown }>,
): string[] {
  return Array.from(rows, ({ id, v, p }) => `${id} ${v} ${p}`).sort()
}
