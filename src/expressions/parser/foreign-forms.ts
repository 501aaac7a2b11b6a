/**
 * Forms of Spark's that are not of the language: queries in brackets, windows, paths into variants, arguments by name. They
 * are read to their end, so that a statement with one can be told from a text with a mistake.
 */
import type { Expression } from '../expression.ts'
import type { ForeignForm } from '../unsupported.ts'
import type { ExpressionParser } from './expression-parser.ts'
import type { TokenReader } from './token-reader.ts'

export const SUBQUERY: ForeignForm = {
  what: 'a subquery',
  advice: 'join the other table in a MERGE or a SELECT',
  construct: 'subquery',
}

/** Words that go on with an expression: what stands before them is a column, whatever its name. */
const OPERATOR_WORDS = new Set(['AND', 'OR', 'IS', 'IN', 'LIKE', 'ILIKE', 'RLIKE', 'REGEXP', 'BETWEEN', 'NOT', 'DIV'])
/** What may stand behind SELECT, and would not behind a column. */
const AFTER_SELECT = ['*', '(', '-', '+', ':', '?']

/** Whether a query begins some tokens ahead. */
export function atQuery(reader: TokenReader, ahead: number): boolean {
  const next = reader.peek(ahead + 1)
  if (next.kind === 'end') return false
  if (reader.atWord('SELECT', ahead)) return next.kind !== 'operator' || AFTER_SELECT.includes(next.key)
  const isName = next.kind === 'word' || next.kind === 'name'
  return isName && ['WITH', 'FROM'].some((word) => reader.atWord(word, ahead)) && !OPERATOR_WORDS.has(next.key)
}

/** A bracketed query, the bracket still to come. */
export function readSubquery(parser: ExpressionParser, start: number): Expression {
  parser.reader.expectOperator('(')
  skipBrackets(parser.reader)
  return parser.foreign(SUBQUERY, start)
}

/** Everything up to and with the bracket that closes the one taken last. */
export function skipBrackets(reader: TokenReader): void {
  for (let depth = 1; depth > 0; ) {
    const token = reader.peek()
    if (token.kind === 'end') throw reader.unexpected("')'")
    if (token.key === '(') depth++
    if (token.key === ')') depth--
    reader.next()
  }
}

/** `FILTER (…)` and `OVER (…)` behind a call. */
export function takeWindow(reader: TokenReader): boolean {
  const filters = reader.atWord('FILTER') && reader.atOperator('(', 1)
  if (filters) {
    reader.next()
    reader.next()
    skipBrackets(reader)
  }
  if (!reader.takeWord('OVER')) return filters
  if (reader.takeOperator('(')) skipBrackets(reader)
  else reader.expectName('the name of a window')
  return true
}

/** An argument of a function; `name => value` is Spark's. */
export function readArgument(parser: ExpressionParser): Expression {
  const { reader } = parser
  const { start, kind } = reader.peek()
  if (kind !== 'word' || !reader.atOperator('=>', 1)) return parser.readExpression()
  reader.moveTo(reader.place + 2)
  parser.readExpression()
  return parser.foreign({ what: 'an argument by name', advice: 'give the arguments in their order' }, start)
}

/** The name behind COLLATE. */
export function readCollation(parser: ExpressionParser, start: number): Expression {
  readDottedName(parser.reader, 'the name of a collation')
  return parser.foreign({ what: 'a collation', advice: 'compare upper() or lower() of the text' }, start)
}

/** `:user.name[0]` behind a column. */
export function readVariantPath(parser: ExpressionParser, start: number): Expression {
  const { reader } = parser
  reader.expectOperator(':')
  readDottedName(reader, 'the name of a field')
  while (reader.takeOperator('[')) {
    parser.readValue()
    reader.expectOperator(']')
    if (reader.takeOperator('.')) readDottedName(reader, 'the name of a field')
  }
  return parser.foreign({ what: 'the path `column:field`', advice: 'use get_json_object' }, start)
}

function readDottedName(reader: TokenReader, what: string): void {
  do reader.expectName(what)
  while (reader.takeOperator('.'))
}
