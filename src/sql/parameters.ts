/**
 * Values for the parameters of a statement: `:name`, or `?` by place.
 *
 * They take their places in the tree of the statement, and in the text of a query as literals, so that no value is ever
 * read as SQL.
 */
import { deltaError } from '../errors/index.ts'
import { type Expression, parameterText, tokensFrom as sparkTokens } from '../expressions/index.ts'
import {
  binaryType,
  booleanType,
  type DataType,
  doubleType,
  integerType,
  longType,
  stringType,
  timestampType,
  type Value,
  voidType,
} from '../schema/index.ts'
import { encodeHex } from '../support/index.ts'
import type { QueryText, Statement } from './parser/index.ts'
import { isSymbol, type Token, tokenize } from './tokens.ts'

/**
 * Whole numbers are INT where they fit and else BIGINT, other numbers DOUBLE, a `Date` TIMESTAMP. A decimal is given as
 * text: it is cast where it is used.
 */
export type ParameterValue = string | number | bigint | boolean | null | Date | Uint8Array

/** By name for `:name`, in a list for `?`. */
export type ParameterValues = Readonly<Record<string, ParameterValue>> | readonly ParameterValue[]

/**
 * The statement with the values in place of its parameters.
 *
 * Values that no parameter asks for are let be, so that one set serves a script.
 *
 * @param text the statement's own
 * @throws DeltaError `UNBOUND_SQL_PARAMETER`, `LAKE_USAGE` for a value of no type of SQL
 */
export function withParameters(statement: Statement, text: string, values: ParameterValues): Statement {
  return new Binding(text, values).statement(statement)
}

interface TypedValue {
  readonly value: Value
  readonly type: DataType
}

class Binding {
  private readonly values: ReadonlyMap<string, ParameterValue>
  private readonly list: readonly ParameterValue[] | undefined
  /** where each `?` stands in the statement, in order */
  private readonly places: readonly number[]

  constructor(text: string, values: ParameterValues) {
    this.list = Array.isArray(values) ? (values as readonly ParameterValue[]) : undefined
    this.values = new Map(this.list === undefined ? Object.entries(values) : [])
    this.places = Array.from(sparkTokens(text, 0))
      .filter(({ text: token }) => token === '?')
      .map(({ start }) => start)
  }

  statement(statement: Statement): Statement {
    return this.node(statement) as Statement
  }

  /** Plain data all the way down: the tree of a statement. */
  private node(node: unknown): unknown {
    if (Array.isArray(node)) return node.map((item) => this.node(item))
    if (!isPlain(node)) return node
    if (node.kind === 'parameter' && 'span' in node)
      return this.literal(node as Extract<Expression, { kind: 'parameter' }>)
    if (isQuery(node)) return this.query(node)
    return Object.fromEntries(Object.entries(node).map(([key, member]) => [key, this.node(member)]))
  }

  private literal({ name, span }: Extract<Expression, { kind: 'parameter' }>): Expression {
    return { kind: 'literal', ...typed(this.valueOf(name, span.start)), span }
  }

  private query({ text, start }: QueryText): QueryText {
    const tokens = tokenize(text)
    let bound = ''
    let at = 0
    for (const [i, token] of tokens.entries()) {
      const marker = markerAt(tokens, i)
      if (marker === undefined) continue
      const value = this.valueOf(marker.name, start + token.start)
      bound += text.slice(at, token.start) + literalText(typed(value))
      at = marker.end
    }
    return { text: bound + text.slice(at), start }
  }

  private valueOf(name: string | number, offset: number): ParameterValue {
    const place = typeof name === 'number' ? this.places.indexOf(offset) : -1
    const value = typeof name === 'number' ? this.list?.[place] : this.values.get(name)
    if (value === undefined) throw deltaError('UNBOUND_SQL_PARAMETER', { name: parameterText(name) })
    return value
  }
}

function isPlain(node: unknown): node is Record<string, unknown> {
  return typeof node === 'object' && node !== null && Object.getPrototypeOf(node) === Object.prototype
}

function isQuery(node: Record<string, unknown>): node is Record<string, unknown> & QueryText {
  return typeof node.text === 'string' && typeof node.start === 'number' && Object.keys(node).length === 2
}

/** `?`, or `:name` that is neither a cast nor the path into a variant. */
function markerAt(tokens: readonly Token[], i: number): { name: string | number; end: number } | undefined {
  const token = tokens[i]!
  if (isSymbol(token, '?')) return { name: 0, end: token.end }
  const [previous, next] = [tokens[i - 1], tokens[i + 1]]
  if (!isSymbol(token, ':') || next?.kind !== 'word' || next.start !== token.end) return undefined
  const touches =
    previous?.end === token.start && !['(', ',', '=', '<', '>', '+', '-', '*', '/'].includes(previous.text)
  return touches ? undefined : { name: next.text, end: next.end }
}

function typed(value: ParameterValue): TypedValue {
  if (value === null) return { value, type: voidType }
  switch (typeof value) {
    case 'string':
      return { value, type: stringType }
    case 'boolean':
      return { value, type: booleanType }
    case 'bigint':
      return { value: whole(value), type: longType }
    case 'number':
      if (!Number.isInteger(value)) return { value, type: doubleType }
      if (Number.isSafeInteger(value)) return wholeNumber(value)
      throw refused(`the number ${value}, which is no exact whole number`)
  }
  if (value instanceof Uint8Array) return { value, type: binaryType }
  if (value instanceof Date && !Number.isNaN(value.getTime())) {
    return { value: BigInt(value.getTime()) * 1000n, type: timestampType }
  }
  throw refused(`a value of the kind ${Object.prototype.toString.call(value).slice(8, -1)}`)
}

function wholeNumber(value: number): TypedValue {
  const isInt = value >= -(2 ** 31) && value < 2 ** 31
  return isInt ? { value, type: integerType } : { value: BigInt(value), type: longType }
}

function whole(value: bigint): bigint {
  if (BigInt.asIntN(64, value) === value) return value
  throw refused(`the number ${value}, which is no BIGINT`)
}

function refused(what: string) {
  return deltaError('LAKE_USAGE', {
    problem: `a parameter is ${what}`,
    advice: 'give a text, a number, a bigint, true or false, null, a Date or bytes',
  })
}

/** The value as both dialects of queries read it. */
function literalText({ value, type }: TypedValue): string {
  if (value === null) return 'NULL'
  switch (type.kind) {
    case 'string':
      return textLiteral(value as string)
    case 'long':
      // the lowest number has no positive counterpart
      return `CAST('${String(value)}' AS BIGINT)`
    case 'double':
      return `CAST('${String(value)}' AS DOUBLE)`
    case 'binary':
      return `unhex('${encodeHex(value as Uint8Array)}')`
    case 'timestamp':
      return `TIMESTAMPTZ '${new Date(Number((value as bigint) / 1000n)).toISOString()}'`
    default:
      return `(${String(value)})`
  }
}

/** A backslash escapes in one dialect and not in the other. */
function textLiteral(text: string): string {
  const parts = text.split('\\').map((part) => `'${part.replaceAll("'", "''")}'`)
  return parts.length === 1 ? parts[0]! : `(${parts.join(' || chr(92) || ')})`
}
