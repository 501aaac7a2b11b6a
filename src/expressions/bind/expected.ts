/** What a function expects of an argument, and what an argument of another type is cast to. Source: Spark's `implicitCast`. */
import {
  arrayType,
  type DataType,
  doubleType,
  formatType,
  longType,
  mapType,
  timestampType,
  voidType,
} from '../../schema/index.ts'
import { canCast, typeText } from '../cast/rules.ts'
import { dayToSecond, yearToMonth } from '../datetime/interval.ts'
import { type ExpressionType, isInterval } from '../expression.ts'
import { equalTypes, isDatetime, isNumericType } from './coercion.ts'

export interface Expected {
  /** for messages */
  readonly text: string
  accepts(type: ExpressionType): boolean
  /** the type to cast to, where it is not accepted as it is */
  castFrom(type: ExpressionType): ExpressionType | undefined
  /** what a bare NULL becomes */
  readonly nothing: ExpressionType
}

const ATOMS = new Set(['boolean', 'binary', 'date', 'timestamp', 'timestamp_ntz', 'string'])

function isAtom(type: ExpressionType): boolean {
  return isNumericType(type) || ATOMS.has(type.kind)
}

/** Exactly one type. */
export function only(type: ExpressionType): Expected {
  return {
    text: typeText(type),
    nothing: type,
    accepts: (given) => equalTypes(given, type),
    castFrom: (given) => (canAssign(given, type) ? type : undefined),
  }
}

/** Spark's implicit casts between unlike types: text into anything plain, anything plain into text, numbers into numbers. */
function canAssign(from: ExpressionType, to: ExpressionType): boolean {
  if (from.kind === 'string' && isAtom(to)) return true
  if (isNumericType(from) && isNumericType(to)) return true
  if (to.kind === 'string') return isAtom(from) || isInterval(from)
  if (isDatetime(from) && isDatetime(to)) return true
  if (from.kind === 'array' && to.kind === 'array') return canAssign(from.element, to.element) || equalTypes(from, to)
  if (from.kind === 'map' && to.kind === 'map' && canCast(from, to)) {
    return canAssign(from.key, to.key) && canAssign(from.value, to.value)
  }
  return equalTypes(from, to)
}

function kindOf(
  text: string,
  accepts: (type: ExpressionType) => boolean,
  nothing: ExpressionType,
  castFrom: Expected['castFrom'] = () => undefined,
): Expected {
  return { text, accepts, nothing, castFrom }
}

const fromText =
  (target: ExpressionType): Expected['castFrom'] =>
  (type) =>
    type.kind === 'string' ? target : undefined

export const anyType: Expected = kindOf('any type', () => true, voidType)
export const numeric: Expected = kindOf('a number', isNumericType, doubleType, fromText(doubleType))
export const anyTimestamp: Expected = kindOf(
  'a timestamp',
  (type) => type.kind === 'timestamp' || type.kind === 'timestamp_ntz',
  timestampType,
  (type) => (type.kind === 'string' || type.kind === 'date' ? timestampType : undefined),
)
export const anyArray: Expected = kindOf('an array', (type) => type.kind === 'array', arrayType(voidType))
export const anyMap: Expected = kindOf('a map', (type) => type.kind === 'map', mapType(voidType, voidType))
export const monthInterval: Expected = kindOf(
  'an interval of months',
  (type) => type.kind === 'interval_year_month',
  yearToMonth,
)
export const dayInterval: Expected = kindOf(
  'an interval of days',
  (type) => type.kind === 'interval_day_time',
  dayToSecond,
)
/** A type exactly, nothing is cast to it but NULL. */
export function strictly(type: DataType): Expected {
  return kindOf(formatType(type), (given) => equalTypes(given, type), type)
}

const WHOLE_KINDS = new Set(['byte', 'short', 'integer', 'long'])

/** A whole number of any width, as a long; nothing else is cast to it. */
export const anyWhole: Expected = kindOf(
  'a whole number',
  (type) => type.kind === 'long',
  longType,
  (type) => (WHOLE_KINDS.has(type.kind) ? longType : undefined),
)

/** One of several: accepted by any, else cast for the first that can be cast to. */
export function oneOf(...options: readonly Expected[]): Expected {
  return {
    text: options.map((option) => option.text).join(' or '),
    nothing: options[0]!.nothing,
    accepts: (type) => options.some((option) => option.accepts(type)),
    castFrom: (type) => {
      for (const option of options) {
        const target = option.castFrom(type)
        if (target !== undefined) return target
      }
      return undefined
    },
  }
}
