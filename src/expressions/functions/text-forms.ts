/** Texts in other forms: numbers in other bases and with grouped digits, URLs, phonetic codes, bytes. */
import { deltaError } from '../../errors/index.ts'
import { binaryType, booleanType, integerType, longType, stringType, type Value } from '../../schema/index.ts'
import { Decimal, decodeBase64, decodeUtf8Strict, encodeUtf8 } from '../../support/index.ts'
import { isNumericType } from '../bind/coercion.ts'
import { type Expected, numeric, only, strictly } from '../bind/expected.ts'
import { unsupported } from '../unsupported.ts'
import { type CallShape, type FunctionEntry, type NotNull, simple } from './entry.ts'

const text = only(stringType)
const whole = only(integerType)

const ALL_ONES = 2n ** 64n - 1n
const HIGH_BIT = 2n ** 63n
const NO_DIGIT = 99

function digitOf(character: string): number {
  const digit = /^[0-9a-z]$/i.test(character) ? Number.parseInt(character, 36) : NO_DIGIT
  return digit
}

/** A number in another base, by way of an unsigned 64-bit one; what follows the last digit is passed over. */
function convert(given: string, from: number, to: number): Value {
  const base = Math.abs(to)
  if (from < 2 || from > 36 || base < 2 || base > 36) return null
  const trimmed = given.replace(/^ +| +$/g, '')
  if (trimmed === '') return null
  let negative = trimmed.startsWith('-')
  let value = 0n
  for (const character of negative ? trimmed.slice(1) : trimmed) {
    const digit = digitOf(character)
    if (digit >= from) break
    value = value * BigInt(from) + BigInt(digit)
    if (value > ALL_ONES) throw deltaError('ARITHMETIC_OVERFLOW', { operation: 'conv', type: 'bigint' })
  }
  if (negative && to > 0) value = value >= HIGH_BIT ? ALL_ONES : BigInt.asUintN(64, -value)
  if (to < 0 && value >= HIGH_BIT) {
    value = BigInt.asUintN(64, -value)
    negative = true
  }
  const digits = value.toString(base).toUpperCase()
  return negative && to < 0 ? `-${digits}` : digits
}

/** By letter from A: 0 ends a run of one code, 7 is passed over. */
const SOUNDS = '01230127022455012623017202'

function soundex(given: string): string {
  if (given === '' || !/^[a-z]/i.test(given)) return given
  const letter = (character: string) => character.toUpperCase().charCodeAt(0) - 65
  let code = given[0]!.toUpperCase()
  let last = SOUNDS[letter(given[0]!)]!
  for (const character of given.slice(1)) {
    if (!/^[a-z]$/i.test(character)) {
      last = '0'
      continue
    }
    const sound = SOUNDS[letter(character)]!
    if (sound === '7') continue
    if (sound !== '0' && sound !== last) code += sound
    if (code.length === 4) break
    last = sound
  }
  return code.padEnd(4, '0')
}

function isLuhn(given: string): boolean {
  if (!/^\d+$/.test(given)) {
    if (/\p{Nd}/u.test(given.replace(/\d/g, ''))) throw unsupported('luhn_check of digits beyond ASCII', 'use 0 to 9')
    return false
  }
  const sum = [...given].reverse().reduce((total, character, i) => {
    const digit = Number(character) * (i % 2 === 0 ? 1 : 2)
    return total + Math.floor(digit / 10) + (digit % 10)
  }, 0)
  return sum % 10 === 0
}

/** As Java's URLEncoder: a form's value, not a path. */
function encodeUrl(given: string): string {
  const bytes = Array.from(encodeUtf8(given), (byte) => String.fromCharCode(byte))
  return bytes
    .map((byte) => {
      if (byte === ' ') return '+'
      if (/[A-Za-z0-9.\-*_]/.test(byte)) return byte
      return `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`
    })
    .join('')
}

/** @returns undefined for a text that no URL holds */
function decodeUrl(given: string): string | undefined {
  let decoded = ''
  for (let at = 0; at < given.length; ) {
    if (given[at] !== '%') {
      decoded += given[at] === '+' ? ' ' : given[at]
      at++
      continue
    }
    const bytes: number[] = []
    for (; given[at] === '%'; at += 3) {
      const byte = byteOf(given.slice(at + 1, at + 3))
      if (byte === undefined) return undefined
      bytes.push(byte)
    }
    const run = decodeUtf8Strict(Uint8Array.from(bytes))
    if (run === undefined) throw unsupported('url_decode of bytes that are not UTF-8', 'check the text')
    decoded += run
  }
  return decoded
}

/** Two digits, or a sign and one, as Java reads a number. */
function byteOf(pair: string): number | undefined {
  if (!/^(?:[+-]|[0-9a-f])[0-9a-f]$/i.test(pair)) return undefined
  const byte = Number.parseInt(pair, 16)
  return byte >= 0 ? Math.abs(byte) : undefined
}

function decodedUrl(given: string): string {
  const decoded = decodeUrl(given)
  if (decoded === undefined) throw deltaError('CANNOT_DECODE_URL', { url: given })
  return decoded
}

/** @returns undefined for a text that is not in the format */
function toBinary(given: string, format: string): Uint8Array | undefined {
  switch (format.toLowerCase()) {
    case 'hex': {
      if (!/^[0-9a-f]*$/i.test(given)) return undefined
      const padded = given.length % 2 === 0 ? given : `0${given}`
      return Uint8Array.from(padded.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
    }
    case 'utf-8':
    case 'utf8':
      return encodeUtf8(given)
    case 'base64':
      return canonicalBase64(given)
    default:
      throw unsupported(`the format ${format} of to_binary`, 'use hex, utf-8 or base64')
  }
}

function canonicalBase64(given: string): Uint8Array {
  const bytes = given.length % 4 === 0 ? decodeBase64(given) : undefined
  if (bytes !== undefined) return bytes
  throw unsupported('to_binary of a text that is not plain base64', 'check the text')
}

/** The exact value of a number as a decimal. */
function exactDecimal(value: NotNull): Decimal | undefined {
  if (value instanceof Decimal) return value
  if (typeof value === 'bigint' || Number.isSafeInteger(value)) return new Decimal(BigInt(value as number), 0)
  return doubleAsDecimal(value as number)
}

/** @returns undefined for NaN and infinities */
function doubleAsDecimal(value: number): Decimal | undefined {
  if (!Number.isFinite(value)) return undefined
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, value)
  const bits = view.getBigUint64(0)
  const power = Number((bits >> 52n) & 0x7ffn)
  const fraction = bits & (2n ** 52n - 1n)
  const mantissa = (power === 0 ? fraction : fraction | (2n ** 52n)) * (value < 0 ? -1n : 1n)
  const exponent = (power === 0 ? 1 : power) - 1075
  if (exponent >= 0) return new Decimal(mantissa * 2n ** BigInt(exponent), 0)
  return new Decimal(mantissa * 5n ** BigInt(-exponent), -exponent)
}

/** Digits in groups of three, rounded to the even neighbour at a half. */
function formatNumber(value: NotNull, places: number): Value {
  if (places < 0) return null
  const decimal = exactDecimal(value)
  if (decimal === undefined) throw unsupported('format_number of NaN or an infinity', 'compare with isnan before')
  const isNegative = decimal.unscaled < 0n || Object.is(value, -0)
  const digits = String(roundHalfEven(isNegative ? -decimal.unscaled : decimal.unscaled, decimal.scale, places))
  const padded = digits.padStart(places + 1, '0')
  const integral = padded.slice(0, padded.length - places).replace(/\B(?=(\d{3})+$)/g, ',')
  return `${isNegative ? '-' : ''}${integral}${places === 0 ? '' : `.${padded.slice(padded.length - places)}`}`
}

/** @param unscaled not below 0 */
function roundHalfEven(unscaled: bigint, scale: number, places: number): bigint {
  if (places >= scale) return unscaled * 10n ** BigInt(places - scale)
  const unit = 10n ** BigInt(scale - places)
  const [quotient, rest] = [unscaled / unit, (unscaled % unit) * 2n]
  return rest > unit || (rest === unit && quotient % 2n === 1n) ? quotient + 1n : quotient
}

function bitCount(bytes: Uint8Array): bigint {
  let count = 0n
  for (let byte of bytes) for (; byte > 0; byte >>= 1) count += BigInt(byte & 1)
  return count
}

type OfText = (value: string) => Value

function ofText(name: string, compute: OfText, gives = stringType): FunctionEntry {
  return simple({ name, takes: [text], gives, strict: () => (value) => compute(value as string) })
}

function binaryEntry(name: string, onFault: (value: string, format: string) => Value): FunctionEntry {
  return simple({
    name,
    takes: [text, text],
    least: 1,
    gives: binaryType,
    strict:
      () =>
      (value: NotNull, format: NotNull = 'hex') =>
        toBinary(value as string, format as string) ?? onFault(value as string, format as string),
  })
}

/** A number of digits, as an int and nothing that could be cast to one. */
const places: Expected = {
  ...strictly(integerType),
  castFrom(type) {
    if (type.kind === 'string') throw unsupported('format_number with a pattern', 'give the number of decimal places')
    return undefined
  },
}

export const textForms: readonly FunctionEntry[] = [
  simple({
    name: 'conv',
    takes: [text, whole, whole],
    gives: stringType,
    strict: () => (value, from, to) => convert(value as string, from as number, to as number),
  }),
  simple({
    name: 'format_number',
    takes: [numeric, places],
    gives: stringType,
    strict: ({ types }: CallShape) => {
      if (!isNumericType(types[0]!)) throw unsupported('format_number of no number', 'cast it before')
      return (value, places) => formatNumber(value, places as number)
    },
  }),
  simple({
    name: 'soundex',
    takes: [strictly(stringType)],
    gives: stringType,
    strict: () => (value) => soundex(value as string),
  }),
  ofText('luhn_check', isLuhn, booleanType),
  ofText('url_encode', encodeUrl),
  ofText('url_decode', decodedUrl),
  ofText('try_url_decode', (value) => decodeUrl(value) ?? null),
  // text is valid UTF-8 wherever it is text
  ofText('validate_utf8', (value) => value),
  ofText('try_validate_utf8', (value) => value),
  ofText('make_valid_utf8', (value) => value),
  binaryEntry('to_binary', (value, format) => {
    throw deltaError('CONVERSION_INVALID_INPUT', { value, format: format.toUpperCase() })
  }),
  binaryEntry('try_to_binary', () => null),
  simple({
    name: 'bitmap_count',
    takes: [only(binaryType)],
    gives: longType,
    strict: () => (bytes) => bitCount(bytes as Uint8Array),
  }),
]
