import { expect, test } from 'vitest'
import { type DataType, decimalType, field, longType, mapType, stringType, structType } from '../../schema/index.ts'
import { Decimal } from '../../support/index.ts'
import { rowDecoder } from './decode.ts'

const schema = structType([
  field('id', longType),
  field('amount', decimalType(10, 2)),
  field('at', { kind: 'timestamp' } as DataType),
  field('day', { kind: 'date' } as DataType),
  field('tags', mapType(stringType, longType)),
  field('__proto__', structType([field('x', longType)])),
])
const row = [9007199254740993n, new Decimal(4250n, 2), 1n, 0, [{ key: 'a', value: 1n }], [null]]

test('exact rows lose nothing', () => {
  const object = rowDecoder(schema)(row)
  expect(Object.keys(object)).toEqual(['id', 'amount', 'at', 'day', 'tags', '__proto__'])
  expect(object).toMatchObject({
    id: 9007199254740993n,
    amount: '42.50',
    at: '1970-01-01T00:00:00.000001Z',
    day: '1970-01-01',
    tags: [{ key: 'a', value: 1n }],
  })
  expect(Object.getOwnPropertyDescriptor(object, '__proto__')?.value).toEqual({ x: null })
})

test('rows as js are convenient and lossy, because it was asked for', () => {
  expect(rowDecoder(schema, 'js')(row)).toMatchObject({
    id: 9007199254740992,
    amount: 42.5,
    at: new Date(0),
    day: new Date(0),
    tags: new Map([['a', 1]]),
  })
})
