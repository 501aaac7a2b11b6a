/** `SET key = value`, `SET TIME ZONE '…'`, `SET`, `RESET [key]` */

import type { Statement } from '../statement.ts'
import type { StatementReader } from '../statement-reader.ts'

const TIME_ZONE = 'spark.sql.session.timeZone'

/** The word SET taken. The value is the rest of the line: it needs no quotes, and loses those that it has. */
export function readSet(reader: StatementReader): Statement {
  const { tokens } = reader
  if (tokens.atEnd() || tokens.atOperator(';')) return { kind: 'set' }
  if (tokens.atOperator('-') && tokens.peek(1).key === 'V') {
    tokens.moveTo(tokens.place + 2)
    return { kind: 'set', verbose: true }
  }
  if (tokens.takeWords('TIME', 'ZONE')) return { kind: 'set', key: TIME_ZONE, value: readZone(reader) }
  const { start } = tokens.peek()
  const key = readKey(reader)
  if (key === undefined) throw reader.error(start, 'INVALID_SET_SYNTAX', {})
  if (tokens.atEnd() || tokens.atOperator(';')) return { kind: 'set', key }
  if (!tokens.takeOperator('=')) throw reader.error(start, 'INVALID_SET_SYNTAX', {})
  return { kind: 'set', key, value: readValue(reader, start) }
}

/** The word RESET taken. */
export function readReset(reader: StatementReader): Statement {
  if (reader.tokens.atEnd() || reader.tokens.atOperator(';')) return { kind: 'reset' }
  const { start } = reader.tokens.peek()
  const key = readKey(reader)
  if (key === undefined) throw reader.error(start, 'INVALID_SET_SYNTAX', {})
  return { kind: 'reset', key }
}

function readKey(reader: StatementReader): string | undefined {
  const { kind } = reader.tokens.peek()
  return kind === 'word' || kind === 'name' ? reader.parts('a key').join('.') : undefined
}

function readZone(reader: StatementReader): string {
  const { tokens } = reader
  if (tokens.takeWord('LOCAL')) return 'LOCAL'
  if (tokens.atString()) return reader.string('a time zone')
  const { start } = tokens.peek()
  reader.expression()
  return reader.textFrom(start)
}

function readValue(reader: StatementReader, start: number): string {
  const { tokens } = reader
  const from = tokens.peek().start
  const quoted = tokens.peek().kind === 'name'
  while (!tokens.atEnd() && !tokens.atOperator(';')) {
    if (tokens.peek().text.includes(';') && !quoted) throw reader.error(start, 'INVALID_SET_SYNTAX', {})
    tokens.next()
  }
  const text = reader.textFrom(from).trim()
  return /^`.*`$|^'.*'$|^".*"$/s.test(text) ? text.slice(1, -1) : text
}
