import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import type { AddFile, TableLayout } from '../../../kernel/index.ts'
import { ParquetWriter } from '../../../parquet/index.ts'
import {
  booleanType,
  type DataType,
  dateType,
  decimalType,
  doubleType,
  field,
  longType,
  type StructField,
  stringType,
  structType,
  timestampType,
  type Value,
} from '../../../schema/index.ts'
import { localStore } from '../../../storage/fs/index.ts'
import { DuckDatabase } from '../instance.ts'
import { voucherOf } from './needs-fit.ts'
import { scan } from './scan.ts'

const root = mkdtempSync(join(tmpdir(), 'bayou-needs-fit-'))
const database = new DuckDatabase({ threads: 1, memoryLimit: '200MB' })
afterAll(async () => {
  await database.close()
  rmSync(root, { recursive: true })
})

function file(path: string, fields: readonly StructField[], row: readonly Value[], stats?: string): AddFile {
  const writer = new ParquetWriter(structType(fields))
  writer.writeRowGroup(row.map((value) => [value]))
  const bytes = writer.finish()
  writeFileSync(join(root, path), bytes)
  const add = { path, partitionValues: new Map(), size: bytes.length, modificationTime: 0, dataChange: true }
  return stats === undefined ? add : { ...add, stats }
}

async function read(files: readonly AddFile[], fields: readonly StructField[]): Promise<Value[]> {
  const layout: TableLayout = { schema: structType(fields), partitionColumns: [], columnMapping: 'none' }
  const values: Value[] = []
  for await (const batch of scan(database, { store: localStore(root), layout, files, columns: [0] })) {
    values.push(...batch.column(0))
  }
  return values
}

const id = field('id', longType)

describe('columns that differ by case alone', () => {
  test.each([
    ['at the top', [field('ID', longType), id], [1n, 2n], [id]],
    [
      'in a struct',
      [field('s', structType([field('ID', longType), id]))],
      [[1n, 2n]],
      [field('s', structType([id, field('more', longType)]))],
    ],
  ])('%s are refused, for DuckDB would take the first', async (name, stored, row, fields) => {
    await expect(read([file(`${name}.parquet`, stored, row)], fields)).rejects.toMatchObject({
      code: 'FAILED_READ_FILE.NO_HINT',
      message: expect.stringContaining('ID, id'),
    })
  })
})

describe('statistics show the type of a column', () => {
  test.each<[DataType, string, boolean]>([
    [longType, '{"minValues":{"x":1},"maxValues":{"x":2}}', true],
    [longType, '{ "minValues" : { "w" : 0, "x" : -1 } }', true],
    [longType, '{"minValues":{"x":1.5}}', false],
    [longType, '{"minValues":{"x":"1"}}', false],
    [longType, '{"minValues":{},"maxValues":{"x":1}}', false],
    [longType, '{"numRecords":1}', false],
    [doubleType, '{"minValues":{"x":1.0}}', true],
    [doubleType, '{"minValues":{"x":"NaN"}}', true],
    [doubleType, '{"minValues":{"x":1}}', false],
    [stringType, '{"minValues":{"x":"a"}}', true],
    [stringType, '{"minValues":{"x":"2024-01-01"}}', false],
    [dateType, '{"minValues":{"x":"2024-01-01"}}', true],
    [dateType, '{"minValues":{"x":"2024-01-01T00:00:00.000Z"}}', false],
    [timestampType, '{"minValues":{"x":"2024-01-01T00:00:00.000Z"}}', true],
    [decimalType(5, 1), '{"minValues":{"x":1.5}}', false],
    [booleanType, '{"minValues":{"x":1}}', false],
  ])('%o, %s: %s', (type, stats, expected) => {
    const layout: TableLayout = { schema: structType([]), partitionColumns: [], columnMapping: 'none' }
    expect(voucherOf([field('x', type)], layout)(stats)).toBe(expected)
  })
})

describe('a file among others', () => {
  test('is named when its type is another', async () => {
    const good = file('good.parquet', [id], [1n], '{"numRecords": 1, "minValues": {"id": 1}, "maxValues": {"id": 1}}')
    const bare = file('bare.parquet', [id], [2n])
    const wrong = file('wrong.parquet', [field('id', doubleType)], [1.5], '{"numRecords":1,"minValues":{"id":1.5}}')
    expect(await read([good, bare], [id])).toEqual([1n, 2n])
    await expect(read([good, bare, wrong], [id])).rejects.toMatchObject({
      code: 'FAILED_READ_FILE.PARQUET_COLUMN_DATA_TYPE_MISMATCH',
      details: { file: 'wrong.parquet', column: 'id' },
    })
  })
})
