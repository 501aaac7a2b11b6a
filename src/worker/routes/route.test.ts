import { describe, expect, it } from 'vitest'
import { rowToJson } from '../../schema/index.ts'
import { encodeUtf8 } from '../../support/index.ts'
import { type Fault, Place } from '../config/setting.ts'
import { parseRecordType } from '../records/parse-record-type.ts'
import { formatRecordType } from '../records/record-type.ts'
import { rowReader } from '../records/row-reader.ts'
import { compileRoute, type Route } from './route.ts'

const SCHEMA = 'id BIGINT, name STRING, at STRING, amount STRING, s STRUCT<x INT, y STRING>, gone NULL'

function compile(steps: readonly unknown[]): { route: Route | undefined; faults: readonly Fault[] } {
  const faults: Fault[] = []
  const declaration = { id: 'r', source: 's', destination: 'd', input: parseRecordType(SCHEMA), steps }
  return { route: compileRoute(declaration, new Place('routes[0]'), faults), faults }
}

function run(steps: readonly unknown[], ...records: string[]) {
  const { route, faults } = compile(steps)
  expect(faults.map((fault) => fault.message)).toEqual([])
  const format = { format: 'ndjson', delimiter: ',', nullText: undefined } as const
  const found = rowReader(route!, format).read(encodeUtf8(records.join('\n')))
  return { ...found, rows: found.rows.map((row) => rowToJson(row, route!.outputSchema)), route: route! }
}

const RECORD = '{"id":1,"name":"Ann","at":"03/02/2024 10:30","amount":"12.50","s":{"x":7,"y":"why"},"gone":null}'

describe('steps', () => {
  it('none: the record as it is, without what can hold no value', () => {
    const { rows, route } = run([], RECORD)
    expect(rows).toEqual(['{"id":1,"name":"Ann","at":"03/02/2024 10:30","amount":"12.50","s":{"x":7,"y":"why"}}'])
    expect(route.isIdentity).toBe(true)
  })

  it('select and drop', () => {
    expect(run([{ select: ['name', 'id * 2 AS twice'] }], RECORD).rows).toEqual(['{"name":"Ann","twice":2}'])
    expect(run([{ drop: ['at', 'AMOUNT', 's'] }], RECORD).rows).toEqual(['{"id":1,"name":"Ann"}'])
  })

  it('rename, then use the new name', () => {
    const { rows } = run([{ rename: { name: 'who', s: 'inner' } }, { select: ['upper(who) AS loud', 'inner'] }], RECORD)
    expect(rows).toEqual(['{"loud":"ANN","inner":{"x":7,"y":"why"}}'])
  })

  it('fields inside a renamed struct are still found', () => {
    const { rows } = run([{ rename: { s: 'inner' } }, { select: ['inner.x + 1 AS next'] }], RECORD)
    expect(rows).toEqual(['{"next":8}'])
  })

  it('filter leaves out what is not true, null too', () => {
    const { rows, numFiltered } = run(
      [{ filter: "name = 'Ann'" }, { select: ['id'] }],
      RECORD,
      '{"id":2,"name":"Bob"}',
      '{"id":3}',
    )
    expect(rows).toEqual(['{"id":1}'])
    expect(numFiltered).toBe(2)
  })

  it('a filter sees what earlier steps made', () => {
    const { rows } = run([{ set: { id: 'id + 10' } }, { filter: 'id = 11' }, { select: ['id'] }], RECORD)
    expect(rows).toEqual(['{"id":11}'])
  })

  it('cast, parseTimestamp and set change the type of the record', () => {
    const { rows, route } = run(
      [
        { cast: { amount: 'decimal(10,2)' } },
        { parseTimestamp: { column: 'at', pattern: 'dd/MM/yyyy HH:mm' } },
        { set: { total: 'amount * 2', id: "concat('n', id)" } },
        { drop: ['s'] },
      ],
      RECORD,
    )
    expect(rows).toEqual(['{"id":"n1","name":"Ann","at":"2024-02-03T10:30:00Z","amount":12.50,"total":25.00}'])
    expect(formatRecordType(route.output)).toBe(
      'struct<id: string, name: string, at: timestamp, amount: decimal(10,2), total: decimal(12,2)>',
    )
  })

  it('a record on which a step fails is refused with the reason; the others go on', () => {
    const steps = [{ cast: { amount: 'int' } }, { select: ['amount'] }]
    const { rows, refused } = run(steps, '{"amount":"x"}', '{"amount":"5"}')
    expect(rows).toEqual(['{"amount":5}'])
    expect(refused).toMatchObject([{ text: '{"amount":"x"}', index: 0, reason: expect.stringContaining('x') }])
  })
})

describe('faults of several steps', () => {
  const bad = [{ filter: 'id >' }, { drop: ['nope'] }, { set: { x: 'nope' } }, { explode: 1 }, { drop: 'id' }]
  const places = (faults: readonly Fault[]) => faults.map(({ details }) => details.step)

  it('are told together; behind fields that are not known only those of form', () => {
    expect(places(compile(bad).faults)).toEqual([1, 2, 4, 5])
    expect(places(compile([{ filter: 'id >' }, { filter: 'nope' }, { drop: ['id'] }]).faults)).toEqual([1, 2])
  })

  it('are told of a route whose source is not known, as far as they can be seen', () => {
    const faults: Fault[] = []
    const declaration = { id: 'r', source: 's', destination: 'd', input: undefined, steps: bad }
    expect(compileRoute(declaration, new Place('routes[0]', { route: 'r' }), faults)).toBeUndefined()
    expect(places(faults)).toEqual([4, 5])
  })
})

describe('steps that cannot be taken', () => {
  it.each<[unknown, string]>([
    [
      'drop',
      'it is "drop", and a step is an object with one of the keys select, drop, rename, filter, cast, parseTimestamp, set',
    ],
    [{ drop: ['id'], set: {} }, 'it is {"drop":["id"],"set":{}}, and a step is an object with one of the keys'],
    [{ explode: ['id'] }, 'explode is no step; the steps are select, drop'],
    [{ constructor: ['id'] }, 'constructor is no step'],
    [{ drop: [] }, 'drop is []; it is a list of fields'],
    [{ drop: ['id', 'name', 'at', 'amount', 's'] }, 'no field would be left'],
    [{ drop: ['nope'] }, 'there is no field nope; the fields are id, name, at, amount, s'],
    [{ rename: { id: 'NAME' } }, 'two fields would be called'],
    [{ rename: ['id'] }, 'rename is ["id"]; it is an object of fields and their new names'],
    [{ cast: { id: 'u8' } }, 'a value cannot be cast to u8'],
    [{ cast: { id: 'bigly' } }, 'bigly is not a type'],
    [{ set: { x: 'null' } }, 'x would be void'],
    [{ set: { x: 'nope + 1' } }, 'nope'],
    [{ set: { x: 'id +' } }, 'syntax error'],
    [{ filter: 'id' }, 'id'],
    [{ filter: 7 }, 'filter is 7; it is a condition'],
    [{ parseTimestamp: { column: 'at', zone: 'UTC' } }, 'it is an object with column, and pattern'],
  ])('%j', (step, reason) => {
    const { route, faults } = compile([{ filter: 'id > 0' }, step])
    expect(route).toBeUndefined()
    expect(faults).toHaveLength(1)
    expect(faults[0]).toMatchObject({ code: 'WORKER_CONFIG_STEP', details: { key: 'routes[0].steps[1]', step: 2 } })
    expect(faults[0]!.message).toContain(reason)
  })
})
