import { describe, expect, test } from 'vitest'
import { arrayType, field, stringType, structType } from '../../schema/index.ts'
import { rowEncoder } from './encode.ts'

const limited = (name: string, declared: string, type: typeof stringType | ReturnType<typeof arrayType> = stringType) =>
  field(name, type, true, { __CHAR_VARCHAR_TYPE_STRING: declared })

describe('records', () => {
  const schema = structType([
    limited('c', 'char(5)'),
    field('s', arrayType(structType([limited('v', 'varchar(3)')]))),
    field('free', stringType),
  ])
  const encode = (record: object) => rowEncoder(schema, { form: 'json', table: '/t' })(record, 7)

  test('hold texts up to the length, counted in code points', () => {
    expect(encode({ c: '12345', s: [{ v: '👍👍👍' }, { v: null }], free: 'x'.repeat(99) })).toEqual([
      '12345',
      [['👍👍👍'], [null]],
      'x'.repeat(99),
    ])
  })

  test.each([
    [{ c: '123456' }, 'row 7: "123456" is too long for the column c, which is char(5)'],
    [{ s: [{ v: 'abc ' }] }, 'row 7: "abc " is too long for the column s.element.v, which is varchar(3)'],
  ])('%j is refused', (record, message) => {
    expect(() => encode(record)).toThrow(
      expect.objectContaining({ code: 'DELTA_EXCEED_CHAR_VARCHAR_LIMIT', sqlState: '22001', message }),
    )
  })
})
