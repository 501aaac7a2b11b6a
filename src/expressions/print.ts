/** Expressions as SQL text, every operator in brackets, so that reading the text again gives the same tree. */
import { type DataType, formatType } from '../schema/index.ts'
import { type Decimal, encodeHex, formatDate, formatTimestamp } from '../support/index.ts'
import { formatInterval } from './datetime/interval.ts'
import { type Expression, type ExpressionType, isInterval } from './expression.ts'
import { quoteString } from './parser/string-literal.ts'

const INFIX: ReadonlySet<string> = new Set([
  ...['+', '-', '*', '/', '%', '=', '<=>', '<', '<=', '>', '>=', '!=', '&', '|', '^'],
  ...['div', 'and', 'or', 'like', 'ilike', 'rlike'],
])
const PREFIX: ReadonlyMap<string, string> = new Map([
  ['positive', '+'],
  ['~', '~'],
])

/**
 * The SQL text of an expression: `((a = 1) AND (b IN ('x', 'y')))`.
 *
 * `parseExpression` of it gives the same tree, spans apart.
 */
export function printExpression(expression: Expression): string {
  switch (expression.kind) {
    case 'literal':
      return printLiteral(expression.value, expression.type)
    case 'column':
      return expression.path.map(printName).join('.')
    case 'call':
      return printCall(expression.name, expression.args)
    case 'cast':
      return `${expression.safe ? 'TRY_CAST' : 'CAST'}(${printExpression(expression.child)} AS ${printType(expression.type)})`
    case 'case':
      return printCase(expression)
    case 'lambda': {
      const params = expression.params.map(printName)
      const head = params.length === 1 ? params[0] : `(${params.join(', ')})`
      return `${head} -> ${printExpression(expression.body)}`
    }
    case 'parameter':
      return parameterText(expression.name)
    case 'foreign':
      return expression.text
  }
}

/** A parameter as it is written: `:name` or `?`. */
export function parameterText(name: string | number): string {
  return typeof name === 'number' ? '?' : `:${name}`
}

function printCase({ branches, otherwise }: Extract<Expression, { kind: 'case' }>): string {
  const whens = branches.map(({ when, then }) => `WHEN ${printExpression(when)} THEN ${printExpression(then)}`)
  const last = otherwise === undefined ? '' : ` ELSE ${printExpression(otherwise)}`
  return `CASE ${whens.join(' ')}${last} END`
}

function printCall(name: string, args: readonly Expression[]): string {
  const texts = args.map(printExpression)
  if (name === 'not' && args.length === 1) return `(NOT ${texts[0]})`
  if (name === 'isnull' && args.length === 1) return `(${texts[0]} IS NULL)`
  if (name === 'isnotnull' && args.length === 1) return `(${texts[0]} IS NOT NULL)`
  if (name === 'isunknown' && args.length === 1) return `(${texts[0]} IS UNKNOWN)`
  if (name === 'in' && args.length > 1) return `(${texts[0]} IN (${texts.slice(1).join(', ')}))`
  if (name === 'getitem' && args.length === 2) return `${texts[0]}[${texts[1]}]`
  if (name === 'getfield' && args.length === 2) return printField(args[0]!, args[1]!)
  if (name === 'timestamp_literal') return `TIMESTAMP ${texts[0]}`
  if (name === 'date_part' && args.length === 2) return `EXTRACT(${unitName(args[0]!)} FROM ${texts[1]})`
  if ((name === 'timestampadd' || name === 'timestampdiff') && args.length === 3) {
    return `${name}(${[unitName(args[0]!), ...texts.slice(1)].join(', ')})`
  }
  if ((name === 'like' || name === 'ilike') && args.length === 3) {
    return `(${texts[0]} ${name.toUpperCase()} ${texts[1]} ESCAPE ${texts[2]})`
  }
  if (INFIX.has(name) && args.length === 2) return `(${texts[0]} ${name.toUpperCase()} ${texts[1]})`
  if (PREFIX.has(name) && args.length === 1) return `(${PREFIX.get(name)} ${texts[0]})`
  return `${name.split('.').map(printFunctionName).join('.')}(${texts.join(', ')})`
}

function printField(base: Expression, name: Expression): string {
  return `(${printExpression(base)}).${name.kind === 'literal' ? printName(String(name.value)) : printExpression(name)}`
}

function unitName(unit: Expression): string {
  const word = unit.kind === 'literal' && unit.type.kind === 'string' ? String(unit.value) : undefined
  return word !== undefined && /^[A-Za-z_]+$/.test(word) ? word : printExpression(unit)
}

/** Words that would be read as something else where a name is meant. */
const SPECIAL = new Set([
  ...['NULL', 'TRUE', 'FALSE', 'CASE', 'NOT', 'EXISTS', 'INTERVAL', 'AND', 'OR', 'IN', 'IS', 'DIV', 'STRUCT', 'CAST'],
  ...['CURRENT_DATE', 'CURRENT_TIME', 'CURRENT_TIMESTAMP', 'LOCALTIMESTAMP', 'TRY_CAST', 'COLLATE', 'SELECT', 'ALL'],
  ...[
    'LIKE',
    'ILIKE',
    'RLIKE',
    'REGEXP',
    'BETWEEN',
    'ESCAPE',
    'WHEN',
    'THEN',
    'ELSE',
    'END',
    'FROM',
    'AS',
    'FOR',
    'ANY',
  ],
  ...['SOME', 'OVER', 'FILTER', 'PLACING', 'DISTINCT', 'BOTH', 'LEADING', 'TRAILING'],
])

/** A name, in backticks unless it is plain. */
export function printName(name: string): string {
  if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !SPECIAL.has(name.toUpperCase())) return name
  return `\`${name.replaceAll('`', '``')}\``
}

function printFunctionName(name: string): string {
  return /^[a-z_][a-z0-9_]*$/.test(name) && !NEEDS_QUOTES.has(name) ? name : `\`${name.replaceAll('`', '``')}\``
}

const NEEDS_QUOTES = new Set(['case', 'not', 'interval', 'struct', 'cast', 'try_cast', 'extract', 'div'])

function printType(type: ExpressionType): string {
  return isInterval(type) ? type.text.toUpperCase() : printDataType(type)
}

function printDataType(type: DataType): string {
  if (type.kind === 'array') return `ARRAY<${printDataType(type.element)}>`
  if (type.kind === 'map') return `MAP<${printDataType(type.key)}, ${printDataType(type.value)}>`
  if (type.kind === 'struct') {
    const fields = type.fields.map(
      (f) => `${printName(f.name)}: ${printDataType(f.type)}${f.nullable ? '' : ' NOT NULL'}`,
    )
    return `STRUCT<${fields.join(', ')}>`
  }
  return formatType(type).toUpperCase()
}

/** @param value as the parser makes it: no arrays, maps or structs */
function printLiteral(value: unknown, type: ExpressionType): string {
  if (value === null) return 'NULL'
  if (isInterval(type)) return formatInterval(value as number | bigint, type)
  switch (type.kind) {
    case 'string':
      return quoteString(value as string)
    case 'binary':
      return `X'${encodeHex(value as Uint8Array).toUpperCase()}'`
    case 'date':
      return `DATE '${formatDate(value as number)}'`
    case 'timestamp':
      return `TIMESTAMP '${formatTimestamp(value as bigint, ' ')}Z'`
    case 'timestamp_ntz':
      return `TIMESTAMP_NTZ '${formatTimestamp(value as bigint, ' ')}'`
    case 'byte':
      return `${value}Y`
    case 'short':
      return `${value}S`
    case 'long':
      return `${value}L`
    case 'float':
      return `${Object.is(value, -0) ? '-0' : value}F`
    case 'double':
      return `${Object.is(value, -0) ? '-0' : value}D`
    case 'decimal':
      return `${value as Decimal}BD`
    default:
      return String(value).toUpperCase()
  }
}
