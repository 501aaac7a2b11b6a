import { afterAll, describe, expect, test } from 'vitest'
import { DuckDatabase } from '../instance.ts'
import { statementNeeds } from './statement-needs.ts'

const database = new DuckDatabase({ threads: 1 })
afterAll(() => database.close())

async function predicates(sql: string): Promise<Record<string, string>> {
  return Object.fromEntries((await database.withSession((session) => statementNeeds(session, sql))).predicates)
}

describe('a predicate is taken', () => {
  test.each([
    ['id = 5', '`id` = 5'],
    ['5 < id', '`id` > 5'],
    ['id BETWEEN 1 AND 9223372036854775807', '`id` BETWEEN 1 AND 9223372036854775807'],
    ["p IN ('a', 'it''s', 'b\\')", "`p` IN ('a', 'it\\'s', 'b\\\\')"],
    ['x >= -1.50 AND x < 0.005', '`x` >= -1.50 AND `x` < 0.005'],
    [
      "d = DATE '2024-02-29' AND t < TIMESTAMP '2024-01-01 00:00:00'",
      "`d` = DATE'2024-02-29' AND `t` < TIMESTAMP'2024-01-01 00:00:00'",
    ],
    ['"a`b" = 1 AND y = z AND length(p) = 3', '`a``b` = 1'],
    ["(id = 1 AND p = 'x') AND (id = 2 OR id = 3)", "`id` = 1 AND `p` = 'x'"],
  ])('of %s', async (where, taken) => {
    expect(await predicates(`SELECT count(*) FROM t WHERE ${where}`)).toEqual({ t: taken })
  })

  test('of each table of a join by its alias, outer joins too', async () => {
    const sql = 'SELECT * FROM t AS a LEFT JOIN u ON a.k = u.k WHERE a.id = 1 AND u.id = 2 AND k = 3'
    expect(await predicates(sql)).toEqual({ t: '`id` = 1', u: '`id` = 2' })
  })

  test('inside a WITH and a subquery', async () => {
    const sql =
      'WITH x AS (SELECT * FROM t WHERE id = 1) SELECT * FROM x, (SELECT * FROM u WHERE id = 2) AS y WHERE y.z = 3'
    expect(await predicates(sql)).toEqual({ t: '`id` = 1', u: '`id` = 2' })
  })
})

describe('nothing is taken', () => {
  test.each([
    ['a table that stands twice', 'SELECT * FROM t WHERE id = 1 UNION ALL SELECT * FROM t'],
    ['a disjunction', 'SELECT * FROM t WHERE id = 1 OR p = 2'],
    ['what nulls of an outer join fulfil', 'SELECT * FROM t LEFT JOIN u ON t.k = u.k WHERE u.id IS NULL'],
    ['a negation', 'SELECT * FROM t WHERE NOT (id = 1) AND id <> 2 AND id IS DISTINCT FROM 3'],
    ['a join to the nearest row', 'SELECT * FROM t ASOF JOIN u ON t.k >= u.k WHERE u.id = 1'],
    ['rows paired by position', 'SELECT * FROM t POSITIONAL JOIN u WHERE u.id = 1'],
    ['a sample', 'SELECT * FROM t TABLESAMPLE 10% WHERE id = 1'],
    ['HAVING and QUALIFY', 'SELECT id, count(*) FROM t GROUP BY id HAVING id = 1'],
    [
      'constants of other kinds',
      'SELECT * FROM t WHERE x = 1e300 AND y = NULL AND z = TRUE AND id = 99999999999999999999',
    ],
    ['a statement that is no SELECT', 'SUMMARIZE t'],
    ['no SQL at all', 'SELEC 1'],
  ])('of %s', async (_, sql) => {
    expect(await predicates(sql)).toEqual({})
  })
})

describe('columns', () => {
  const columns = async (sql: string) => (await database.withSession((session) => statementNeeds(session, sql))).columns

  test('that a statement names are among its texts', async () => {
    const named = await columns('SELECT sum(A), "b c" FROM t JOIN u USING (k) WHERE t.d = 1 ORDER BY e')
    for (const name of ['a', 'b c', 'k', 'd', 'e']) expect(named?.has(name), name).toBe(true)
    expect(named?.has('f')).toBe(false)
  })

  test.each([
    'SELECT * FROM t',
    'SELECT u.* FROM t, u',
    'FROM t',
    "SELECT COLUMNS(c -> c LIKE 'a%') FROM t",
    'SELECT t FROM t',
    'SELECT count(x) FROM t AS x',
    'SELECT a FROM t NATURAL JOIN u',
    'PIVOT t ON a USING sum(b)',
    'SUMMARIZE t',
    'DESCRIBE t',
  ])('may all be needed by %s', async (sql) => {
    expect(await columns(sql)).toBeUndefined()
  })
})
