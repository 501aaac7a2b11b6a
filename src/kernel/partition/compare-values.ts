/** The order of two values of one type: that of statistics, partition values and predicates. */
import type { DataType, Value } from '../../schema/index.ts'
import { compareBytes, compareDecimals, compareText, type Decimal } from '../../support/index.ts'

/**
 * Negative, zero or positive as `a` is below, equal to or above `b`.
 *
 * Text goes by UTF-8 bytes; NaN equals itself and is above everything; −0.0 equals 0.0; false is below true.
 *
 * @returns undefined for types without an order (nested types, variant, void)
 */
export function compareValues(a: Exclude<Value, null>, b: Exclude<Value, null>, type: DataType): number | undefined {
  switch (type.kind) {
    case 'string':
      return compareText(a as string, b as string)
    case 'binary':
      return compareBytes(a as Uint8Array, b as Uint8Array)
    case 'decimal':
      return compareDecimals(a as Decimal, b as Decimal)
    case 'float':
    case 'double':
      return compareFloats(a as number, b as number)
    case 'array':
    case 'map':
    case 'struct':
    case 'variant':
    case 'void':
      return undefined
    default:
      return a < b ? -1 : a > b ? 1 : 0
  }
}

function compareFloats(a: number, b: number): number {
  if (Number.isNaN(a)) return Number.isNaN(b) ? 0 : 1
  if (Number.isNaN(b)) return -1
  return a < b ? -1 : a > b ? 1 : 0
}
