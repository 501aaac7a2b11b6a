/** Which clause of a MERGE would fire for each row, by the package's own expressions over both rows at once. */
import type { Call, Clause } from '../calls/call.ts'
import {
  type BoundExpression,
  bindPredicate,
  type DeltaTable,
  evaluate,
  field,
  type StructType,
  structType,
  type Value,
} from '../library.ts'
import type { MergePreview, MergePreviewRow } from '../messages.ts'
import { cellOf, headsOf } from '../reading/scan-rows.ts'
import { type Hands, writeSource } from './carry-out.ts'
import { TODAY } from './starter.ts'

const MAX_ROWS = 300

interface Side {
  readonly schema: StructType
  readonly rows: readonly (readonly Value[])[]
}

/** @throws DeltaError codes of the expressions of the call */
export async function previewMerge(call: Extract<Call, { op: 'merge' }>, hands: Hands): Promise<MergePreview> {
  await writeSource(call.source, hands)
  const target = await sideOf(hands.table)
  const source = await sideOf(await hands.tables.forPath(TODAY))
  const both = structType([field('t', target.schema), field('s', source.schema)])
  const on = bindPredicate(call.on, both)
  const clauses = call.clauses.map((clause) => ({ clause, test: testOf(clause, both) }))
  const pairs = matchesOf(on, target, source)
  return {
    targetColumns: headsOf(target.schema),
    sourceColumns: headsOf(source.schema),
    target: target.rows.map((row, t) => targetRow({ row, t, target, source, clauses, pairs })),
    source: source.rows.map((row, s) => sourceRow({ row, s, target, source, clauses, pairs })),
  }
}

interface Test {
  readonly clause: Clause
  readonly test: BoundExpression | undefined
}

function testOf({ condition }: Clause, both: StructType): BoundExpression | undefined {
  return condition === '' ? undefined : bindPredicate(condition, both)
}

async function sideOf(table: DeltaTable): Promise<Side> {
  const schema = await table.schema()
  const rows: Value[][] = []
  for await (const batch of table.scan({ limit: MAX_ROWS }).batches()) {
    for (let row = 0; row < batch.numRows; row++) rows.push(schema.fields.map((_, i) => batch.column(i)[row] ?? null))
  }
  return { schema, rows }
}

/** Places of target and source rows for which ON is TRUE. */
function matchesOf(on: BoundExpression, target: Side, source: Side): (readonly [number, number])[] {
  const pairs: [number, number][] = []
  target.rows.forEach((t, i) => {
    source.rows.forEach((s, j) => {
      if (evaluate(on, [t, s] as readonly Value[]) === true) pairs.push([i, j])
    })
  })
  return pairs
}

interface Place {
  readonly row: readonly Value[]
  readonly target: Side
  readonly source: Side
  readonly clauses: readonly Test[]
  readonly pairs: readonly (readonly [number, number])[]
}

function targetRow({ row, t, target, source, clauses, pairs }: Place & { readonly t: number }): MergePreviewRow {
  const matches = pairs.filter(([place]) => place === t)
  const cells = cellsOf(row, target)
  if (matches.length === 0) {
    return { side: 'target', cells, ...firing(clauses, 'notMatchedBySource', [row, null]), note: 'no source row' }
  }
  const fired = matches.map(([, s]) => firing(clauses, 'matched', [row, source.rows[s]!]))
  const hits = fired.filter(({ clause }) => clause !== null)
  if (hits.length > 1) return { side: 'target', cells, clause: hits[0]!.clause, note: 'two source rows match: refused' }
  return { side: 'target', cells, clause: hits[0]?.clause ?? null, note: 'matched' }
}

function sourceRow({ row, s, target, source, clauses, pairs }: Place & { readonly s: number }): MergePreviewRow {
  const match = pairs.find(([, place]) => place === s)
  const cells = cellsOf(row, source)
  if (match !== undefined) {
    return { side: 'source', cells, ...firing(clauses, 'matched', [target.rows[match[0]]!, row]), note: 'matched' }
  }
  return { side: 'source', cells, ...firing(clauses, 'notMatched', [null, row]), note: 'not in the target' }
}

function firing(
  clauses: readonly Test[],
  when: Clause['when'],
  pair: readonly unknown[],
): { readonly clause: number | null } {
  const found = clauses.findIndex(({ clause, test }) => {
    return clause.when === when && (test === undefined || evaluate(test, pair as readonly Value[]) === true)
  })
  return { clause: found === -1 ? null : found }
}

function cellsOf(row: readonly Value[], { schema }: Side) {
  return schema.fields.map(({ type }, i) => cellOf(row[i] ?? null, type))
}
