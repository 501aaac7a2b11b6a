/** Number literals: `5`, `5L`, `1.5`, `1.5BD`, `1e0`, `2.5F`. The type follows from the text alone. */
import { deltaError } from '../../errors/index.ts'
import {
  byteType,
  type DataType,
  decimalType,
  doubleType,
  floatType,
  integerType,
  longType,
  shortType,
  type Value,
} from '../../schema/index.ts'
import { Decimal, parseDecimal } from '../../support/index.ts'

export interface TypedValue {
  readonly value: Value
  readonly type: DataType
}

const INTEGERS = {
  Y: { type: byteType, name: 'tinyint', bits: 8n },
  S: { type: shortType, name: 'smallint', bits: 16n },
  L: { type: longType, name: 'bigint', bits: 64n },
} as const

/**
 * The value of a number token, its sign included.
 *
 * A plain integer is int, else bigint, else decimal; one with a point is decimal, one with an exponent double.
 *
 * @throws DeltaError `INVALID_NUMERIC_LITERAL_RANGE`, `DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION`
 */
export function parseNumber(text: string, negative: boolean): TypedValue {
  const [, digits = '', suffix = ''] = /^(.*?)(BD|[DFLSY])?$/i.exec(text) ?? []
  const signed = negative ? `-${digits}` : digits
  const kind = suffix.toUpperCase()
  if (kind === 'Y' || kind === 'S' || kind === 'L') return sizedInteger(signed, INTEGERS[kind])
  if (kind === 'F') return floating(signed, 'float')
  if (kind === 'D' || (kind === '' && /e/i.test(digits))) return floating(signed, 'double')
  if (kind === 'BD' || digits.includes('.')) return decimalLiteral(signed)
  return plainInteger(signed)
}

function sizedInteger(text: string, spec: (typeof INTEGERS)[keyof typeof INTEGERS]): TypedValue {
  const value = BigInt(text)
  if (BigInt.asIntN(Number(spec.bits), value) !== value) {
    const max = (1n << (spec.bits - 1n)) - 1n
    throw deltaError('INVALID_NUMERIC_LITERAL_RANGE', { literal: text, min: -max - 1n, max, type: spec.name })
  }
  return { value: spec.type === longType ? value : Number(value), type: spec.type }
}

function plainInteger(text: string): TypedValue {
  const value = BigInt(text)
  if (BigInt.asIntN(32, value) === value) return { value: Number(value), type: integerType }
  if (BigInt.asIntN(64, value) === value) return { value, type: longType }
  return decimalLiteral(text)
}

/** Spark compares the written digits with the largest float, so that its own short text is out of range. */
const MAX_FLOAT = 3.4028234663852886e38

function floating(text: string, kind: 'float' | 'double'): TypedValue {
  const double = Number(text)
  const value = kind === 'float' ? Math.fround(double) : double
  if (!Number.isFinite(value) || (kind === 'float' && Math.abs(double) > MAX_FLOAT)) {
    const max = kind === 'float' ? '3.4028234663852886E38' : '1.7976931348623157E308'
    throw deltaError('INVALID_NUMERIC_LITERAL_RANGE', { literal: text, min: `-${max}`, max, type: kind })
  }
  return { value, type: kind === 'float' ? floatType : doubleType }
}

function decimalLiteral(text: string): TypedValue {
  const value = parseDecimal(text)
  const digits = value === undefined ? 0 : (value.unscaled < 0n ? -value.unscaled : value.unscaled).toString().length
  const precision = Math.max(digits, value?.scale ?? 0)
  if (value === undefined || precision > 38) {
    throw deltaError('DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION', { precision: value === undefined ? text : precision })
  }
  return { value: new Decimal(value.unscaled, value.scale), type: decimalType(precision, value.scale) }
}
