/** Text → expressions, types and schemas. */
import { type DataType, type StructType, structType } from '../../schema/index.ts'
import { type Expression, isInterval } from '../expression.ts'
import { unsupported } from '../unsupported.ts'
import { ExpressionParser } from './expression-parser.ts'
import { TokenReader } from './token-reader.ts'
import { readField, readType } from './type-parser.ts'

/**
 * Reads an expression in Spark's syntax (ANSI mode).
 *
 * Nothing is resolved: names of columns and functions are as written (functions in lower case). BETWEEN, NOT IN, IS TRUE,
 * LIKE ANY, `CASE x WHEN` and their kin are written out in simpler calls, so that few forms reach those who come after.
 *
 * @throws DeltaError `PARSE_SYNTAX_ERROR` with line, column, a caret and what was expected; `INVALID_TYPED_LITERAL`,
 * `INVALID_NUMERIC_LITERAL_RANGE`, `FAILED_TO_PARSE_TOO_COMPLEX`, …; `LAKE_EXPRESSION_UNSUPPORTED` naming a form that
 * is Spark's and not ours (subqueries, aggregates, parameters, collations)
 */
export function parseExpression(text: string): Expression {
  const parser = new ExpressionParser(text)
  const expression = parser.readExpression()
  if (!parser.reader.atEnd()) throw parser.reader.unexpected('an operator or the end')
  return expression
}

/**
 * Reads a type: `DECIMAL(10,2)`, `ARRAY<STRUCT<a: INT NOT NULL>>`. CHAR and VARCHAR are string.
 *
 * @throws DeltaError `PARSE_SYNTAX_ERROR`, `UNSUPPORTED_DATATYPE`, `DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION`
 */
export function parseDataType(text: string): DataType {
  const reader = new TokenReader(text)
  const { type } = readType(reader)
  if (!reader.atEnd()) throw reader.unexpected('the end')
  if (isInterval(type)) {
    throw unsupported(`a column of the type ${type.text}`, 'keep the number of days or seconds')
  }
  return type
}

/**
 * Reads the columns of a table: `a INT NOT NULL, b STRUCT<x: INT> COMMENT 'why'`.
 *
 * Comments are kept as the metadata `comment`, CHAR(n) and VARCHAR(n) as `__CHAR_VARCHAR_TYPE_STRING`, as Delta does.
 *
 * @throws DeltaError as `parseDataType`
 */
export function parseTableSchema(text: string): StructType {
  const reader = new TokenReader(text)
  const fields = []
  if (!reader.atEnd()) {
    do fields.push(readField(reader))
    while (reader.takeOperator(','))
  }
  if (!reader.atEnd()) throw reader.unexpected("',' or the end")
  return structType(fields)
}
