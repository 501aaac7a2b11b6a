import { describe, expect, test } from 'vitest'
import { splitStatements } from './split.ts'
import { rewriteTables } from './table-refs.ts'
import { tokenize } from './tokens.ts'

const names = (name: string) => ['orders', 'customers'].includes(name.toLowerCase())

describe('tokenize', () => {
  test('leaves out comments, nested ones too', () => {
    expect(tokenize('a -- x\n/* b /* c */ */ d').map((token) => token.text)).toEqual(['a', 'd'])
  })

  test('reads doubled quotes, escapes and dollar quotes', () => {
    expect(tokenize(`'it''s' "a""b" E'\\'' $x$ ; $x$`).map((token) => token.text)).toEqual([
      "it's",
      'a"b',
      "\\'",
      ' ; ',
    ])
  })

  test.each(["'a", '"a', '`a', '/* a', '$$ a'])('refuses %s, which does not end', (sql) => {
    expect(() => tokenize(sql)).toThrow(expect.objectContaining({ code: 'PARSE_SYNTAX_ERROR' }))
  })
})

test.each([
  ["select ';'; -- ; \n ;; select 1 /* ; */ ", ["select ';'", 'select 1']],
  ["select 'a\\'; select 2", ["select 'a\\'", 'select 2']],
  ["delete from t where a = 'x\\';y'; vacuum t", ["delete from t where a = 'x\\';y'", 'vacuum t']],
  ["vacuum t; select 'open; select 2", ['vacuum t', "select 'open; select 2"]],
  ['optimize t /* open ;', ['optimize t /* open ;']],
])('splits %j', (script, texts) => {
  const parts = splitStatements(script)
  expect(parts.map(({ text }) => text)).toEqual(texts)
  for (const { text, start } of parts) expect(script.slice(start, start + text.length)).toBe(text)
})

describe('rewriteTables', () => {
  test('gives a path table a view', () => {
    const { sql, refs } = rewriteTables('select * from delta.`/lake/or ders` o', names)
    expect(sql).toBe('select * from "__table_0" o')
    expect(refs).toEqual([{ table: '/lake/or ders', byPath: true, view: '__table_0' }])
  })

  test('leaves a named table as it is', () => {
    const { sql, refs } = rewriteTables('with x as (select 1) select orders.a from orders, x', names)
    expect(sql).toBe('with x as (select 1) select "orders".a from "orders", x')
    expect(refs.map((ref) => ref.view)).toEqual(['orders', 'orders'])
  })

  test.each([
    ['select * from orders version as of 3 where a', 'select * from "__table_0" AS "orders" where a', { version: 3 }],
    ['select * from orders VERSION AS OF 3 o', 'select * from "__table_0" o', { version: 3 }],
    ["select * from orders for system_version as of '3'", 'select * from "__table_0" AS "orders"', { version: 3 }],
    ['select * from orders@v12 join x', 'select * from "__table_0" AS "orders" join x', { version: 12 }],
    ['select * from delta.`/p@v2`', 'select * from "__table_0"', { version: 2 }],
    [
      "select * from orders timestamp as of '1970-01-01 00:00:01.5'",
      'select * from "__table_0" AS "orders"',
      { timestampMs: 1500 },
    ],
    [
      "select * from orders timestamp as of timestamp '1970-01-01T01:00:00+01:00' o",
      'select * from "__table_0" o',
      { timestampMs: 0 },
    ],
    ['select * from delta.`/p@19700101000001500`', 'select * from "__table_0"', { timestampMs: 1500 }],
  ])('%s', (text, sql, time) => {
    const rewritten = rewriteTables(text, names)
    expect(rewritten.sql).toBe(sql)
    expect(rewritten.refs[0]).toMatchObject(time)
  })

  test('gives the changes of a table two views', () => {
    const both = '(SELECT * FROM "__changes_0_recorded" UNION ALL SELECT * FROM "__changes_0_inferred")'
    const { sql, refs, changes } = rewriteTables("select * from table_changes('orders', 1, 3) where a", names)
    expect(sql).toBe(`select * from ${both} AS "table_changes" where a`)
    expect(refs).toEqual([])
    expect(changes).toMatchObject([{ table: 'orders', byPath: false, from: { version: 1 }, to: { version: 3 } }])
  })

  test.each([
    ["table_changes('delta.`/a b`', 0) c", { table: '/a b', byPath: true, from: { version: 0 } }],
    [
      "TABLE_CHANGES_BY_PATH('/p', '1970-01-01 00:00:01') c",
      { table: '/p', byPath: true, from: { timestampMs: 1000 } },
    ],
  ])('%s', (call, ref) => {
    const { sql, changes } = rewriteTables(`select * from ${call}`, names)
    expect(sql).toMatch(/^select \* from \(.*\) c$/)
    expect(changes).toMatchObject([ref])
  })

  test.each([
    'table_changes()',
    "table_changes('orders')",
    "table_changes('orders', x)",
    "table_changes('orders', 1, 2, 3)",
  ])('refuses %s', (call) => {
    expect(() => rewriteTables(`select * from ${call}`, names)).toThrow(
      expect.objectContaining({ code: 'PARSE_SYNTAX_ERROR' }),
    )
  })

  test('does not take a column for a table', () => {
    expect(rewriteTables('select o.orders, `a b` from x o', names).sql).toBe('select o.orders, "a b" from x o')
  })

  test.each([
    ['select * from orders version as of x', 'PARSE_SYNTAX_ERROR'],
    ["select * from orders version as of 'x'", 'DELTA_TIME_TRAVEL_INVALID_BEGIN_VALUE'],
    ["select * from orders timestamp as of 'yesterday'", 'INVALID_TIME_TRAVEL_TIMESTAMP_EXPR.INPUT'],
  ])('refuses %s', (sql, code) => {
    expect(() => rewriteTables(sql, names)).toThrow(expect.objectContaining({ code }))
  })
})
