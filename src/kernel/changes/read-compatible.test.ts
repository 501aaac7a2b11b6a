import { expect, test } from 'vitest'
import {
  arrayType,
  type DataType,
  field,
  integerType,
  longType,
  mapType,
  type StructField,
  stringType,
  structType,
  voidType,
} from '../../schema/index.ts'
import type { ColumnMappingMode, TableLayout } from '../snapshot/layout.ts'
import { unreadableReason } from './read-compatible.ts'

function layout(
  fields: readonly StructField[],
  columnMapping: ColumnMappingMode = 'none',
  partitionColumns: string[] = [],
) {
  return { schema: structType(fields), partitionColumns, columnMapping } satisfies TableLayout
}

const mapped = (name: string, physicalName: string, type: DataType = integerType) =>
  field(name, type, true, { 'delta.columnMapping.physicalName': physicalName })
const plain = (type: DataType) => layout([field('a', type)])
const nested = (type: DataType) => plain(structType([field('m', mapType(stringType, arrayType(type)))]))

test.each<[what: string, written: TableLayout, by: TableLayout]>([
  ['a column more', plain(integerType), layout([field('b', stringType), field('A', integerType)])],
  ['a wider type, at any depth', nested(integerType), nested(longType)],
  ['a type where there was none', plain(voidType), plain(stringType)],
  ['a column less, without mapping', layout([field('a', integerType), field('b', integerType)]), plain(integerType)],
  ['mapping added', plain(integerType), layout([mapped('a', 'a')], 'name')],
  ['mapping dropped from names that were kept', layout([mapped('a', 'a')], 'name'), plain(integerType)],
])('rows fit with %s', (_, written, by) => expect(unreadableReason(written, by)).toBeUndefined())

test.each<[reason: string, written: TableLayout, by: TableLayout]>([
  ['the column a was changed from long to integer', plain(longType), plain(integerType)],
  ['the column a.m.value.element was changed from long to string', nested(longType), nested(stringType)],
  ['the column a was changed from integer to array<int>', plain(integerType), plain(arrayType(integerType))],
  ['the column a was renamed to b', layout([mapped('a', 'p')], 'name'), layout([mapped('b', 'p')], 'name')],
  ['the column a was dropped', layout([mapped('a', 'p')], 'id'), layout([mapped('b', 'q')], 'id')],
  ['files hold the column a under another name', layout([mapped('a', 'p')], 'name'), plain(integerType)],
  ['files hold the column a under another name', layout([mapped('a', 'p')], 'id'), layout([mapped('a', 'q')], 'id')],
  ['columns are found by id', plain(integerType), layout([mapped('a', 'a')], 'id')],
  ['it is partitioned by a', plain(integerType), layout([field('a', integerType)], 'none', ['a'])],
  ['it is partitioned by nothing', layout([field('a', integerType)], 'none', ['a']), plain(integerType)],
])('%s', (reason, written, by) => expect(unreadableReason(written, by)).toBe(reason))
