/**
 * The types that values of different types meet in. Source: Spark's `AnsiTypeCoercion` and `DecimalPrecision`.
 *
 * "Tightest" loses nothing; "wider" also lets text become the other's type and decimals meet floating numbers in double.
 */
import {
  arrayType,
  type DataType,
  type DecimalType,
  decimalType,
  doubleType,
  field,
  foldCase,
  isIntegral,
  isNumeric,
  longType,
  mapType,
  structType,
  timestampNtzType,
  timestampType,
} from '../../schema/index.ts'
import { typeText } from '../cast/rules.ts'
import { commonInterval } from '../datetime/interval.ts'
import { type BoundExpression, type ExpressionType, isInterval } from '../expression.ts'

type Meet = (a: ExpressionType, b: ExpressionType) => ExpressionType | undefined

const INTEGRAL_DECIMALS: Readonly<Record<string, number>> = { byte: 3, short: 5, integer: 10, long: 20 }
const NUMERIC_ORDER = ['byte', 'short', 'integer', 'long', 'float', 'double']
const DATETIME_ORDER = ['date', 'timestamp_ntz', 'timestamp']

/** Whether two types are one, names of fields included, nullability not. */
export function equalTypes(a: ExpressionType, b: ExpressionType): boolean {
  return a.kind === b.kind && typeText(a) === typeText(b)
}

/** Whether values of two types can be compared as they are: names of fields do not matter. */
export function sameStructure(a: ExpressionType, b: ExpressionType): boolean {
  if (a.kind === 'array') return b.kind === 'array' && sameStructure(a.element, b.element)
  if (a.kind === 'map') return b.kind === 'map' && sameStructure(a.key, b.key) && sameStructure(a.value, b.value)
  if (a.kind === 'struct') {
    return (
      b.kind === 'struct' &&
      a.fields.length === b.fields.length &&
      a.fields.every((f, i) => sameStructure(f.type, b.fields[i]!.type))
    )
  }
  return equalTypes(a, b)
}

export const isNumericType = (type: ExpressionType): boolean => !isInterval(type) && isNumeric(type)
export const isIntegralType = (type: ExpressionType): boolean => !isInterval(type) && isIntegral(type)
export const isDatetime = (type: ExpressionType): boolean => DATETIME_ORDER.includes(type.kind)

/** The decimal that holds any value of an integral type; a decimal is its own. */
export function decimalFor(type: ExpressionType): DecimalType {
  if (type.kind === 'decimal') return type
  if (type.kind === 'float') return decimalType(14, 7)
  if (type.kind === 'double') return decimalType(30, 15)
  return decimalType(INTEGRAL_DECIMALS[type.kind] ?? 38, 0)
}

const written = new WeakSet<BoundExpression>()

/** Remembers that a literal stands in the text as it is, and is not the outcome of a cast or a call. */
export function markWritten(node: BoundExpression): BoundExpression {
  written.add(node)
  return node
}

/** The decimal of a node: for an integer written in the text (tinyint apart), as narrow as its digits. */
export function decimalForNode(node: BoundExpression): DecimalType {
  if (node.kind === 'literal' && written.has(node) && isIntegralType(node.type) && node.type.kind !== 'byte') {
    const digits = String(node.value).replace('-', '').length
    return decimalType(digits, 0)
  }
  return decimalFor(node.type)
}

/** Kept within 38 digits by giving up digits of the fraction, but not below six of them. */
export function boundedDecimal(precision: number, scale: number): DecimalType {
  if (precision <= 38) return decimalType(precision, scale)
  const whole = precision - scale
  return decimalType(38, Math.max(38 - whole, Math.min(scale, 6)))
}

/** A decimal that holds both, within 38 digits by giving up digits of the fraction. */
function widerDecimal(a: DecimalType, b: DecimalType): DecimalType {
  const scale = Math.max(a.scale, b.scale)
  const precision = Math.max(a.precision - a.scale, b.precision - b.scale) + scale
  return precision <= 38 ? decimalType(precision, scale) : decimalType(38, Math.max(0, scale - (precision - 38)))
}

function holds(wide: DecimalType, other: ExpressionType): boolean {
  const narrow = decimalFor(other)
  return wide.precision - wide.scale >= narrow.precision - narrow.scale && wide.scale >= narrow.scale
}

/** The type both fit in without loss; undefined where there is none. */
export function tightestType(a: ExpressionType, b: ExpressionType): ExpressionType | undefined {
  if (equalTypes(a, b)) return mergeNullability(a, b)
  if (a.kind === 'void') return b
  if (b.kind === 'void') return a
  if (isInterval(a) || isInterval(b)) return isInterval(a) && isInterval(b) ? commonInterval(a, b) : undefined
  if (isIntegralType(a) && b.kind === 'decimal') return holds(b, a) ? b : undefined
  if (isIntegralType(b) && a.kind === 'decimal') return holds(a, b) ? a : undefined
  const ranks = [NUMERIC_ORDER.indexOf(a.kind), NUMERIC_ORDER.indexOf(b.kind)] as const
  if (ranks[0] !== -1 && ranks[1] !== -1) {
    const wider = ranks[0] > ranks[1] ? a : b
    return wider.kind === 'float' ? doubleType : wider
  }
  if (isDatetime(a) && isDatetime(b)) {
    const wider = Math.max(DATETIME_ORDER.indexOf(a.kind), DATETIME_ORDER.indexOf(b.kind))
    return wider === 2 ? timestampType : timestampNtzType
  }
  return meetInside(a, b, tightestType)
}

/** The type two values meet in where text may become a number, a date, a boolean. */
export function widerType(a: ExpressionType, b: ExpressionType): ExpressionType | undefined {
  return tightestType(a, b) ?? widerOfDecimals(a, b) ?? widerOfText(a, b) ?? meetInside(a, b, widerType)
}

/** As `widerType`, but text stays text and meets nothing else. */
export function widerTypeWithoutText(a: ExpressionType, b: ExpressionType): ExpressionType | undefined {
  return tightestType(a, b) ?? widerOfDecimals(a, b) ?? meetInside(a, b, widerTypeWithoutText)
}

function widerOfDecimals(a: ExpressionType, b: ExpressionType): ExpressionType | undefined {
  if (!isNumericType(a) || !isNumericType(b) || (a.kind !== 'decimal' && b.kind !== 'decimal')) return undefined
  if ([a.kind, b.kind].some((kind) => kind === 'float' || kind === 'double')) return doubleType
  return widerDecimal(decimalFor(a), decimalFor(b))
}

const TEXT_MEETS = new Set(['boolean', 'binary', 'date', 'timestamp', 'timestamp_ntz'])

function widerOfText(a: ExpressionType, b: ExpressionType): ExpressionType | undefined {
  if (a.kind !== 'string') return b.kind === 'string' ? widerOfText(b, a) : undefined
  if (isIntegralType(b)) return longType
  if (isNumericType(b)) return doubleType
  return TEXT_MEETS.has(b.kind) ? b : undefined
}

function meetInside(a: ExpressionType, b: ExpressionType, meet: Meet): ExpressionType | undefined {
  const inner = (x: DataType, y: DataType): DataType | undefined => meet(x, y) as DataType | undefined
  if (a.kind === 'array' && b.kind === 'array') {
    const element = inner(a.element, b.element)
    return element === undefined ? undefined : arrayType(element, a.containsNull || b.containsNull)
  }
  if (a.kind === 'map' && b.kind === 'map') {
    const [key, value] = [inner(a.key, b.key), inner(a.value, b.value)]
    return key === undefined || value === undefined ? undefined : mapType(key, value)
  }
  if (a.kind !== 'struct' || b.kind !== 'struct' || a.fields.length !== b.fields.length) return undefined
  const fields = a.fields.map((f, i) => {
    const other = b.fields[i]!
    const type = foldCase(f.name) === foldCase(other.name) ? inner(f.type, other.type) : undefined
    return type === undefined ? undefined : field(f.name, type, f.nullable || other.nullable)
  })
  return fields.some((f) => f === undefined) ? undefined : structType(fields as never)
}

function mergeNullability(a: ExpressionType, b: ExpressionType): ExpressionType {
  return a.kind === 'array' || a.kind === 'map' || a.kind === 'struct' ? (meetInside(a, b, tightestType) ?? a) : a
}

/** The type all meet in, left to right from void. */
export function commonType(types: readonly ExpressionType[], meet: Meet = widerType): ExpressionType | undefined {
  let common: ExpressionType | undefined = { kind: 'void' }
  for (const type of types) common = common === undefined ? undefined : meet(common, type)
  return common
}

/** The type all meet in where text meets text alone: what rows written out are held to. */
export function commonTypeWithoutText(types: readonly ExpressionType[]): ExpressionType | undefined {
  return commonType(types, widerTypeWithoutText)
}

/** Whether values of the type have an order: all but maps and variants. */
export function isOrderable(type: ExpressionType): boolean {
  if (type.kind === 'array') return isOrderable(type.element)
  if (type.kind === 'struct') return type.fields.every((f) => isOrderable(f.type))
  return type.kind !== 'map' && type.kind !== 'variant'
}

/** A node cast to a type where it has another; NULL takes the type on itself. */
export function coerce(node: BoundExpression, type: ExpressionType, safe = false): BoundExpression {
  if (equalTypes(node.type, type)) return node
  if (node.kind === 'literal' && node.value === null) return { kind: 'literal', value: null, type }
  return { kind: 'cast', child: node, type, safe }
}
