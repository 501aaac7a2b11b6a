/** Order and equality of values: NaN above all and equal to itself, -0 equal to 0, text by UTF-8 bytes, NULL first inside. */
import type { Row, Value } from '../../schema/index.ts'
import { compareBytes, compareDecimals, compareText, type Decimal } from '../../support/index.ts'
import { type ExpressionType, isInterval } from '../expression.ts'
import { unsupported } from '../unsupported.ts'

export type Comparator = (a: Exclude<Value, null>, b: Exclude<Value, null>) => number

function compareNumbers(a: Value, b: Value): number {
  if ((a as number) < (b as number)) return -1
  if ((a as number) > (b as number)) return 1
  if (a === b) return 0
  return Number.isNaN(a) ? (Number.isNaN(b) ? 0 : 1) : -1
}

function compareSimple(a: Value, b: Value): number {
  return (a as number) < (b as number) ? -1 : (a as number) > (b as number) ? 1 : 0
}

/** The order of non-null values of a type: negative, zero, positive. */
export function comparator(type: ExpressionType): Comparator {
  if (isInterval(type)) return compareSimple
  switch (type.kind) {
    case 'float':
    case 'double':
      return compareNumbers
    case 'string':
      return (a, b) => (a === b ? 0 : compareText(a as string, b as string))
    case 'binary':
      return (a, b) => compareBytes(a as Uint8Array, b as Uint8Array)
    case 'decimal':
      return (a, b) => compareDecimals(a as Decimal, b as Decimal)
    case 'array':
      return compareArrays(nullsFirst(comparator(type.element)))
    case 'struct':
      return compareStructs(type.fields.map((f) => nullsFirst(comparator(f.type))))
    case 'map':
    case 'variant':
      throw unsupported(`comparing values of the type ${type.kind}`, 'compare its parts')
    default:
      return compareSimple
  }
}

type NullableComparator = (a: Value, b: Value) => number

function nullsFirst(compare: Comparator): NullableComparator {
  return (a, b) => (a === null ? (b === null ? 0 : -1) : b === null ? 1 : compare(a, b))
}

function compareArrays(compare: NullableComparator): Comparator {
  return (left, right) => {
    const [a, b] = [left as readonly Value[], right as readonly Value[]]
    const length = Math.min(a.length, b.length)
    for (let i = 0; i < length; i++) {
      const difference = compare(a[i]!, b[i]!)
      if (difference !== 0) return difference
    }
    return a.length - b.length
  }
}

function compareStructs(fields: readonly NullableComparator[]): Comparator {
  return (left, right) => {
    for (const [i, compare] of fields.entries()) {
      const difference = compare((left as Row)[i] ?? null, (right as Row)[i] ?? null)
      if (difference !== 0) return difference
    }
    return 0
  }
}

/** Equality of non-null values, quicker than the order where identity is enough. */
export function equality(type: ExpressionType): (a: Exclude<Value, null>, b: Exclude<Value, null>) => boolean {
  switch (type.kind) {
    case 'string':
    case 'boolean':
    case 'byte':
    case 'short':
    case 'integer':
    case 'long':
    case 'date':
    case 'timestamp':
    case 'timestamp_ntz':
      return (a, b) => a === b
    case 'float':
    case 'double':
      return (a, b) => a === b || (Number.isNaN(a) && Number.isNaN(b))
    default: {
      const compare = comparator(type)
      return (a, b) => compare(a, b) === 0
    }
  }
}

/**
 * A key that two values share just when they are equal, for sets; undefined where there is no cheap one.
 */
export function setKey(type: ExpressionType): ((value: Exclude<Value, null>) => unknown) | undefined {
  switch (type.kind) {
    case 'string':
    case 'boolean':
    case 'byte':
    case 'short':
    case 'integer':
    case 'long':
    case 'date':
    case 'timestamp':
    case 'timestamp_ntz':
    case 'float':
    case 'double':
      return (value) => value
    case 'decimal':
      return (value) => (value as Decimal).unscaled
    default:
      return undefined
  }
}
