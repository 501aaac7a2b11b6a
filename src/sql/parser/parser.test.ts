import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isDeltaError } from '../../errors/index.ts'
import { parseStatement } from './index.ts'

const code = (expected: string) => expect.objectContaining({ code: expected })

describe('parseStatement', () => {
  test('reads a MERGE with all its clauses', () => {
    const statement = parseStatement(`MERGE INTO delta.\`/lake/orders\` AS t USING (SELECT * FROM staging) s
      ON t.id = s.id
      WHEN MATCHED AND s.gone THEN DELETE
      WHEN MATCHED THEN UPDATE SET t.amount = DEFAULT, note = s.note
      WHEN NOT MATCHED THEN INSERT (id, amount) VALUES (s.id, 1)
      WHEN NOT MATCHED BY SOURCE THEN DELETE;`)
    expect(statement).toMatchObject({
      kind: 'merge',
      table: { parts: ['delta', '/lake/orders'] },
      alias: 't',
      source: { text: 'SELECT * FROM staging' },
      sourceAlias: 's',
      matched: [
        { if: { kind: 'column' }, action: { do: 'delete' } },
        { action: { do: 'update', set: [{ column: ['t', 'amount'], value: 'default' }, { column: ['note'] }] } },
      ],
      notMatched: [{ action: { do: 'insert', set: [{ column: ['id'] }, { column: ['amount'] }] } }],
      notMatchedBySource: [{ action: { do: 'delete' } }],
    })
  })

  test('keeps the text of defaults, constraints and generated columns as written', () => {
    const statement = parseStatement(`CREATE TABLE t (
      a INT DEFAULT (1 + 2) * 3 NOT NULL,
      b DATE GENERATED ALWAYS AS ( CAST(ts AS DATE) ),
      CONSTRAINT c CHECK (a  >  0)
    ) USING delta`)
    expect(statement).toMatchObject({
      spec: {
        columns: [{ default: '(1 + 2) * 3', field: { nullable: false } }, { generated: 'CAST(ts AS DATE)' }],
        constraints: [{ kind: 'check', name: 'c', text: 'a  >  0' }],
      },
    })
  })

  test('reads the body of a query as the text it is', () => {
    const statement = parseStatement(`INSERT INTO t SELECT ';', [1, 2] FROM s -- the end\n;`)
    expect(statement).toMatchObject({ kind: 'insert', source: { text: `SELECT ';', [1, 2] FROM s`, start: 14 } })
  })

  test('reads parameters, which have no value yet', () => {
    expect(parseStatement('DELETE FROM t WHERE a = :low OR b = ?')).toMatchObject({
      where: {
        args: [{ args: [{}, { kind: 'parameter', name: 'low' }] }, { args: [{}, { kind: 'parameter', name: 0 }] }],
      },
    })
  })

  test.each([
    ['', 'PARSE_EMPTY_STATEMENT'],
    ['DELETE FROM t WHERE', 'PARSE_SYNTAX_ERROR'],
    ['DELETE FROM my-orders', 'INVALID_IDENTIFIER'],
    ['MERGE INTO t USING s ON a = b', 'MERGE_WITHOUT_WHEN'],
    ["ALTER TABLE t SET TBLPROPERTIES ('a' = 'b', 'a' = 'c')", 'DUPLICATE_KEY'],
    ['VACUUM t LITE FULL', 'DUPLICATE_CLAUSES'],
    ['CREATE TABLE t (a INT DEFAULT :x)', 'UNSUPPORTED_FEATURE.PARAMETER_MARKER_IN_UNEXPECTED_STATEMENT'],
    ['SELECT 1; SELECT 2 /*', 'UNCLOSED_BRACKETED_COMMENT'],
  ])('refuses %s', (text, expected) => {
    expect(() => parseStatement(text)).toThrow(code(expected))
  })

  test('names the place of a mistake', () => {
    expect(() => parseStatement('UPDATE t\nSET a = 1\n  WERE a = 2')).toThrow(
      expect.objectContaining({ details: expect.objectContaining({ line: 3, column: 3, caret: '  ^' }) }),
    )
  })

  test.each([
    ['CREATE TABLE t (\n a DECIMAL(5,6))', 2, 12],
    ['CREATE TABLE t (a DECIMAL(39))', 1, 27],
    ['CREATE TABLE t (a TIME)', 1, 19],
  ])('names the place of a type that is none: %j', (text, line, column) => {
    expect(() => parseStatement(text)).toThrow(
      expect.objectContaining({ details: expect.objectContaining({ line, column }) }),
    )
  })

  test('any text is read or refused by code', () => {
    const words = fc.constantFrom(
      ..."CREATE TABLE MERGE INTO USING ON WHEN MATCHED THEN UPDATE SET INSERT VALUES ( ) , . = * a `b` 'c' 1 ; SELECT FROM WHERE ALTER ADD COLUMN INT DEFAULT /* */ -- :p ? [ ] { OPTIMIZE VACUUM RETAIN HOURS".split(
        ' ',
      ),
    )
    fc.assert(
      fc.property(fc.array(words, { maxLength: 30 }), (parts) => {
        try {
          parseStatement(parts.join(' '))
        } catch (error) {
          if (!isDeltaError(error) || isDeltaError(error, 'LAKE_INTERNAL')) throw error
        }
      }),
      { numRuns: 2000 },
    )
  })
})
