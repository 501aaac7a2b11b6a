import { describe, expect, it } from 'vitest'
import { field, integerType, stringType, structType } from '../../schema/index.ts'
import { evaluate } from '../evaluate/index.ts'
import { parseExpression } from '../parser/index.ts'
import { jointSchema, type Scope } from '../scope.ts'
import { bindScoped } from './index.ts'

const point = structType([field('id', integerType), field('x', integerType)])
const target: Scope = {
  name: 't',
  schema: structType([field('id', integerType), field('Name', stringType), field('s', point)]),
}
const source: Scope = { name: 's', schema: structType([field('id', integerType), field('x', integerType)]) }
const both = [target, source]

function ordinals(text: string, scopes: readonly Scope[] = both): readonly number[] {
  const bound = bindScoped(parseExpression(text), scopes)
  return bound.kind === 'column' ? bound.ordinals : []
}

function failure(text: string, scopes: readonly Scope[] = both): string {
  try {
    bindScoped(parseExpression(text), scopes)
  } catch (error) {
    return (error as { code: string }).code
  }
  return 'none'
}

describe('names of several tables', () => {
  it('counts columns from the first table on', () => {
    expect(ordinals('t.id')).toEqual([0])
    expect(ordinals('s.id')).toEqual([3])
    expect(jointSchema(both).fields.map(({ name }) => name)).toEqual(['id', 'Name', 's', 'id', 'x'])
  })

  it('finds tables and columns whatever their case', () => {
    expect(ordinals('T.NAME')).toEqual([1])
  })

  it('takes a name without its table where only one table has it', () => {
    expect(ordinals('name')).toEqual([1])
    expect(ordinals('x')).toEqual([4])
  })

  it('refuses a name that two tables have, naming both', () => {
    expect(failure('id')).toBe('AMBIGUOUS_REFERENCE')
    expect(() => bindScoped(parseExpression('id'), both)).toThrow(/t\.id.*s\.id/)
  })

  it('reads a first name as the table where the table has such a column', () => {
    expect(ordinals('s.x')).toEqual([4])
    expect(ordinals('t.s.x')).toEqual([2, 1])
    expect(failure('s.s.x')).toBe('FIELD_NOT_FOUND')
  })

  it('reads a first name as a struct where no table of that name has the column', () => {
    const other: Scope = { name: 'o', schema: source.schema }
    expect(ordinals('s.id', [target, other])).toEqual([2, 0])
  })

  it('does not see hidden tables, whose columns keep their place', () => {
    const hidden = [{ ...target, hidden: true }, source]
    expect(ordinals('id', hidden)).toEqual([3])
    expect(failure('t.name', hidden)).toBe('UNRESOLVED_COLUMN.WITH_SUGGESTION')
  })

  it('proposes columns with their tables', () => {
    expect(() => bindScoped(parseExpression('t.nam'), both)).toThrow(/t\.Name/)
  })

  it('evaluates over the rows of both', () => {
    const bound = bindScoped(parseExpression('t.id + s.x'), both)
    expect(evaluate(bound, [1, 'a', null, 2, 40])).toBe(41)
  })
})
