/** What the reference answered to assignments of every kind of value to every kind of column, on both engines. */
import { existsSync, readFileSync } from 'node:fs'
import { afterAll, describe, expect, test } from 'vitest'
import { duckdbEngine } from '../../src/engine/duckdb/index.ts'
import type { Engine } from '../../src/engine/index.ts'
import { jsEngine } from '../../src/engine/js/index.ts'
import { isDeltaError } from '../../src/errors/index.ts'
import { findField } from '../../src/schema/index.ts'
import { memoryStore } from '../../src/storage/index.ts'
import { type DeltaTable, deltaTables, localBackend } from '../../src/table/index.ts'
import { recordedText, rowText } from '../conformance/canonical-rows.ts'
import { sharedMissing, sharedPath } from '../support/shared.ts'

interface RecordedAssignment {
  readonly id: string
  readonly kind: string
  readonly column: string
  readonly expr: string
  readonly values?: readonly unknown[]
  readonly error?: { readonly class: string; readonly cause?: string }
}

const COLUMNS =
  'id INT, b BOOLEAN, ti TINYINT, si SMALLINT, i INT, l BIGINT, f FLOAT, d DOUBLE, c DECIMAL(5,2), s STRING, ' +
  'bin BINARY, dt DATE, ts TIMESTAMP, nt TIMESTAMP_NTZ, vc VARCHAR(3), ch CHAR(3), arr ARRAY<INT>, ' +
  'st STRUCT<x: INT, y: STRING>'

const missing = sharedMissing('expressions')
if (missing !== undefined) console.log(`recorded updates: ${missing}`)

function recordings(): readonly RecordedAssignment[] {
  const path = sharedPath('expressions', 'delta.jsonl')
  if (!existsSync(path)) return []
  const lines = readFileSync(path, 'utf8').trim().split('\n')
  const all = lines.map((line) => JSON.parse(line) as RecordedAssignment & { group: string })
  return all.filter(({ group, kind }) => group === 'delta-assignment' && kind === 'update')
}

const engines: readonly (readonly [string, Engine])[] = [
  ['js', jsEngine()],
  ['duckdb', duckdbEngine({ threads: 1 })],
]
afterAll(async () => {
  for (const [, engine] of engines) await engine.close()
})

async function makeTable(engine: Engine, columns: string): Promise<DeltaTable> {
  const store = memoryStore()
  const backend = localBackend({ openStore: async () => store, engine })
  return await deltaTables(() => backend)
    .create()
    .location('/t')
    .addColumns(columns)
    .execute()
}

async function codeOf(work: Promise<unknown>): Promise<string | undefined> {
  try {
    await work
    return undefined
  } catch (error) {
    if (isDeltaError(error)) return error.code
    throw error
  }
}

/** The values of a column in the form of the recordings. */
async function valuesOf(table: DeltaTable, column: string): Promise<string[]> {
  const texts: string[] = []
  for await (const batch of table.scan({ select: [column] }).batches()) {
    for (const value of batch.column(0)) texts.push(rowText([value], batch.schema))
  }
  return texts
}

describe.each(engines)('%s', (_, engine) => {
  test.skipIf(missing !== undefined)(
    'assigned values and refusals are those recorded',
    async () => {
      const cases = recordings()
      expect(cases.length).toBeGreaterThan(40)
      for (const { id, column, expr, values, error } of cases) {
        const table = await makeTable(engine, COLUMNS)
        await table.append([{ id: 1 }])
        const at = `${id}: SET ${column} = ${expr}`
        const refused = await codeOf(table.update({ set: { [column]: expr } }))
        expect(refused, at).toBe(error?.cause ?? error?.class)
        if (values === undefined) continue
        const schema = await table.schema()
        const type = { kind: 'struct', fields: [findField(schema, column)!] } as const
        const expected = values.map((value) => recordedText({ [column]: value }, type))
        expect(await valuesOf(table, column), at).toEqual(expected)
      }
    },
    120_000,
  )

  test('a script of updates and deletes ends as recorded', async () => {
    const table = await makeTable(engine, 'a INT, b INT')
    await table.append([
      { a: 1, b: 2 },
      { a: 3, b: 0 },
      { a: null, b: 5 },
    ])
    const notBoolean = 'DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN'
    await table.update({ set: { a: 'b', b: 'a' } })
    await table.delete('a / b > 1')
    expect(await codeOf(table.delete('NULL'))).toBe(notBoolean)
    await table.delete('a = 2 OR NULL')
    await table.update({ where: 'a = 5', set: { a: 'a / 2' } })
    expect(await codeOf(table.delete('rand() < 2 AND a = 100'))).toBe('INVALID_NON_DETERMINISTIC_EXPRESSIONS')
    expect(await codeOf(table.delete('a'))).toBe(notBoolean)
    expect(await codeOf(table.delete("'true'"))).toBe(notBoolean)
    await table.update({ where: "b = '3'", set: { a: '7' } })
    const rows = await table.rows()
    expect(rows.map(({ a, b }) => `${a} ${b}`).sort()).toEqual(['2 null', '7 3'])
  })
})
