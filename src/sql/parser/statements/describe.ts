/** `DESCRIBE [TABLE] [EXTENDED] name [column]`, `DESCRIBE DETAIL …`, `DESCRIBE HISTORY … [LIMIT n]`, `DESCRIBE query` */

import type { Statement } from '../statement.ts'
import type { StatementReader } from '../statement-reader.ts'
import { skipForeign } from './foreign.ts'

/** The word DESCRIBE or DESC taken. */
export function readDescribe(reader: StatementReader): Statement {
  const { tokens } = reader
  const names = tokens.peek(1).kind !== 'end' && !tokens.atOperator(';', 1) && !tokens.atOperator('.', 1)
  if (names && tokens.takeWord('DETAIL')) return { kind: 'describe detail', table: reader.table({ text: true }) }
  if (names && tokens.takeWord('HISTORY')) return readHistory(reader)
  if (names && OTHERS.some((word) => tokens.atWord(word))) return skipForeign(reader, `DESCRIBE ${tokens.peek().key}`)
  tokens.takeWord('QUERY')
  if (atQuery(reader)) return { kind: 'describe query', query: reader.queryToEnd() }
  return readTable(reader)
}

const OTHERS = ['FUNCTION', 'SCHEMA', 'DATABASE', 'NAMESPACE', 'CATALOG', 'PROCEDURE']

function atQuery({ tokens }: StatementReader): boolean {
  const next = tokens.peek(1)
  const begins = ['SELECT', 'WITH', 'FROM', 'VALUES'].some((word) => tokens.atWord(word)) && next.kind !== 'end'
  return begins || tokens.atOperator('(')
}

function readHistory(reader: StatementReader): Statement {
  const table = reader.table({ text: true })
  if (!reader.tokens.takeWord('LIMIT')) return { kind: 'describe history', table }
  return { kind: 'describe history', table, limit: reader.tokens.expectInteger('a number of versions') }
}

function readTable(reader: StatementReader): Statement {
  const { tokens } = reader
  const follows = (): boolean => tokens.peek(1).kind === 'word' || tokens.peek(1).kind === 'name'
  if (tokens.atWord('TABLE') && follows()) tokens.next()
  const extended = (tokens.atWord('EXTENDED') || tokens.atWord('FORMATTED')) && follows()
  if (extended) tokens.next()
  const table = reader.table()
  if (tokens.takeWord('AS')) {
    tokens.expectWord('JSON')
    return { kind: 'foreign', words: 'DESCRIBE … AS JSON' }
  }
  const { kind } = tokens.peek()
  const column = kind === 'word' || kind === 'name' ? { column: reader.column() } : {}
  if (column.column !== undefined && tokens.takeWord('AS')) tokens.expectWord('JSON')
  return { kind: 'describe table', table, extended, ...column }
}
