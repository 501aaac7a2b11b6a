import { expect, test } from 'vitest'
import { charShape } from './char-shape.ts'
import { arrayType, field, integerType, mapType, stringType, structType } from './types.ts'

const declared = (text: string) => ({ __CHAR_VARCHAR_TYPE_STRING: text })
const char = (length: number) => ({ kind: 'char', length })

test('a char is found at every depth, whatever members are called', () => {
  const type = structType([
    field('a:b<,', stringType),
    field('n', integerType),
    field('l', arrayType(structType([field('c', stringType), field('v', stringType)]))),
    field('m', mapType(stringType, stringType)),
  ])
  const text = 'struct<a:b<,:char(4),n:int,l:array<struct<c:char(2),v:varchar(3)>>,m:map<string,char(1)>>'
  expect(charShape(field('s', type, true, declared(text)))).toEqual({
    kind: 'struct',
    members: new Map<number, unknown>([
      [0, char(4)],
      [2, { kind: 'array', element: { kind: 'struct', members: new Map([[0, char(2)]]) } }],
      [3, { kind: 'map', key: undefined, value: char(1) }],
    ]),
  })
})

test('a column of its own, a varchar, and metadata of another type', () => {
  expect(charShape(field('c', stringType, true, declared('char(5)')))).toEqual(char(5))
  expect(charShape(field('c', stringType, true, declared('varchar(5)')))).toBeUndefined()
  expect(charShape(field('c', stringType))).toBeUndefined()
  const renamed = structType([field('new', stringType)])
  expect(charShape(field('s', renamed, true, declared('struct<old:char(4)>')))).toBeUndefined()
  expect(charShape(field('s', renamed, true, declared('struct<new:char(4)>, more')))).toBeUndefined()
})
