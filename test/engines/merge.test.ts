/** MERGE by methods on both engines: the recorded histories of the reference, and what they leave open. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { duckdbEngine } from '../../src/engine/duckdb/index.ts'
import type { Batch } from '../../src/engine/index.ts'
import { jsEngine } from '../../src/engine/js/index.ts'
import { isDeltaError } from '../../src/errors/index.ts'
import { parseTableSchema } from '../../src/expressions/index.ts'
import { type Row, rowToJson } from '../../src/schema/index.ts'
import { memoryStore, type ObjectStore } from '../../src/storage/index.ts'
import { parseDate } from '../../src/support/index.ts'
import { type DeltaTable, deltaTables, localBackend, type QueryRows } from '../../src/table/index.ts'
import { sharedPath } from '../support/shared.ts'

const duckdb = duckdbEngine({ threads: 2, memoryLimit: '1GB' })
afterAll(() => duckdb.close())

/** Rows with the types of a query's columns. */
function given(ddl: string, ...rows: Row[]): QueryRows {
  const schema = parseTableSchema(ddl)
  const batch: Batch = { schema, numRows: rows.length, column: (i) => rows.map((row) => row[i] ?? null) }
  return {
    schema,
    batches: (async function* () {
      yield batch
    })(),
  }
}

interface Recorded {
  readonly versions: Readonly<Record<string, { readonly rows: readonly Record<string, unknown>[] }>>
  readonly history: readonly {
    readonly version: number
    readonly operation: string
    readonly operationMetrics: Record<string, string>
  }[]
}

const folder = sharedPath('tables-spark')
const present = folder !== undefined && existsSync(join(folder, 'merge-all-clauses'))
if (!present) console.log('skipped: the recorded histories of MERGE are not there')

function recorded(name: string): Recorded {
  return JSON.parse(readFileSync(join(folder!, name, 'expected.json'), 'utf8')) as Recorded
}

/** Metrics that hang on how files are laid out, or on the clock. */
const BY_LAYOUT = /Bytes|TimeMs/

describe.each([
  ['js', jsEngine()],
  ['duckdb', duckdb],
] as const)('MERGE on the %s engine', (_, engine) => {
  let store: ObjectStore
  let made = 0
  let location: string
  const backend = localBackend({ openStore: async () => store, engine })
  const tables = deltaTables(() => backend)

  beforeEach(() => {
    location = `/t${++made}`
    store = memoryStore({ location })
  })

  const make = (ddl: string, properties: Record<string, string> = {}, partitionBy: string[] = []) =>
    tables
      .create()
      .location(location)
      .addColumns(ddl)
      .partitionedBy(...partitionBy)
      .properties(properties)
      .execute()

  async function texts(table: DeltaTable): Promise<string[]> {
    const rows: string[] = []
    for await (const batch of table.scan().batches()) {
      const columns = batch.schema.fields.map((_, i) => batch.column(i))
      for (let at = 0; at < batch.numRows; at++)
        rows.push(
          rowToJson(
            columns.map((column) => column[at]!),
            batch.schema,
          ),
        )
    }
    return rows.sort()
  }

  async function refusal(work: Promise<unknown>): Promise<string> {
    try {
      await work
    } catch (error) {
      if (isDeltaError(error)) return `${error.code} ${error.sqlState}`
      throw error
    }
    return 'accepted'
  }

  async function expectRecorded(table: DeltaTable, name: string): Promise<void> {
    const { versions, history } = recorded(name)
    const own = await table.history()
    for (const [version, { rows }] of Object.entries(versions)) {
      const expected = rows.map((row) => JSON.stringify(row)).sort()
      expect([version, await texts(table.versionAsOf(Number(version)))]).toEqual([version, expected])
    }
    for (const { version, operation, operationMetrics } of history) {
      const mine = own.find((entry) => entry.version === version)!
      expect([version, mine.operation]).toEqual([version, operation])
      if (operation !== 'MERGE') continue
      const metrics = Object.entries(mine.operationMetrics ?? {}).filter(([key]) => !BY_LAYOUT.test(key))
      const wanted = Object.entries(operationMetrics).filter(([key]) => !BY_LAYOUT.test(key))
      expect([version, Object.fromEntries(metrics)]).toEqual([version, Object.fromEntries(wanted)])
      expect(Object.keys(mine.operationMetrics ?? {}).sort()).toEqual(Object.keys(operationMetrics).sort())
    }
    expect(own.length).toBe(history.length)
  }

  test.runIf(present)('every clause, as recorded', async () => {
    const table = await make('id INT, v STRING, n INT')
    await table.append([
      { id: 1, v: 'one', n: 10 },
      { id: 2, v: 'two', n: 20 },
      { id: 3, v: 'three', n: 30 },
      { id: 4, v: 'four', n: 40 },
      { id: 5, v: 'five', n: null },
      { id: null, v: 'nokey', n: 0 },
    ])
    const t = table.as('t')
    const rows: Row[] = [
      [1, 's1', 1],
      [2, 's2', 2],
      [3, 's3', 3],
      [7, 's7', 7],
      [8, 'skip', 8],
      [null, 'snull', 9],
    ]
    await t
      .merge(given('id INT, v STRING, n INT', ...rows), 't.id = s.id', { sourceAlias: 's' })
      .whenMatchedDelete('t.n = 10')
      .whenMatchedUpdate({ condition: 's.n = 2', set: { v: 'concat(t.v, s.v)', n: 't.n + s.n' } })
      .whenMatchedUpdateAll()
      .whenNotMatchedInsert({ condition: "s.v = 'skip'", values: { id: 's.id * 100' } })
      .whenNotMatchedInsertAll()
      .whenNotMatchedBySourceDelete('t.n IS NULL')
      .whenNotMatchedBySourceUpdate({ condition: 't.id = 4', set: { n: '-1' } })
      .whenNotMatchedBySourceUpdate({ set: { v: 'upper(t.v)' } })
      .execute()
    const nothing = await t
      .merge(given('id INT', [555]), 't.id = s.id', { sourceAlias: 's' })
      .whenMatchedDelete()
      .execute()
    expect([nothing.version, nothing.numAffectedRows]).toEqual([null, 0])
    await t
      .merge(given('id INT, v STRING, n INT', [2, 'again', 0]), "t.id <=> s.id AND t.v LIKE 'two%'", {
        sourceAlias: 's',
      })
      .whenMatchedUpdateAll()
      .whenNotMatchedInsertAll()
      .execute()
    await t.merge(given('x INT'), 'false', { sourceAlias: 's' }).whenNotMatchedBySourceDelete().execute()
    await expectRecorded(table, 'merge-all-clauses')
  })

  test.runIf(present)(
    'inserts into partitions, a partition changed, a table merged with itself, as recorded',
    async () => {
      const table = await make('id INT, p STRING, v INT', {}, ['p'])
      await table.append([
        { id: 1, p: 'a', v: 1 },
        { id: 2, p: 'b', v: 2 },
      ])
      const t = table.as('t')
      await t
        .merge(given('id INT, p STRING, v INT', [1, 'a', 9], [3, 'c', 3], [3, 'c', 4]), 't.id = s.id AND t.p = s.p', {
          sourceAlias: 's',
        })
        .whenNotMatchedInsertAll()
        .execute()
      await t
        .merge(
          given('id INT, p STRING, v INT', [1, 'a', 100], [2, 'b', 200]),
          "t.id = s.id AND t.p = 'a' AND s.p = 'a'",
          { sourceAlias: 's' },
        )
        .whenMatchedUpdate({ set: { v: 's.v', p: "'moved'" } })
        .execute()
      await t
        .merge(table.as('s'), 't.id = s.id AND s.v > 50')
        .whenMatchedUpdate({ set: { v: 's.v + 1' } })
        .execute()
      await expectRecorded(table, 'merge-insert-only-partitioned')
    },
  )

  test.runIf(present)('columns and members that come with the source, as recorded', async () => {
    const table = await make('id INT, v STRING, st STRUCT<a: INT>')
    await table.append([
      { id: 1, v: 'a', st: { a: 1 } },
      { id: 2, v: 'b', st: null },
    ])
    const t = table.as('t')
    const rows: Row[] = [
      ['x', 1, [5, 'new'], parseDate('2024-01-01')!],
      ['y', 3, [6, 'n2'], null],
    ]
    await t
      .merge(given('V STRING, ID INT, st STRUCT<a: INT, b: STRING>, d DATE', ...rows), 't.id = s.id', {
        sourceAlias: 's',
      })
      .withSchemaEvolution()
      .whenMatchedUpdateAll()
      .whenNotMatchedInsertAll()
      .execute()
    await t
      .merge(given('id INT, extra INT', [2, 99]), 't.id = s.id', { sourceAlias: 's' })
      .withSchemaEvolution()
      .whenMatchedUpdateAll()
      .execute()
    await t
      .merge(given('id INT, more DOUBLE', [40, 1.5]), 't.id = s.id', { sourceAlias: 's' })
      .withSchemaEvolution()
      .whenNotMatchedInsert({ values: { id: 's.id', more: 's.more' } })
      .execute()
    await expectRecorded(table, 'merge-schema-evolution')
  })

  test.runIf(present)('what is refused, and what looks like it and is not, as recorded', async () => {
    const table = await make('id INT, v STRING, st STRUCT<a: INT, b: INT>')
    await table.append([
      { id: 1, v: 'a', st: { a: 1, b: 1 } },
      { id: 2, v: 'b', st: null },
    ])
    const t = table.as('t')
    const s = { sourceAlias: 's' }
    const one = () => t.merge(given('id INT', [1]), 't.id = s.id', s)
    const twice = () => given('id INT, k INT', [1, 1], [1, 2])
    const AMBIGUOUS = 'DELTA_MULTIPLE_SOURCE_ROW_MATCHING_TARGET_ROW_IN_MERGE 21506'
    expect(
      await refusal(
        t
          .merge(twice(), 't.id = s.id', s)
          .whenMatchedUpdate({ set: { v: "'x'" } })
          .execute(),
      ),
    ).toBe(AMBIGUOUS)
    const mixed = t
      .merge(twice(), 't.id = s.id', s)
      .whenMatchedDelete('s.k = 1')
      .whenMatchedUpdate({ set: { v: "'x'" } })
    expect(await refusal(mixed.execute())).toBe(AMBIGUOUS)
    await t.merge(twice(), 't.id = s.id', s).whenMatchedDelete().execute()
    await t
      .merge(given('id INT, k INT', [2, 1], [2, 2]), 't.id = s.id AND s.k = 2', s)
      .whenMatchedUpdate({ set: { v: "'ok'" } })
      .execute()
    const UNRESOLVED = 'DELTA_MERGE_UNRESOLVED_EXPRESSION 42601'
    const refused: [string, string][] = [
      [await refusal(one().execute()), 'DELTA_MERGE_MISSING_WHEN 42601'],
      [
        await refusal(
          one()
            .whenMatchedDelete()
            .whenMatchedUpdate({ condition: 't.id = 1', set: { v: "'x'" } })
            .execute(),
        ),
        'DELTA_NON_LAST_MATCHED_CLAUSE_OMIT_CONDITION 42601',
      ],
      [await refusal(one().whenMatchedUpdateAll().execute()), UNRESOLVED],
      [await refusal(one().whenNotMatchedInsertAll().execute()), UNRESOLVED],
      [
        await refusal(
          one()
            .whenMatchedUpdate({ set: { zz: 's.id' } })
            .execute(),
        ),
        UNRESOLVED,
      ],
      [
        await refusal(
          one()
            .whenMatchedUpdate({
              set: new Map([
                ['v', "'a'"],
                ['V', "'b'"],
              ]),
            })
            .execute(),
        ),
        'DELTA_CONFLICT_SET_COLUMN 42701',
      ],
      [
        await refusal(
          one()
            .whenMatchedUpdate({ set: { 'st.a': '1', st: 'null' } })
            .execute(),
        ),
        'DELTA_CONFLICT_SET_COLUMN 42701',
      ],
      [
        await refusal(
          one()
            .whenNotMatchedBySourceUpdate({ set: { v: 's.id' } })
            .execute(),
        ),
        UNRESOLVED,
      ],
      [
        await refusal(
          t
            .merge(given('id INT', [1]), 't.id = (SELECT 1)', s)
            .whenMatchedDelete()
            .execute(),
        ),
        'DELTA_UNSUPPORTED_SUBQUERY 0AKDC',
      ],
      [
        await refusal(
          t
            .merge(given('id INT', [1]), 'rand() > 0.5', s)
            .whenMatchedDelete()
            .execute(),
        ),
        'DELTA_NON_DETERMINISTIC_FUNCTION_NOT_SUPPORTED 0AKDC',
      ],
      [
        await refusal(
          t
            .merge(given('id STRING', ['abc']), 't.v = s.id', s)
            .whenNotMatchedInsert({ values: { id: 's.id' } })
            .execute(),
        ),
        'CAST_INVALID_INPUT 22018',
      ],
    ]
    for (const [actual, expected] of refused) expect(actual).toBe(expected)
    await expectRecorded(table, 'merge-errors')
  })
})
