/** Tables that ask something of their rows: Spark writes to ours, and we go on behind it, each keeping what is asked. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { closeTables, DeltaTable, parseTableSchema } from '../../src/index.ts'
import { field, type StructField, structType } from '../../src/schema/index.ts'
import { oracleMissing, type ReadBack, readBySpark, runOnSpark, type SparkAnswer } from './oracle.ts'

interface RuledTable {
  readonly name: string
  readonly fields: readonly StructField[]
  readonly partitionBy?: readonly string[]
  readonly properties?: Readonly<Record<string, string>>
  readonly first: readonly Record<string, unknown>[]
  /** INSERT statements of Spark, `{t}` the table; with the class of the error where Spark refuses it */
  readonly spark: readonly (readonly [statement: string, error?: string])[]
  readonly second: readonly Record<string, unknown>[]
  /** rows that neither takes */
  readonly refused?: readonly [row: Record<string, unknown>, code: string]
  /** the rows behind all of it, as JSON */
  readonly rows: readonly string[]
}

const columns = (schema: string, metadata: Readonly<Record<string, StructField['metadata']>>) =>
  parseTableSchema(schema).fields.map((f) => field(f.name, f.type, f.nullable, { ...f.metadata, ...metadata[f.name] }))

const TABLES: readonly RuledTable[] = [
  {
    name: 'check',
    fields: columns('id INT, price DOUBLE, name VARCHAR(4)', {}),
    properties: { 'delta.constraints.positive': 'price > 0' },
    first: [{ id: 1, price: 1.5, name: 'a' }],
    spark: [
      ["INSERT INTO {t} VALUES (2, 2.5, 'four')"],
      ["INSERT INTO {t} VALUES (3, -1, 'a')", 'DELTA_VIOLATE_CONSTRAINT_WITH_VALUES'],
      ["INSERT INTO {t} VALUES (3, 1, 'toolong')", 'DELTA_EXCEED_CHAR_VARCHAR_LIMIT'],
    ],
    second: [{ id: 3, price: 3.5, name: null }],
    refused: [{ id: 4, price: null }, 'DELTA_VIOLATE_CONSTRAINT_WITH_VALUES'],
    rows: ['{"id":1,"price":1.5,"name":"a"}', '{"id":2,"price":2.5,"name":"four"}', '{"id":3,"price":3.5,"name":null}'],
  },
  {
    name: 'generated',
    fields: columns('id BIGINT, ts TIMESTAMP, day DATE, up STRING, name STRING', {
      day: { 'delta.generationExpression': 'CAST(ts AS DATE)' },
      up: { 'delta.generationExpression': 'upper(name)' },
    }),
    partitionBy: ['day'],
    first: [{ id: 1, ts: '2024-01-01T23:59:59Z', name: 'straße' }],
    spark: [
      ["INSERT INTO {t} (id, ts, name) VALUES (2, TIMESTAMP'2024-01-02 00:00:00', null)"],
      [
        "INSERT INTO {t} (id, ts, day, name) VALUES (5, TIMESTAMP'2024-05-05 05:05:05', DATE'2024-05-06', 'e')",
        'DELTA_VIOLATE_CONSTRAINT_WITH_VALUES',
      ],
    ],
    second: [{ id: 3, ts: null, name: 'c', up: 'C' }],
    refused: [{ id: 4, up: 'x', name: 'y' }, 'DELTA_VIOLATE_CONSTRAINT_WITH_VALUES'],
    rows: [
      '{"id":"1","ts":"2024-01-01T23:59:59Z","day":"2024-01-01","up":"STRASSE","name":"straße"}',
      '{"id":"2","ts":"2024-01-02T00:00:00Z","day":"2024-01-02","up":null,"name":null}',
      '{"id":"3","ts":null,"day":null,"up":"C","name":"c"}',
    ],
  },
  {
    name: 'identity',
    fields: columns('id BIGINT, v STRING', {
      id: { 'delta.identity.start': 100, 'delta.identity.step': 10, 'delta.identity.allowExplicitInsert': false },
    }),
    first: [{ v: 'a' }, { v: 'b' }],
    spark: [
      ["INSERT INTO {t} (v) VALUES ('c')"],
      ["INSERT INTO {t} (id, v) VALUES (1, 'x')", 'DELTA_IDENTITY_COLUMNS_EXPLICIT_INSERT_NOT_SUPPORTED'],
    ],
    second: [{ v: 'd' }],
    refused: [{ id: 5, v: 'x' }, 'DELTA_IDENTITY_COLUMNS_EXPLICIT_INSERT_NOT_SUPPORTED'],
    rows: ['{"id":"100","v":"a"}', '{"id":"110","v":"b"}', '{"id":"120","v":"c"}', '{"id":"130","v":"d"}'],
  },
  {
    name: 'defaults',
    fields: columns('id INT, a STRING, b INT, d DATE', {
      a: { CURRENT_DEFAULT: "'dflt'" },
      b: { CURRENT_DEFAULT: '1 + 1' },
    }),
    properties: { 'delta.feature.allowColumnDefaults': 'supported' },
    first: [{ id: 1 }],
    spark: [["INSERT INTO {t} (id, d) VALUES (2, DATE'2024-01-01')"]],
    second: [{ id: 3, a: null, b: 7 }],
    rows: [
      '{"id":1,"a":"dflt","b":2,"d":null}',
      '{"id":2,"a":"dflt","b":2,"d":"2024-01-01"}',
      '{"id":3,"a":null,"b":7,"d":null}',
    ],
  },
]

const missing = oracleMissing()
let folder: string
const pathOf = ({ name }: RuledTable) => join(folder, name)
const answers = new Map<string, readonly SparkAnswer[]>()
let finally_: Map<string, ReadBack>

beforeAll(async () => {
  if (missing !== undefined) return
  folder = mkdtempSync(join(tmpdir(), 'bayou-row-rules-'))
  for (const table of TABLES) {
    const { fields, partitionBy = [], properties = {}, first } = table
    const builder = DeltaTable.create().location(pathOf(table)).addColumns(structType(fields)).properties(properties)
    await (await builder.partitionedBy(...partitionBy).execute()).append(first)
  }
  const statements = TABLES.flatMap((table) =>
    table.spark.map(([sql]) => sql.replace('{t}', `delta.\`${pathOf(table)}\``)),
  )
  const all = runOnSpark(statements)
  for (const table of TABLES) answers.set(table.name, all.splice(0, table.spark.length))
  for (const table of TABLES) await (await DeltaTable.forPath(pathOf(table))).append(table.second)
  finally_ = readBySpark(TABLES.map(pathOf))
})
afterAll(async () => {
  await closeTables()
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
})

describe.each(TABLES)('the table $name', (table) => {
  test('Spark takes and refuses rows as we do', async (context) => {
    if (missing !== undefined) return context.skip(missing)
    const classes = answers.get(table.name)!.map(({ error }) => error?.class)
    expect(classes, JSON.stringify(answers.get(table.name))).toEqual(table.spark.map(([, error]) => error))
    if (table.refused === undefined) return
    const [row, code] = table.refused
    const own = await DeltaTable.forPath(pathOf(table))
    await expect(own.append([row])).rejects.toMatchObject({ code })
  })

  test('holds the same rows for both', async (context) => {
    if (missing !== undefined) return context.skip(missing)
    const rows = await (await DeltaTable.forPath(pathOf(table))).rows()
    const text = (row: unknown) =>
      JSON.stringify(row, (_, value) => (typeof value === 'bigint' ? String(value) : value))
    expect(rows.map(text).sort()).toEqual(table.rows)
    const spark = finally_.get(pathOf(table))!
    expect(spark.rows?.length, JSON.stringify(spark).slice(0, 500)).toBe(table.rows.length)
    expect(spark.rows!.map((row) => text(row).replace(/\.000000Z/g, 'Z')).sort()).toEqual(table.rows)
  })
})
