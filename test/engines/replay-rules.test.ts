/** Recorded histories of tables that ask something of their rows, replayed by methods: same rows, same refusals. */
import { readFileSync } from 'node:fs'
import { afterAll, describe, expect, test } from 'vitest'
import { duckdbEngine } from '../../src/engine/duckdb/index.ts'
import { rowsOf } from '../../src/engine/index.ts'
import { jsEngine } from '../../src/engine/js/index.ts'
import { isDeltaError } from '../../src/errors/index.ts'
import { loadSnapshot, type Snapshot } from '../../src/kernel/index.ts'
import { parseSchema } from '../../src/schema/index.ts'
import { memoryStore } from '../../src/storage/index.ts'
import { type DeltaTable, type DeltaTables, deltaTables, localBackend } from '../../src/table/index.ts'
import { recordedText, rowText } from '../conformance/canonical-rows.ts'
import { sharedMissing, sharedPath } from '../support/shared.ts'

interface Recorded {
  readonly statements: readonly {
    readonly sql?: string
    readonly newVersions?: readonly number[]
    readonly error?: { readonly class: string; readonly sqlState: string | null }
  }[]
  readonly versions: Readonly<
    Record<
      string,
      {
        readonly rows: readonly unknown[]
        readonly protocol: object
        readonly properties: object
        readonly schema: object
      }
    >
  >
}

/** One statement of a script, by its number from 1, as a call; those that only read are left out. */
type Step = readonly [statement: number, run: (table: DeltaTable, tables: DeltaTables) => Promise<unknown>]

/** What a script's statement does otherwise here, and why. */
type Differs = ReadonlyMap<number, string>

interface Replay {
  readonly create: (tables: DeltaTables) => Promise<DeltaTable>
  readonly steps: readonly Step[]
  /** statements whose error is another one by method */
  readonly otherwise?: Differs
}

const LOCATION = '/t'
const DEFAULTS = { 'delta.feature.allowColumnDefaults': 'supported' }

const REPLAYS: Readonly<Record<string, Replay>> = {
  'constraints-check': {
    create: (tables) => tables.create().location(LOCATION).addColumns('id INT, price DOUBLE, name STRING').execute(),
    steps: [
      [
        2,
        (t) =>
          t.append([
            { id: 1, price: 10, name: 'a' },
            { id: 2, price: null, name: 'b' },
          ]),
      ],
      [3, (t) => t.addConstraint('positive', 'price > 0')],
      [4, (t) => t.delete('price IS NULL')],
      [5, (t) => t.addConstraint('positive', 'price > 0')],
      [6, (t) => t.append([{ id: 3, price: -1, name: 'c' }])],
      [7, (t) => t.append([{ id: 4, price: null, name: 'null result fails too' }])],
      [8, (t) => t.addConstraint('name not empty', "length ( name ) > 0 AND name <> 'bad'")],
      [9, (t) => t.append([{ id: 5, price: 1, name: 'fine' }])],
      [10, (t) => t.append([{ id: 5, price: 1, name: '' }])],
      [11, (t) => t.update({ where: 'id = 1', set: { name: "'bad'" } })],
      [
        12,
        (t) =>
          t
            .as('t')
            .merge([{ id: 1 }], 't.id = s.id', { sourceAlias: 's' })
            .whenMatchedUpdate({ set: { price: '-5' } })
            .execute(),
      ],
      [13, (t) => t.addConstraint('big', 'price > 100')],
      [14, (t) => t.addConstraint('positive', 'price > 1')],
      [15, (t) => t.dropConstraint('positive')],
      [16, (t) => t.dropConstraint('nope')],
      [17, (t) => t.dropConstraint('nope', { ifExists: true })],
      [18, (t) => t.append([{ id: 6, price: -6, name: 'ok now' }])],
      [19, (t) => t.renameColumn('name', 'other')],
      [20, (t) => t.setProperties({ 'delta.constraints.byprop': 'id < 1000' })],
    ],
  },
  'constraints-not-null': {
    create: (tables) =>
      tables
        .create()
        .location(LOCATION)
        .addColumns('id INT NOT NULL, st STRUCT<a: INT NOT NULL, b: STRING> NOT NULL, v STRING')
        .execute(),
    steps: [
      [2, (t) => t.append([{ id: 1, st: { a: 1, b: null }, v: null }])],
      [3, (t) => t.append([{ id: null, st: { a: 1, b: null } }])],
      [4, (t) => t.append([{ id: 2, st: { a: null, b: 'x' } }])],
      [5, (t) => t.append([{ id: 2, st: null }])],
      [6, (t) => t.append([{ st: { a: 1, b: 'x' } }])],
      [7, (t) => t.update({ set: { id: 'null' } })],
      [8, (t) => t.changeColumn('id', { nullable: true })],
      [9, (t) => t.append([{ id: null, st: { a: 1, b: null } }])],
      [10, (t) => t.changeColumn('v', { nullable: false })],
    ],
    otherwise: new Map([[6, 'DELTA_NOT_NULL_CONSTRAINT_VIOLATED 23502']]),
  },
  'generated-columns': {
    create: (tables) =>
      tables
        .create()
        .location(LOCATION)
        .addColumns('id BIGINT, ts TIMESTAMP')
        .addColumn('day', 'DATE', { generatedAlwaysAs: 'CAST(ts AS DATE)' })
        .addColumn('dbl', 'BIGINT', { generatedAlwaysAs: 'id * 2' })
        .addColumn('up', 'STRING', { generatedAlwaysAs: 'upper(name)' })
        .addColumn('name', 'STRING')
        .partitionedBy('day')
        .execute(),
    steps: [
      [
        2,
        (t) =>
          t.append([
            { id: 1, ts: '2024-01-01T23:59:59Z', name: 'a' },
            { id: 2, ts: '2024-01-02T00:00:00Z', name: null },
            { id: 3, ts: null, name: 'c' },
          ]),
      ],
      [3, (t) => t.append([{ id: 4, ts: '2024-05-05T05:05:05Z', day: '2024-05-05', dbl: 8, up: 'D', name: 'd' }])],
      [4, (t) => t.append([{ id: 5, ts: '2024-05-05T05:05:05Z', day: '2024-05-06', name: 'e' }])],
      [5, (t) => t.update({ where: 'id = 1', set: { id: '10' } })],
      [6, (t) => t.update({ where: 'id = 2', set: { ts: "TIMESTAMP'2025-06-07 08:00:00'" } })],
      [7, (t) => t.update({ where: 'id = 3', set: { dbl: '5' } })],
      [
        8,
        (t) =>
          t
            .as('t')
            .merge(
              [
                { id: 3, ts: '2026-01-01T00:00:00Z', name: 'merged' },
                { id: 99, ts: null, name: 'ins' },
              ],
              't.id = s.id',
              { sourceAlias: 's' },
            )
            .whenMatchedUpdate({ set: { 't.ts': 's.ts', 't.name': 's.name' } })
            .whenNotMatchedInsert({ values: { id: 's.id', ts: 's.ts', name: 's.name' } })
            .execute(),
      ],
      [10, (t) => t.dropColumn('ts')],
      [11, (t) => t.changeColumn('id', { type: 'STRING' })],
    ],
  },
  'identity-always': {
    create: (tables) =>
      tables
        .create()
        .location(LOCATION)
        .addColumn('id', 'BIGINT', { identity: { start: 100, step: 10 } })
        .addColumn('v', 'STRING')
        .execute(),
    steps: [
      [2, (t) => t.append([{ v: 'a' }, { v: 'b' }])],
      [3, (t) => t.append([{ v: 'c' }])],
      [4, (t) => t.append([{ id: 1, v: 'x' }])],
      [5, (t) => t.update({ set: { id: '1' } })],
      [
        6,
        (t) =>
          t
            .as('t')
            .merge([{ v: 'c' }, { v: 'd' }], 't.v = s.v', { sourceAlias: 's' })
            .whenMatchedUpdate({ set: { v: "'cc'" } })
            .whenNotMatchedInsert({ values: { v: 's.v' } })
            .execute(),
      ],
      [7, (t) => t.overwrite([{ v: 'z' }])],
    ],
  },
  defaults: {
    create: (tables) =>
      tables
        .create()
        .location(LOCATION)
        .addColumn('id', 'INT')
        .addColumn('a', 'STRING', { default: "'dflt'" })
        .addColumn('b', 'INT', { default: '1 + 1' })
        .addColumn('d', 'DATE', { default: "DATE'2024-01-01'" })
        .properties(DEFAULTS)
        .execute(),
    steps: [
      [2, (t) => t.append([{ id: 1 }])],
      [
        3,
        (t) =>
          t.append([
            { id: 2, b: 5 },
            { id: 3, a: null, b: null, d: null },
          ]),
      ],
      [4, (t) => t.changeColumn('b', { default: '42' })],
      [5, (t) => t.append([{ id: 4, a: 'given' }])],
      [6, (t) => t.update({ where: 'id = 4', set: { a: 'DEFAULT' } })],
      [8, (t) => t.changeColumn('a', { default: null })],
      [9, (t) => t.append([{ id: 10 }])],
    ],
  },
  'types-void-char-varchar': {
    create: (tables) =>
      tables
        .create()
        .location(LOCATION)
        .addColumns("id INT COMMENT 'the id', c CHAR(5), v VARCHAR(3), n VOID")
        .comment('table comment')
        .execute(),
    steps: [
      [
        2,
        (t) =>
          t.append([
            { id: 1, c: 'ab', v: 'abc' },
            { id: 2, c: null, v: null },
          ]),
      ],
      [3, (t) => t.append([{ id: 3, c: 'toolong', v: 'x' }])],
      [4, (t) => t.append([{ id: 3, c: 'x', v: 'toolong' }])],
      [5, (t) => t.changeColumn('v', { type: 'VARCHAR(5)' })],
      [6, (t) => t.append([{ id: 4, c: '12345', v: 'abcde' }])],
    ],
  },
}

const duckdb = duckdbEngine({ threads: 2, memoryLimit: '1GB' })
afterAll(() => duckdb.close())

const missing = sharedMissing('tables-spark')
if (missing !== undefined) console.log(`skipped: ${missing}`)
const recordingOf = (name: string) =>
  JSON.parse(readFileSync(sharedPath('tables-spark', name, 'expected.json'), 'utf8')) as Recorded

/** The schema, protocol and properties of a version, as comparable data. */
function factsOf({ schema, protocol, configuration }: Snapshot, recorded: Recorded['versions'][string]) {
  const features = (names: readonly string[] | undefined) => names && { features: [...names].sort() }
  const { writerFeatures, readerFeatures, ...levels } = recorded.protocol as Snapshot['protocol']
  return {
    found: {
      schema,
      levels: { minReaderVersion: protocol.minReaderVersion, minWriterVersion: protocol.minWriterVersion },
      writer: features(protocol.writerFeatures),
      reader: features(protocol.readerFeatures),
      properties: Object.fromEntries(configuration),
    },
    wanted: {
      schema: parseSchema(JSON.stringify(recorded.schema)),
      levels,
      writer: features(writerFeatures),
      reader: features(readerFeatures),
      properties: recorded.properties,
    },
  }
}

describe.skipIf(missing !== undefined).each([
  ['js', jsEngine()],
  ['duckdb', duckdb],
] as const)('the %s engine', (_, engine) => {
  test.each(Object.keys(REPLAYS))('%s', async (name) => {
    const { create, steps, otherwise = new Map() } = REPLAYS[name]!
    const recorded = recordingOf(name)
    const store = memoryStore({ location: LOCATION })
    const tables = deltaTables(() => localBackend({ openStore: async () => store, engine }))
    const table = await create(tables)
    const compare = async (version: number) => {
      const expected = recorded.versions[version]!
      const snapshot = await loadSnapshot(store, engine)
      expect(snapshot.version, `${name}, version`).toBe(version)
      const { found, wanted } = factsOf(snapshot, expected)
      expect(found, `${name}, version ${version}`).toEqual(wanted)
      const { schema, batches } = await table.scan().open()
      const texts: string[] = []
      for await (const batch of batches()) for (const row of rowsOf(batch)) texts.push(rowText(row, schema))
      const rows = expected.rows.map((row) => recordedText(row, schema))
      expect(texts.sort(), `${name}, rows of version ${version}`).toEqual(rows.sort())
    }
    let version = 0
    await compare(version)
    for (const [number, run] of steps) {
      const { error, newVersions = [], sql } = recorded.statements[number - 1]!
      if (error === undefined) {
        await run(table, tables)
        version += newVersions.length
      } else {
        const code = await codeOf(() => run(table, tables))
        // a class of the reference without an SQLSTATE has one here
        const wanted = otherwise.get(number) ?? `${error.class} ${error.sqlState ?? code.split(' ')[1]}`
        expect(code, sql).toBe(wanted)
      }
      await compare(version)
    }
  })
})

async function codeOf(work: () => Promise<unknown>): Promise<string> {
  try {
    await work()
    return 'taken'
  } catch (error) {
    if (isDeltaError(error)) return `${error.code} ${error.sqlState}`
    throw error
  }
}
