/** MERGE by methods on both engines: the recorded histories of the reference, and what they leave open. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { duckdbEngine } from '../../src/engine/duckdb/index.ts'
import type { Batch } from '../../src/engine/index.ts'
import { jsEngine } from '../../src/engine/js/index.ts'
import { isDeltaError } from '../../src/errors/index.ts'
import { parseTableSchema } from '../../src/expressions/index.ts'
import { type Row, rowToJson, type Value } from '../../src/schema/index.ts'
import { Lake } from '../../src/sql/index.ts'
import { memoryStore, type ObjectStore } from '../../src/storage/index.ts'
import { parseDate } from '../../src/support/index.ts'
import { type DeltaTable, deltaTables, localBackend, type MergeBuilder, type QueryRows } from '../../src/table/index.ts'
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

  const s = { sourceAlias: 's' }
  const UNRESOLVED = 'DELTA_MERGE_UNRESOLVED_EXPRESSION 42601'
  const NESTED = 'id INT, v STRING, st STRUCT<a: INT, b: STRING>'

  async function nested(): Promise<DeltaTable> {
    const table = await make(NESTED)
    await table.append([
      { id: 1, v: 'a', st: { a: 1, b: 'x' } },
      { id: 2, v: 'b', st: null },
    ])
    return table.as('t')
  }

  test('members of structs that the source lacks stay as they are, and come null in new rows', async () => {
    const t = await nested()
    const rows: Row[] = [
      [1, [9]],
      [2, [8]],
      [3, [7]],
    ]
    await t
      .merge(given('id INT, st STRUCT<a: INT>', ...rows), 't.id = s.id', s)
      .withSchemaEvolution()
      .whenMatchedUpdateAll()
      .whenNotMatchedInsertAll()
      .execute()
    await t
      .merge(given('id INT, st STRUCT<a: INT, c: INT>', [1, null]), 't.id = s.id', s)
      .withSchemaEvolution()
      .whenMatchedUpdateAll()
      .execute()
    expect(await texts(t)).toEqual([
      '{"id":1,"v":"a","st":{"a":null,"b":"x","c":null}}',
      '{"id":2,"v":"b","st":{"a":8,"b":null,"c":null}}',
      '{"id":3,"v":null,"st":{"a":7,"b":null,"c":null}}',
    ])
  })

  test('without evolution structs are matched by the names of their members, all of which must be there', async () => {
    const t = await nested()
    const update = (ddl: string, st: Row) =>
      t
        .merge(given(`id INT, v STRING, ${ddl}`, [1, 'n', st]), 't.id = s.id', s)
        .whenMatchedUpdateAll()
        .execute()
    expect(await refusal(update('st STRUCT<a: INT>', [9]))).toBe('DELTA_UPDATE_SCHEMA_MISMATCH_EXPRESSION 42846')
    expect(await refusal(update('st STRUCT<a: INT, b: STRING, c: INT>', [9, 'y', 1]))).toBe(
      'DELTA_UPDATE_SCHEMA_MISMATCH_EXPRESSION 42846',
    )
    await update('st STRUCT<b: STRING, a: BIGINT>', ['y', 9n])
    expect(await texts(t)).toEqual(['{"id":1,"v":"n","st":{"a":9,"b":"y"}}', '{"id":2,"v":"b","st":null}'])
  })

  test('members are set one by one, also of a struct that is null', async () => {
    const t = await nested()
    await t
      .merge(given('id INT', [2]), 't.id = s.id', s)
      .whenMatchedUpdate({ set: { 't.st.a': 's.id', 'st.b': "'n'" } })
      .execute()
    expect((await texts(t))[1]).toBe('{"id":2,"v":"b","st":{"a":2,"b":"n"}}')
  })

  test('lists of structs grow with the source, and are matched by name', async () => {
    const t = (await make('id INT, a ARRAY<STRUCT<x: INT>>')).as('t')
    await t.append([{ id: 1, a: [{ x: 1 }] }])
    const merge = (ddl: string, a: Value[]) =>
      t.merge(given(`id INT, a ARRAY<STRUCT<${ddl}>>`, [1, a]), 't.id = s.id', s)
    await merge('x: INT, y: STRING', [[2, 'q']])
      .withSchemaEvolution()
      .whenMatchedUpdateAll()
      .execute()
    await merge('y: STRING', [['r']])
      .withSchemaEvolution()
      .whenMatchedUpdateAll()
      .execute()
    expect(await texts(t)).toEqual(['{"id":1,"a":[{"x":null,"y":"r"}]}'])
    await merge('y: STRING, x: INT', [['zz', 4]])
      .whenMatchedUpdateAll()
      .execute()
    expect(await texts(t)).toEqual(['{"id":1,"a":[{"x":4,"y":"zz"}]}'])
    expect(
      await refusal(
        merge('x: INT', [[4]])
          .whenMatchedUpdateAll()
          .execute(),
      ),
    ).toBe('DELTA_UPDATE_SCHEMA_MISMATCH_EXPRESSION 42846')
  })

  test('evolution keeps the types of the table, adds what clauses speak of, and makes a version for columns alone', async () => {
    const t = (await make('id INT, n INT')).as('t')
    await t.append([{ id: 1, n: 1 }])
    const merge = (ddl: string, ...row: Value[]) =>
      t.merge(given(`id INT, ${ddl}`, row), 't.id = s.id', s).withSchemaEvolution()
    await merge('n BIGINT', 1, 5n).whenMatchedUpdateAll().execute()
    expect(await refusal(merge('n BIGINT', 1, 5_000_000_000n).whenMatchedUpdateAll().execute())).toBe(
      'DELTA_CAST_OVERFLOW_IN_TABLE_WRITE 22003',
    )
    await merge('n STRING', 1, '12').whenMatchedUpdateAll().execute()
    expect(await refusal(merge('n ARRAY<INT>', 1, [1]).whenMatchedUpdateAll().execute())).toBe(
      'DELTA_FAILED_TO_MERGE_FIELDS 22005',
    )
    expect(await refusal(merge('bb INT, BB INT', 1, 1, 2).whenMatchedUpdateAll().execute())).toBe(
      'DELTA_DUPLICATE_COLUMNS_FOUND.DATA 42711',
    )
    expect(
      await refusal(
        merge('x INT', 1, 7)
          .whenMatchedUpdate({ set: { nc: 's.x' } })
          .execute(),
      ),
    ).toBe(UNRESOLVED)
    const version = await t.version()
    const { numAffectedRows } = await merge('newc INT', 99, 1).whenMatchedUpdateAll().execute()
    expect([numAffectedRows, await t.version()]).toEqual([0, version + 1])
    expect(await texts(t)).toEqual(['{"id":1,"n":12,"newc":null}'])
  })

  test('names are found in the tables that a clause may speak of', async () => {
    const t = await nested()
    const merge = (on: string, id = 1) => t.merge(given('id INT, v STRING', [id, 'q']), on, s)
    const same = 't.id = s.id'
    const refused: [MergeBuilder, string][] = [
      [merge('t.nope = s.id').whenMatchedDelete(), UNRESOLVED],
      [merge('id = 1').whenMatchedDelete(), 'AMBIGUOUS_REFERENCE 42704'],
      [merge(same).whenMatchedDelete('id = 1'), 'AMBIGUOUS_REFERENCE 42704'],
      [merge(same).whenMatchedUpdate({ set: { 's.v': "'x'" } }), UNRESOLVED],
      [merge(same).whenMatchedUpdate({ set: { v: 'v' } }), 'AMBIGUOUS_REFERENCE 42704'],
      [merge(same, 10).whenNotMatchedInsert({ condition: 't.id IS NULL', values: { id: 'id' } }), UNRESOLVED],
      [
        merge(same, 10).whenNotMatchedInsert({ values: { id: '1', ID: '2' } }),
        'DELTA_DUPLICATE_COLUMNS_ON_INSERT 42701',
      ],
      [merge(same, 10).whenNotMatchedInsert({ values: { id: '1', nope: '2' } }), UNRESOLVED],
      [
        merge(same, 10).whenNotMatchedInsert({ values: { id: '1', 'st.a': '2' } }),
        'DELTA_UNSUPPORTED_NESTED_FIELD_IN_OPERATION 0AKDC',
      ],
      [merge('max(t.id) = 1').whenMatchedDelete(), 'DELTA_AGGREGATION_NOT_SUPPORTED 42903'],
      [merge(same).whenMatchedDelete('rand() > 0.5'), 'DELTA_NON_DETERMINISTIC_FUNCTION_NOT_SUPPORTED 0AKDC'],
      [merge(same).whenMatchedDelete('t.id IN (SELECT 1)'), 'DELTA_UNSUPPORTED_SUBQUERY 0AKDC'],
      [merge('t.id').whenMatchedDelete(), 'JOIN_CONDITION_IS_NOT_BOOLEAN_TYPE 42K0E'],
    ]
    for (const [work, expected] of refused) expect(await refusal(work.execute())).toBe(expected)
    await merge(same, 9)
      .whenNotMatchedInsert({ values: { id: 'id', v: 'v' } })
      .execute()
    expect((await texts(t)).at(-1)).toBe('{"id":9,"v":"q","st":null}')
  })

  test('columns that are left out get their default, generated ones follow, and DEFAULT may be written', async () => {
    const table = await tables
      .create()
      .location(location)
      .addColumn('id', 'INT')
      .addColumn('b', 'INT', { default: '7' })
      .addColumn('g', 'INT', { generatedAlwaysAs: 'id * 2' })
      .property('delta.feature.allowColumnDefaults', 'supported')
      .execute()
    const t = table.as('t')
    await t.append([{ id: 1, b: 1 }])
    const merge = (ddl: string, ...row: Value[]) => t.merge(given(ddl, row), 't.id = s.id', s)
    await merge('id INT', 2)
      .whenNotMatchedInsert({ values: { id: 's.id' } })
      .execute()
    await merge('id INT', 3)
      .whenNotMatchedInsert({ values: { id: 's.id', b: 'DEFAULT' } })
      .execute()
    await merge('id INT', 4).withSchemaEvolution().whenNotMatchedInsertAll().execute()
    await merge('id INT', 1)
      .whenMatchedUpdate({ set: { id: '5', b: 'DEFAULT' } })
      .execute()
    expect(await texts(t)).toEqual([2, 3, 4, 5].map((id) => `{"id":${id},"b":7,"g":${id * 2}}`))
    expect(await refusal(merge('id INT', 8).whenNotMatchedInsertAll().execute())).toBe(UNRESOLVED)
    expect(await refusal(merge('id INT, b INT, g INT', 9, 1, 3).whenNotMatchedInsertAll().execute())).toBe(
      'DELTA_VIOLATE_CONSTRAINT_WITH_VALUES 23001',
    )
  })

  test('numbers are given to new rows once, also for readers of the change feed', async () => {
    const table = await tables
      .create()
      .location(location)
      .addColumn('n', 'BIGINT', { identity: { start: 10, step: 5 } })
      .addColumn('id', 'INT')
      .property('delta.enableChangeDataFeed', 'true')
      .execute()
    const t = table.as('t')
    await t.append([{ id: 1 }, { id: 2 }])
    const { version } = await t
      .merge(given('id INT', [1], [3], [4]), 't.id = s.id', s)
      .whenMatchedDelete()
      .whenNotMatchedInsert({ values: { id: 's.id' } })
      .execute()
    const rows = await texts(t)
    expect(rows.length).toBe(3)
    expect(new Set(rows.map((row) => row.slice(0, 7))).size).toBe(3)
    const inserted = await t.changes({ from: version!, select: ['n', 'id', '_change_type'] }).rows()
    const told = inserted.filter((row) => row._change_type === 'insert').map(({ n, id }) => `{"n":${n},"id":${id}}`)
    expect(rows).toEqual(expect.arrayContaining(told))
    expect(told.length).toBe(2)
    const set = t.merge(given('id INT', [3]), 't.id = s.id', s).whenMatchedUpdate({ set: { n: '1' } })
    expect(await refusal(set.execute())).toMatch(/^DELTA_IDENTITY_COLUMNS_UPDATE_NOT_SUPPORTED/)
  })

  test('rows alone that come need no change files; others tell of all', async () => {
    const t = (await make('id INT, v STRING', { 'delta.enableChangeDataFeed': 'true' })).as('t')
    await t.append([
      { id: 1, v: 'a' },
      { id: 2, v: 'b' },
    ])
    const merge = (...rows: Row[]) => t.merge(given('id INT, v STRING', ...rows), 't.id = s.id', s)
    const come = await merge([4, 'c']).whenMatchedUpdateAll().whenNotMatchedInsertAll().execute()
    expect(come.metrics.numTargetChangeFilesAdded).toBe(0)
    const go = await merge([4, 'c'], [4, 'd']).whenMatchedDelete().execute()
    expect([go.metrics.numTargetChangeFilesAdded, go.numDeletedRows]).toEqual([1, 1])
    const changes = await t.changes({ from: go.version!, select: ['id', 'v', '_change_type'] }).rows()
    expect(changes).toEqual([{ id: 4, v: 'c', _change_type: 'delete' }])
  })

  test('with deletion vectors rows are marked, and files of which no row stays are removed', async () => {
    const t = (await make('id INT, v STRING', { 'delta.enableDeletionVectors': 'true' })).as('t')
    await t.append([
      { id: 1, v: 'a' },
      { id: 2, v: 'b' },
    ])
    await t.append([
      { id: 3, v: 'a' },
      { id: 4, v: 'b' },
    ])
    const merge = (...rows: Row[]) => t.merge(given('id INT', ...rows), 't.id = s.id', s)
    const { metrics: gone } = await merge([1], [2]).whenMatchedDelete().execute()
    expect([gone.numTargetFilesRemoved, gone.numTargetDeletionVectorsAdded]).toEqual([1, 0])
    expect(gone.numTargetBytesRemoved).toBeGreaterThan(0)
    const { metrics } = await merge([3], [5])
      .whenMatchedUpdate({ set: { v: "'u'" } })
      .whenNotMatchedInsert({ values: { id: 's.id' } })
      .execute()
    expect([metrics.numTargetFilesRemoved, metrics.numTargetDeletionVectorsAdded, metrics.numOutputRows]).toEqual([
      0, 1, 2,
    ])
    expect(metrics.numTargetRowsCopied).toBe(0)
    expect(await texts(t)).toEqual(['{"id":3,"v":"u"}', '{"id":4,"v":"b"}', '{"id":5,"v":null}'])
  })

  test('a table for appending alone takes new rows, and no other clause', async () => {
    const t = (await make('id INT', { 'delta.appendOnly': 'true' })).as('t')
    await t.append([{ id: 1 }])
    const merge = () => t.merge(given('id INT', [1], [2]), 't.id = s.id', s).whenNotMatchedInsertAll()
    await merge().execute()
    expect(await refusal(merge().whenMatchedDelete().execute())).toBe('DELTA_CANNOT_MODIFY_APPEND_ONLY 42809')
    expect(await t.count()).toBe(2)
  })

  test('rows that break a constraint leave the table as it was', async () => {
    const t = (await make('id INT, n INT NOT NULL', { 'delta.constraints.positive': 'n > 0' })).as('t')
    await t.append([{ id: 1, n: 1 }])
    const set = (n: string) =>
      t
        .merge(given('id INT', [1]), 't.id = s.id', s)
        .whenMatchedUpdate({ set: { n } })
        .execute()
    expect(await refusal(set('-5'))).toBe('DELTA_VIOLATE_CONSTRAINT_WITH_VALUES 23001')
    expect(await refusal(set('null'))).toMatch(/^DELTA_NOT_NULL_CONSTRAINT_VIOLATED/)
    expect([await t.version(), await texts(t)]).toEqual([1, ['{"id":1,"n":1}']])
  })

  test('UP-07: the same merge again and again leaves partitions with odd names as they are', async () => {
    const t = (await make('id INT, p STRING', {}, ['p'])).as('t')
    const rows: Row[] = [
      [1, 'a b'],
      [2, 'a/b'],
      [3, 'a%b'],
      [4, null],
    ]
    for (let i = 0; i < 3; i++) {
      await t
        .merge(given('id INT, p STRING', ...rows), 't.id = s.id AND t.p <=> s.p', s)
        .whenMatchedUpdateAll()
        .whenNotMatchedInsertAll()
        .execute()
    }
    expect(await texts(t)).toEqual([
      '{"id":1,"p":"a b"}',
      '{"id":2,"p":"a/b"}',
      '{"id":3,"p":"a%b"}',
      '{"id":4,"p":null}',
    ])
  })

  test('UP-30: who is ambiguous is told by the keys of the source', async () => {
    const t = (await make('id INT, v STRING')).as('t')
    await t.append([{ id: 7, v: 'a' }])
    const merge = t.merge(given('id INT, k INT', [7, 1], [7, 2]), 't.id = s.id', s)
    await expect(merge.whenMatchedUpdate({ set: { v: "'x'" } }).execute()).rejects.toThrow(
      /the source has 2 of them with id = 7/,
    )
  })

  test('UP-38: null keys are told of, and <=> matches them', async () => {
    const warnings: string[] = []
    const warned = deltaTables(() =>
      localBackend({ openStore: async () => store, engine, onWarning: (text) => warnings.push(text) }),
    )
    await make('k INT, v STRING')
    const t = (await warned.forPath(location)).as('t')
    await t.append([{ k: null, v: 'a' }])
    const merge = (on: string) =>
      t
        .merge(given('k INT, v STRING', [null, 'b']), on, s)
        .whenMatchedUpdateAll()
        .execute()
    expect((await merge('t.k = s.k')).numUpdatedRows).toBe(0)
    expect(warnings.join()).toMatch(/null for k, which = never matches; <=> does/)
    expect((await merge('t.k <=> s.k')).numUpdatedRows).toBe(1)
    expect(warnings.length).toBe(1)
  })

  test('a source is objects, a stream of them, or a scan of another table', async () => {
    const t = (await make('id INT, d DATE, amount DECIMAL(10,2)')).as('t')
    const merge = (rows: Parameters<DeltaTable['merge']>[0]) =>
      t.merge(rows, 't.id = s.id', s).whenMatchedUpdateAll().whenNotMatchedInsertAll().execute()
    await merge([{ id: 1, d: '2024-01-01', amount: '1.50' }])
    await merge(
      (async function* () {
        yield { id: 1, d: '2024-01-02', amount: '2.00' }
        yield [{ id: 2, d: null, amount: null }]
      })(),
    )
    expect((await merge([])).version).toBe(null)
    await t
      .merge(t.as('s').scan({ where: 'id = 2' }), 't.id = s.id', s)
      .whenMatchedDelete()
      .execute()
    expect(await texts(t)).toEqual(['{"id":1,"d":"2024-01-02","amount":2.00}'])
  })
})

describe('a query as the source of a MERGE', () => {
  test('goes into the table without leaving the engine', async () => {
    const store = memoryStore({ location: '/orders' })
    const openStore = async () => store
    const backend = localBackend({ openStore, engine: duckdb })
    const tables = deltaTables(() => backend)
    const table = await tables.create().location('/orders').addColumns('id INT, v STRING').execute()
    await table.append([
      { id: 1, v: 'a' },
      { id: 2, v: 'b' },
    ])
    const lake = new Lake(
      { engine: duckdb, backend, openStore, tables: new Map([['orders', '/orders']]) },
      async () => {},
    )
    const changed = await lake.source("SELECT id + 1 AS id, v || '!' AS v FROM orders WHERE id < 10")
    const { metrics } = await table
      .as('t')
      .merge(changed, 't.id = s.id', { sourceAlias: 's' })
      .whenMatchedUpdateAll()
      .whenNotMatchedInsertAll()
      .execute()
    expect([metrics.numSourceRows, metrics.numTargetRowsUpdated, metrics.numTargetRowsInserted]).toEqual([2, 1, 1])
    const rows = await table.rows()
    expect(rows.map(({ id, v }) => `${id} ${v}`).sort()).toEqual(['1 a', '2 a!', '3 b!'])
    expect(await lake.source('DELETE FROM orders').catch((error: { code: string }) => error.code)).toBe('LAKE_USAGE')
  })
})
