/** Files of public bug reports, each with the JSON its reporter expects. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { sharedMissing, sharedPath } from '../../test/support/shared.ts'
import type { DataType, MapEntry, Row, StructType, Value } from '../schema/index.ts'
import { Decimal, decodeUtf8, formatDate } from '../support/index.ts'
import { inferSchema, memoryFile, openParquet } from './index.ts'

const FOLDER = ['bug-files', 'hyparquet', 'test', 'files'] as const
const missing = sharedMissing(...FOLDER)
const folder = sharedPath(...FOLDER)

async function readAll(name: string): Promise<{ schema: StructType; rows: Row[] }> {
  const reader = await openParquet(memoryFile(name, new Uint8Array(readFileSync(join(folder, name)))))
  const schema = inferSchema(reader.footer.root)
  const rows: Row[] = []
  for (const [index, group] of reader.footer.rowGroups.entries()) {
    const columns = await reader.readRowGroup(index, schema.fields)
    for (let at = 0; at < group.numRows; at++) rows.push(columns.map((column) => column[at]!))
  }
  return { schema, rows }
}

/** A value as the reporters' JSON has it: numbers as doubles, times cut to milliseconds, maps as objects. */
function loosely(value: Value, type: DataType): unknown {
  if (value === null) return null
  if (value instanceof Decimal || typeof value === 'bigint') return looseNumber(value, type)
  if (typeof value === 'number' && type.kind === 'date') return formatDate(value)
  if (typeof value === 'number') return Number.isFinite(value) ? value + 0 : null
  if (value instanceof Uint8Array) return decodeUtf8(value)
  if (type.kind === 'array') return (value as readonly Value[]).map((item) => loosely(item, type.element))
  if (type.kind === 'struct') {
    return Object.fromEntries(type.fields.map((f, i) => [f.name, loosely((value as Row)[i]!, f.type)]))
  }
  if (type.kind !== 'map') return value
  const entries = (value as readonly MapEntry[]).map((e) => [loosely(e.key, type.key), loosely(e.value, type.value)])
  return Object.fromEntries(entries)
}

function looseNumber(value: Decimal | bigint, type: DataType): unknown {
  if (type.kind !== 'timestamp' && type.kind !== 'timestamp_ntz') return Number(String(value))
  return new Date(Number((value as bigint) / 1000n)).toISOString()
}

if (missing !== undefined) console.log(`skipped the bug files of Parquet readers: ${missing}`)
describe.skipIf(missing !== undefined)('files of bug reports', () => {
  const names = missing === undefined ? readdirSync(folder).filter((name) => name.endsWith('.parquet')) : []
  test.each(names)('%s', async (name) => {
    const { schema, rows } = await readAll(name)
    const expected: unknown = JSON.parse(readFileSync(join(folder, name.replace('.parquet', '.json')), 'utf8'))
    const loose = rows.map((row) => row.map((value, i) => loosely(value, schema.fields[i]!.type)))
    expect(loose).toEqual(expected)
  })

  test('signs.parquet: integers of 64 bits keep every digit', async () => {
    const { rows } = await readAll('signs.parquet')
    expect(rows.at(-1)).toEqual([
      255,
      65_535,
      4_294_967_295n,
      new Decimal(2n ** 64n - 1n, 0),
      127,
      32_767,
      2 ** 31 - 1,
      2n ** 63n - 1n,
    ])
  })
})
