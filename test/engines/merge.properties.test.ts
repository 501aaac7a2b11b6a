/** Random MERGEs of random tables, held against a model that does them row by row in memory. */
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { duckdbEngine } from '../../src/engine/duckdb/index.ts'
import type { Engine } from '../../src/engine/index.ts'
import { jsEngine } from '../../src/engine/js/index.ts'
import { isDeltaError } from '../../src/errors/index.ts'
import {
  bindScoped,
  compileEvaluator,
  parseExpression,
  parseTableSchema,
  type Scope,
} from '../../src/expressions/index.ts'
import { type Row, rowToJson, type Value } from '../../src/schema/index.ts'
import { memoryStore, type ObjectStore } from '../../src/storage/index.ts'
import { type DeltaTable, deltaTables, localBackend, type MergeBuilder, type QueryRows } from '../../src/table/index.ts'

const duckdb = duckdbEngine({ threads: 2, memoryLimit: '1GB' })
afterAll(() => duckdb.close())

const TARGET = parseTableSchema('id INT, p STRING, v INT')
const SOURCE = parseTableSchema('id INT, p STRING, v INT, k INT')
const SCOPES: readonly Scope[] = [
  { name: 't', schema: TARGET },
  { name: 's', schema: SOURCE },
]

interface Clause {
  readonly when: 'matched' | 'notMatched' | 'notMatchedBySource'
  readonly action: 'update' | 'delete' | 'insert'
  readonly condition?: string
  /** SQL of each column of the new row; the whole source's where absent */
  readonly set?: Readonly<Record<string, string>>
}

interface Scenario {
  readonly files: readonly (readonly Row[])[]
  readonly source: readonly Row[]
  readonly on: string
  readonly clauses: readonly Clause[]
  readonly properties: Readonly<Record<string, string>>
  readonly partitioned: boolean
}

const small = fc.option(fc.integer({ min: 0, max: 4 }), { nil: null })
const word = fc.constantFrom('a', 'b', 'a b/%', null)
const targetRow = fc.tuple(small, word, small) as fc.Arbitrary<Row>
const sourceRow = fc.tuple(small, word, small, fc.integer({ min: 0, max: 1 })) as fc.Arbitrary<Row>

const ONS = [
  ...['t.id = s.id', 't.id <=> s.id', 't.id = s.id AND t.p = s.p', 't.id = s.id AND s.k = 1', 't.id + 1 = s.id'],
  ...["t.id = s.id AND t.p = 'a'", 't.id > s.id', 'false', 't.id = s.id OR t.v = s.v', 't.p <=> s.p AND s.k = 1'],
]

function clausesOf(
  when: Clause['when'],
  actions: readonly Pick<Clause, 'action' | 'set'>[],
  conditions: readonly string[],
): fc.Arbitrary<readonly Clause[]> {
  const one = fc.record({ body: fc.constantFrom(...actions), condition: fc.constantFrom(...conditions) })
  return fc.tuple(fc.array(one, { maxLength: 2 }), fc.boolean()).map(([list, open]) =>
    list.map(({ body, condition }, i) => ({
      when,
      ...body,
      ...(!(open && i === list.length - 1) && { condition }),
    })),
  )
}

const scenario: fc.Arbitrary<Scenario> = fc
  .record({
    files: fc.array(fc.array(targetRow, { minLength: 1, maxLength: 5 }), { maxLength: 3 }),
    source: fc.array(sourceRow, { maxLength: 6 }),
    on: fc.constantFrom(...ONS),
    matched: clausesOf(
      'matched',
      [
        { action: 'update' },
        { action: 'update', set: { v: 't.v + s.v' } },
        { action: 'update', set: { p: 's.p', v: 's.k' } },
        { action: 'delete' },
      ],
      ['s.k = 0', 't.v > 1', 's.v IS NULL', 't.p = s.p'],
    ),
    notMatched: clausesOf(
      'notMatched',
      [{ action: 'insert' }, { action: 'insert', set: { id: 's.id * 10', p: "'new'" } }],
      ['s.k = 0', 's.v > 1'],
    ),
    bySource: clausesOf(
      'notMatchedBySource',
      [{ action: 'delete' }, { action: 'update', set: { v: '-1' } }, { action: 'update', set: { p: "'gone'" } }],
      ['t.v > 1', "t.p = 'a'"],
    ),
    vectors: fc.boolean(),
    feed: fc.boolean(),
    rowIds: fc.boolean(),
    mapped: fc.boolean(),
    partitioned: fc.boolean(),
  })
  .map(({ matched, notMatched, bySource, vectors, feed, rowIds, mapped, ...rest }) => ({
    ...rest,
    clauses: [...matched, ...notMatched, ...bySource],
    properties: {
      ...(vectors && { 'delta.enableDeletionVectors': 'true' }),
      ...(feed && { 'delta.enableChangeDataFeed': 'true' }),
      ...(rowIds && { 'delta.enableRowTracking': 'true' }),
      ...(mapped && { 'delta.columnMapping.mode': 'name' }),
    },
  }))
  .filter(({ clauses }) => clauses.length > 0)

const evaluators = new Map<string, (joint: Row) => Value>()

function evaluated(text: string, joint: Row): Value {
  let evaluator = evaluators.get(text)
  if (evaluator === undefined) {
    evaluator = compileEvaluator(bindScoped(parseExpression(text), SCOPES))
    evaluators.set(text, evaluator)
  }
  return evaluator(joint)
}

interface Outcome {
  readonly rows: readonly string[]
  readonly changes: readonly string[]
  readonly counts: readonly [updated: number, deleted: number, inserted: number]
}

const text = (row: Row) => rowToJson(row, TARGET)

/** What the merge makes of the rows; `ambiguous` where it must be refused. */
function model({ files, source, on, clauses }: Scenario): Outcome | 'ambiguous' {
  const rows: string[] = []
  const changes: string[] = []
  const counts: [number, number, number] = [0, 0, 0]
  const found = new Set<number>()
  const noTarget: Row = [null, null, null]
  const noSource: Row = [null, null, null, null]
  const choose = (when: Clause['when'], joint: Row) =>
    clauses.find((clause) => {
      if (clause.when !== when) return false
      return clause.condition === undefined || evaluated(clause.condition, joint) === true
    })
  const newRow = ({ set }: Clause, joint: Row, base: Row): Row =>
    set === undefined
      ? joint.slice(3, 6)
      : TARGET.fields.map(({ name }, i) => (name in set ? evaluated(set[name]!, joint) : base[i]!))
  const matchedClauses = clauses.filter(({ when }) => when === 'matched')
  const [only] = matchedClauses
  const deletesAll = matchedClauses.length === 1 && only!.action === 'delete' && only!.condition === undefined
  for (const row of files.flat()) {
    const pairs = source.flatMap((other, i) => (evaluated(on, [...row, ...other]) === true ? [i] : []))
    for (const i of pairs) found.add(i)
    const acts =
      pairs.length === 0
        ? [{ joint: [...row, ...noSource], clause: choose('notMatchedBySource', [...row, ...noSource]) }]
        : pairs.map((i) => ({ joint: [...row, ...source[i]!], clause: choose('matched', [...row, ...source[i]!]) }))
    const acting = acts.filter(({ clause }) => clause !== undefined)
    if (acting.length > 1 && !deletesAll) return 'ambiguous'
    const [act] = acting
    if (act === undefined) {
      rows.push(text(row))
    } else if (act.clause!.action === 'delete') {
      counts[1]++
      changes.push(`delete ${text(row)}`)
    } else {
      counts[0]++
      const made = newRow(act.clause!, act.joint, row)
      rows.push(text(made))
      changes.push(`update_preimage ${text(row)}`, `update_postimage ${text(made)}`)
    }
  }
  for (const [i, other] of source.entries()) {
    if (found.has(i)) continue
    const joint = [...noTarget, ...other]
    const clause = choose('notMatched', joint)
    if (clause === undefined) continue
    counts[2]++
    const made = newRow(clause, joint, noTarget)
    rows.push(text(made))
    changes.push(`insert ${text(made)}`)
  }
  return { rows: rows.sort(), changes: changes.sort(), counts }
}

function withClauses(builder: MergeBuilder, clauses: readonly Clause[]): MergeBuilder {
  return clauses.reduce((merge, { when, action, condition, set }) => {
    const all = condition === undefined ? [] : ([condition] as const)
    const more = condition === undefined ? {} : { condition }
    if (when === 'matched') {
      if (action === 'delete') return merge.whenMatchedDelete(...all)
      return set === undefined ? merge.whenMatchedUpdateAll(...all) : merge.whenMatchedUpdate({ set, ...more })
    }
    if (when === 'notMatched') {
      if (set === undefined) return merge.whenNotMatchedInsertAll(...all)
      return merge.whenNotMatchedInsert({ values: set, ...more })
    }
    if (action === 'delete') return merge.whenNotMatchedBySourceDelete(...all)
    return merge.whenNotMatchedBySourceUpdate({ set: set!, ...more })
  }, builder)
}

function query(schema: typeof SOURCE, rows: readonly Row[]): QueryRows {
  const batch = { schema, numRows: rows.length, column: (i: number) => rows.map((row) => row[i] ?? null) }
  return {
    schema,
    batches: (async function* () {
      yield batch
    })(),
  }
}

function records(rows: readonly Row[]) {
  return rows.map(([id, p, v]) => ({ id, p, v }))
}

async function texts(table: DeltaTable): Promise<string[]> {
  const rows: string[] = []
  for await (const batch of table.scan().batches()) {
    const columns = TARGET.fields.map((_, i) => batch.column(i))
    for (let at = 0; at < batch.numRows; at++) rows.push(text(columns.map((column) => column[at]!)))
  }
  return rows.sort()
}

async function changesOf(table: DeltaTable, version: number): Promise<string[]> {
  const changes: string[] = []
  const select = [...TARGET.fields.map(({ name }) => name), '_change_type']
  for await (const batch of table.changes({ from: version, to: version, select }).batches()) {
    const columns = batch.schema.fields.map((_, i) => batch.column(i))
    for (let at = 0; at < batch.numRows; at++) {
      changes.push(`${columns.at(-1)![at]} ${text(columns.slice(0, -1).map((column) => column[at]!))}`)
    }
  }
  return changes.sort()
}

/** Ids of rows by their text, where each text is of one row alone. */
async function idsOf(table: DeltaTable): Promise<ReadonlyMap<string, unknown>> {
  const ids = new Map<string, unknown>()
  const seen = new Set<string>()
  for await (const batch of table.scan({ rowIds: true }).batches()) {
    const columns = batch.schema.fields.map((_, i) => batch.column(i))
    for (let at = 0; at < batch.numRows; at++) {
      const key = text(columns.slice(0, 3).map((column) => column[at]!))
      if (seen.has(key)) ids.delete(key)
      else ids.set(key, columns[3]![at])
      seen.add(key)
    }
  }
  return ids
}

async function check(engine: Engine, given: Scenario, location: string): Promise<void> {
  const store: ObjectStore = memoryStore({ location })
  const backend = localBackend({ openStore: async () => store, engine })
  const { files, source, on, clauses, properties, partitioned } = given
  const table = await deltaTables(() => backend)
    .create()
    .location(location)
    .addColumns('id INT, p STRING, v INT')
    .partitionedBy(...(partitioned ? ['p'] : []))
    .properties(properties)
    .execute()
  for (const rows of files) await table.append(records(rows))
  const before = await table.version()
  const tracked = properties['delta.enableRowTracking'] === 'true'
  const idsBefore = tracked ? await idsOf(table) : undefined
  const merge = withClauses(table.as('t').merge(query(SOURCE, source), on, { sourceAlias: 's' }), clauses)
  const expected = model(given)
  if (expected === 'ambiguous') {
    const refused = await merge.execute().then(
      () => 'accepted',
      (error: unknown) => (isDeltaError(error) ? error.code : String(error)),
    )
    expect(refused).toBe('DELTA_MULTIPLE_SOURCE_ROW_MATCHING_TARGET_ROW_IN_MERGE')
    expect(await table.version()).toBe(before)
    return
  }
  const result = await merge.execute()
  expect(await texts(table)).toEqual(expected.rows)
  expect([result.numUpdatedRows, result.numDeletedRows, result.numInsertedRows]).toEqual(expected.counts)
  const isNothing = expected.changes.length === 0
  expect(result.version).toBe(isNothing ? null : before + 1)
  if (isNothing) return
  if (properties['delta.enableChangeDataFeed']) {
    expect(await changesOf(table, before + 1)).toEqual(expected.changes)
  }
  if (idsBefore !== undefined) {
    const changed = new Set(expected.changes.map((line) => line.slice(line.indexOf(' ') + 1)))
    for (const [row, id] of await idsOf(table)) {
      if (!changed.has(row) && idsBefore.has(row)) expect([row, id]).toEqual([row, idsBefore.get(row)])
    }
  }
}

describe('a random MERGE does what the model does', () => {
  test.each([
    ['js', jsEngine(), 150],
    ['duckdb', duckdb, 40],
  ] as const)('on the %s engine', { timeout: 300_000 }, async (name, engine, numRuns) => {
    let made = 0
    await fc.assert(
      fc.asyncProperty(scenario, (given) => check(engine, given, `/${name}/${++made}`)),
      { numRuns, ...(process.env.FC_SEED ? { seed: Number(process.env.FC_SEED) } : {}) },
    )
  })
})
