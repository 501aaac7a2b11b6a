/** Exact decimals: an unscaled bigint and a scale. */

/** The value `unscaled / 10^scale`. Scale is 0 to 38 and is part of the value's look, not of its worth. */
export class Decimal {
  readonly unscaled: bigint
  readonly scale: number

  constructor(unscaled: bigint, scale: number) {
    this.unscaled = unscaled
    this.scale = scale
  }

  /** Plain digits with all of the scale, never an exponent: `-0.50`, `1200`. */
  toString(): string {
    if (this.scale === 0) return this.unscaled.toString()
    const negative = this.unscaled < 0n
    const digits = (negative ? -this.unscaled : this.unscaled).toString().padStart(this.scale + 1, '0')
    const point = digits.length - this.scale
    return `${negative ? '-' : ''}${digits.slice(0, point)}.${digits.slice(point)}`
  }
}

const DECIMAL_TEXT = /^([-+]?)(\d*)(?:\.(\d*))?(?:[eE]([-+]?\d{1,5}))?$/

/**
 * Reads a decimal from text, plain or with an exponent (`1.50`, `-1E-9`).
 *
 * @returns the value at the scale its text has (0 where an exponent makes it negative), or undefined when it is none
 */
export function parseDecimal(text: string): Decimal | undefined {
  const match = DECIMAL_TEXT.exec(text.trim())
  if (match === null) return undefined
  const [, sign, whole = '', fraction = '', exponent = '0'] = match
  if (whole === '' && fraction === '') return undefined
  const scale = fraction.length - Number(exponent)
  const digits = BigInt(whole + fraction) * (sign === '-' ? -1n : 1n)
  if (scale < -100 || scale > 10_000) return digits === 0n ? new Decimal(0n, 0) : undefined
  return scale >= 0 ? new Decimal(digits, scale) : new Decimal(digits * 10n ** BigInt(-scale), 0)
}

/**
 * The same value at another scale, rounded half up (away from zero) where digits are dropped, as Spark does.
 */
export function rescale(value: Decimal, scale: number): Decimal {
  if (scale === value.scale) return value
  if (scale > value.scale) return new Decimal(value.unscaled * 10n ** BigInt(scale - value.scale), scale)
  const divisor = 10n ** BigInt(value.scale - scale)
  const half = divisor / 2n
  const magnitude = value.unscaled < 0n ? -value.unscaled : value.unscaled
  const rounded = (magnitude + half) / divisor
  return new Decimal(value.unscaled < 0n ? -rounded : rounded, scale)
}

/** Whether `unscaled` has at most `precision` digits. */
export function fitsPrecision(unscaled: bigint, precision: number): boolean {
  const limit = 10n ** BigInt(precision)
  return unscaled > -limit && unscaled < limit
}

/** Negative, zero or positive as `a` is below, equal to or above `b`, whatever their scales. */
export function compareDecimals(a: Decimal, b: Decimal): number {
  const scale = Math.max(a.scale, b.scale)
  const left = rescale(a, scale).unscaled
  const right = rescale(b, scale).unscaled
  return left < right ? -1 : left > right ? 1 : 0
}
