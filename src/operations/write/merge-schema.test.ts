import { describe, expect, test } from 'vitest'
import { isDeltaError } from '../../errors/index.ts'
import { parseTableSchema } from '../../expressions/index.ts'
import { printSchema, typeToJson } from '../../schema/index.ts'
import { mergeSchemas, refuseNewColumns } from './merge-schema.ts'

type Answer = 'grows' | 'goes in' | 'two types'

function merge(table: string, data: string, widens: boolean): Answer {
  try {
    const { widened } = mergeSchemas(parseTableSchema(`c ${table}`), parseTableSchema(`c ${data}`), { widens })
    return widened.length > 0 ? 'grows' : 'goes in'
  } catch (error) {
    if (isDeltaError(error, 'DELTA_FAILED_TO_MERGE_FIELDS')) return 'two types'
    throw error
  }
}

/** As the reference answered an append with mergeSchema, with type widening and without. */
const recorded: readonly [table: string, data: string, widening: Answer, without: Answer][] = [
  ['TINYINT', 'SMALLINT', 'grows', 'grows'],
  ['TINYINT', 'INT', 'grows', 'grows'],
  ['SMALLINT', 'INT', 'grows', 'grows'],
  ['TINYINT', 'BIGINT', 'grows', 'two types'],
  ['INT', 'BIGINT', 'grows', 'two types'],
  ['INT', 'DOUBLE', 'grows', 'two types'],
  ['FLOAT', 'DOUBLE', 'grows', 'two types'],
  ['BIGINT', 'DOUBLE', 'two types', 'two types'],
  ['INT', 'DECIMAL(11,0)', 'grows', 'two types'],
  ['BIGINT', 'DECIMAL(22,0)', 'grows', 'two types'],
  ['DECIMAL(5,2)', 'DECIMAL(10,4)', 'grows', 'two types'],
  ['DATE', 'TIMESTAMP_NTZ', 'grows', 'two types'],
  ['DATE', 'TIMESTAMP', 'two types', 'two types'],
  ['INT', 'TINYINT', 'goes in', 'goes in'],
  ['BIGINT', 'INT', 'two types', 'two types'],
  ['DOUBLE', 'FLOAT', 'two types', 'two types'],
  ['DECIMAL(10,4)', 'DECIMAL(5,2)', 'two types', 'two types'],
  ['STRING', 'INT', 'two types', 'two types'],
  ['INT', 'STRING', 'two types', 'two types'],
  ['TIMESTAMP_NTZ', 'DATE', 'two types', 'two types'],
  ['VOID', 'INT', 'grows', 'grows'],
  ['INT', 'VOID', 'goes in', 'goes in'],
]

describe('types of a column and of data', () => {
  test.each(recorded)('%s and %s', (table, data, widening, without) => {
    expect(merge(table, data, true)).toBe(widening)
    expect(merge(table, data, false)).toBe(without)
  })

  test('grow at any depth, beside new fields, each with a trace at the nearest field', () => {
    const table = parseTableSchema('s STRUCT<a: INT>, arr ARRAY<SMALLINT>, m MAP<SMALLINT, STRUCT<x: INT>>')
    const data = parseTableSchema(
      'S STRUCT<A: BIGINT, b: INT>, arr ARRAY<BIGINT>, m MAP<INT, STRUCT<x: BIGINT, y: STRING>>',
    )
    const { schema, added, widened } = mergeSchemas(table, data, { widens: true })
    expect(added).toEqual([
      ['s', 'b'],
      ['m', 'value', 'y'],
    ])
    expect(widened.map(({ column }) => column)).toEqual([
      ['s', 'a'],
      ['arr', 'element'],
      ['m', 'key'],
      ['m', 'value', 'x'],
    ])
    const text = printSchema(schema)
    expect(text).toContain('{"delta.typeChanges":[{"toType":"long","fromType":"short","fieldPath":"element"}]}')
    expect(text).toContain('{"delta.typeChanges":[{"toType":"integer","fromType":"short","fieldPath":"key"}]}')
    expect(text.match(/"delta.typeChanges":\[\{"toType":"long","fromType":"integer"\}\]/g)).toHaveLength(2)
  })

  test('leave no trace where files hold both alike', () => {
    const { schema } = mergeSchemas(parseTableSchema('c TINYINT, n VOID'), parseTableSchema('c INT, n DATE'))
    expect(typeToJson(schema)).toEqual(typeToJson(parseTableSchema('c INT, n DATE')))
  })

  test('are refused by name where the table is to stay as it is', () => {
    const merged = mergeSchemas(parseTableSchema('a TINYINT, b TINYINT'), parseTableSchema('a INT, b INT'))
    expect(() => refuseNewColumns(merged, '/t')).toThrow(
      'the data has the columns a, b, which are int where /t has tinyint, int where /t has tinyint',
    )
  })
})
