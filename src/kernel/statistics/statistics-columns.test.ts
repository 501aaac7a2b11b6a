import { expect, test } from 'vitest'
import { field, longType, stringType, structType } from '../../schema/index.ts'
import { parseColumnList, statisticsColumns } from './statistics-columns.ts'

const mapped = (name: string) => ({ 'delta.columnMapping.physicalName': `col-${name}` })
const layout = {
  schema: structType([
    field('id', longType, true, mapped('id')),
    field('s', structType([field('A.b', stringType, true, mapped('ab'))]), true, mapped('s')),
    field('x,y', longType, true, mapped('xy')),
  ]),
  partitionColumns: [],
  columnMapping: 'name',
} as const
const columns = (configuration: Record<string, string>, clustering?: string) =>
  statisticsColumns({
    layout,
    configuration: new Map(Object.entries(configuration)),
    domains: new Map(
      clustering === undefined
        ? []
        : [['delta.clustering', { domain: 'delta.clustering', configuration: clustering, removed: false }]],
    ),
  })

test('lists of names', () => {
  expect(parseColumnList('a, b.c ,`x,y`.`a.b`,`q``r`')).toEqual([['a'], ['b', 'c'], ['x,y', 'a.b'], ['q`r']])
  expect(parseColumnList('')).toEqual([])
  expect(parseColumnList('`open')).toEqual([['open']])
})

test('the first columns, unless the table names them', () => {
  expect(columns({})).toEqual({ kind: 'first', limit: 32, stringPrefixLength: 32 })
  expect(columns({ 'delta.dataSkippingNumIndexedCols': '-1', 'delta.dataSkippingStringPrefixLength': '8' })).toEqual({
    kind: 'first',
    limit: -1,
    stringPrefixLength: 8,
  })
  expect(columns({ 'delta.dataSkippingStatsColumns': 'ID, s.`a.B`, gone, `x,y`' })).toEqual({
    kind: 'named',
    paths: [['col-id'], ['col-s', 'col-ab'], ['col-xy']],
    stringPrefixLength: 32,
  })
})

test('clustering columns beside them, in either form of the domain', () => {
  const few = { 'delta.dataSkippingNumIndexedCols': '1' }
  for (const form of ['{"clusteringColumns":[["col-xy"]]}', '{"clusteringColumns":["col-xy"]}']) {
    expect(columns(few, form)).toMatchObject({ kind: 'named', paths: [['col-id'], ['col-xy']] })
  }
})
