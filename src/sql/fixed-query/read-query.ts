/**
 * Reads a query that asks no table: constants, VALUES, `range(…)`, such queries in brackets, and UNION ALL of them.
 *
 * A query of any other form is undefined here, and the engine's own.
 */

import { isDeltaError } from '../../errors/index.ts'
import { type Expression, ExpressionParser, type TokenReader } from '../../expressions/index.ts'

export type FixedQuery =
  | {
      readonly kind: 'select'
      readonly items: readonly SelectItem[]
      readonly from?: FixedRelation
      readonly where?: Expression
    }
  | { readonly kind: 'values'; readonly rows: readonly (readonly Expression[])[] }
  | { readonly kind: 'union'; readonly parts: readonly FixedQuery[] }

/** `*`, with the alias before it where one stands, or a value under a name. */
export type SelectItem =
  | { readonly star: true; readonly of?: string }
  | { readonly star: false; readonly expression: Expression; readonly name?: string }

export interface FixedRelation {
  readonly rows: FixedQuery | { readonly kind: 'range'; readonly bounds: readonly Expression[] }
  readonly alias?: string
  readonly columns?: readonly string[]
}

/** A form that is not of these queries. */
class OtherForm extends Error {}

/** Words behind which a query goes on in a way that is the engine's. */
const NO_ALIAS = new Set(
  (
    'WHERE UNION EXCEPT INTERSECT MINUS ORDER LIMIT GROUP HAVING JOIN INNER LEFT RIGHT FULL CROSS NATURAL ON USING ' +
    'WINDOW QUALIFY LATERAL TABLESAMPLE SAMPLE OFFSET FETCH PIVOT UNPIVOT SORT CLUSTER DISTRIBUTE FROM ANTI SEMI'
  ).split(' '),
)

/** @returns undefined where the text is another query, or none */
export function readFixedQuery(text: string): FixedQuery | undefined {
  try {
    const parser = new ExpressionParser(text, { keepsForeign: true })
    const query = readUnion(parser)
    while (parser.reader.takeOperator(';'));
    return parser.reader.atEnd() ? query : undefined
  } catch (error) {
    if (error instanceof OtherForm || isDeltaError(error)) return undefined
    throw error
  }
}

function readUnion(parser: ExpressionParser): FixedQuery {
  const parts = [readPart(parser)]
  while (parser.reader.takeWords('UNION', 'ALL')) parts.push(readPart(parser))
  return parts.length === 1 ? parts[0]! : { kind: 'union', parts }
}

function readPart(parser: ExpressionParser): FixedQuery {
  const { reader } = parser
  if (reader.takeOperator('(')) {
    const query = reader.nested(() => readUnion(parser))
    reader.expectOperator(')')
    return query
  }
  if (reader.takeWord('VALUES')) return readValues(parser)
  if (reader.takeWord('SELECT')) return readSelect(parser)
  throw new OtherForm()
}

function readValues(parser: ExpressionParser): FixedQuery {
  return { kind: 'values', rows: listOf(parser, () => readRow(parser)) }
}

/** `(1, 'a')`; a value without brackets is a row of one. */
function readRow(parser: ExpressionParser): readonly Expression[] {
  const { reader } = parser
  if (!reader.atOperator('(')) return [parser.readExpression()]
  const { place } = reader
  reader.next()
  const values = listOf(parser, () => parser.readExpression())
  reader.expectOperator(')')
  const goesOn = reader.peek().kind === 'operator' && ![',', ')', ';'].some((operator) => reader.atOperator(operator))
  if (!goesOn) return values
  reader.moveTo(place)
  return [parser.readExpression()]
}

function readSelect(parser: ExpressionParser): FixedQuery {
  const { reader } = parser
  if (['DISTINCT', 'ALL', 'STRUCT'].some((word) => reader.atWord(word) && !reader.atOperator(',', 1))) {
    throw new OtherForm()
  }
  const items = listOf(parser, () => readItem(parser))
  const from = reader.takeWord('FROM') ? readRelation(parser) : undefined
  const where = reader.takeWord('WHERE') ? parser.readExpression() : undefined
  return { kind: 'select', items, ...(from && { from }), ...(where && { where }) }
}

function readItem(parser: ExpressionParser): SelectItem {
  const { reader } = parser
  if (reader.takeOperator('*')) return { star: true }
  if (reader.atOperator('.', 1) && reader.atOperator('*', 2)) {
    const of = reader.expectName('a name')
    reader.next()
    reader.next()
    return { star: true, of }
  }
  const expression = parser.readExpression()
  const name = readAlias(reader)
  return { star: false, expression, ...(name !== undefined && { name }) }
}

function readRelation(parser: ExpressionParser): FixedRelation {
  const rows = readRows(parser)
  const { reader } = parser
  const alias = readAlias(reader)
  if (alias === undefined || !reader.takeOperator('(')) return { rows, ...(alias !== undefined && { alias }) }
  const columns = listOf(parser, () => reader.expectName('a name'))
  reader.expectOperator(')')
  return { rows, alias, columns }
}

function readRows(parser: ExpressionParser): FixedRelation['rows'] {
  const { reader } = parser
  if (reader.takeWord('VALUES')) return readValues(parser)
  if (reader.atWord('RANGE') && reader.atOperator('(', 1)) {
    reader.next()
    reader.next()
    const bounds = listOf(parser, () => parser.readExpression())
    reader.expectOperator(')')
    return { kind: 'range', bounds }
  }
  if (reader.atOperator('(')) return readPart(parser)
  throw new OtherForm()
}

function readAlias(reader: TokenReader): string | undefined {
  if (reader.takeWord('AS')) return reader.expectName('an alias')
  const { kind, key } = reader.peek()
  return kind === 'name' || (kind === 'word' && !NO_ALIAS.has(key)) ? reader.expectName('an alias') : undefined
}

function listOf<T>({ reader }: ExpressionParser, read: () => T): T[] {
  const items = [read()]
  while (reader.takeOperator(',')) items.push(read())
  return items
}
