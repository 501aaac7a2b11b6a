/** Literals that begin with a type: `DATE '2024-02-29'`, `X'1F'`, `INTERVAL 1 DAY`. */
import { deltaError } from '../../errors/index.ts'
import { binaryType, dateType, timestampNtzType } from '../../schema/index.ts'
import { isTimestampMicros, parseWrittenTimestamp, textToDays } from '../datetime/datetime-text.ts'
import {
  intervalOfRange,
  intervalOfText,
  intervalOfUnits,
  intervalTypeOf,
  isIntervalUnit,
} from '../datetime/interval.ts'
import type { Expression } from '../expression.ts'
import { unsupported } from '../unsupported.ts'
import type { ExpressionParser } from './expression-parser.ts'
import type { Form } from './special-forms.ts'

/** A type's name and one string: `DATE '2024-02-29'`. */
function typed(make: (parser: ExpressionParser, text: string, start: number) => Expression): Form {
  return (parser, start) => {
    if (!parser.reader.atString(1)) return undefined
    parser.reader.next()
    return make(parser, parser.reader.expectString('a string'), start)
  }
}

export const readDate = typed((parser, text, start) => {
  const days = textToDays(text)
  if (days === undefined) throw parser.reader.error(start, 'INVALID_TYPED_LITERAL', { type: 'DATE', value: text })
  return parser.build.literal(days, dateType, parser.from(start))
})

/**
 * TIMESTAMP without a zone hangs on the session's time zone, which only binding knows: it becomes the cast of its text,
 * after the text has been found good.
 */
export const readTimestamp = typed((parser, text, start) => {
  const parsed = parseWrittenTimestamp(text)
  if (parsed === 'time') throw unsupported('a timestamp of today', 'write the date as well')
  if (parsed === undefined || !isTimestampMicros(parsed.wall)) {
    throw parser.reader.error(start, 'INVALID_TYPED_LITERAL', { type: 'TIMESTAMP', value: text })
  }
  const span = parser.from(start)
  return parser.build.call('timestamp_literal', [parser.build.text(text, span)], span)
})

export const readTimestampNtz = typed((parser, text, start) => {
  const parsed = parseWrittenTimestamp(text)
  if (parsed === undefined || parsed === 'time' || !isTimestampMicros(parsed.wall)) {
    throw parser.reader.error(start, 'INVALID_TYPED_LITERAL', { type: 'TIMESTAMP_NTZ', value: text })
  }
  return parser.build.literal(parsed.wall, timestampNtzType, parser.from(start))
})

export const readHex = typed((parser, text, start) => {
  if (!/^[0-9a-fA-F]*$/.test(text))
    throw parser.reader.error(start, 'INVALID_TYPED_LITERAL', { type: 'X', value: text })
  const even = text.length % 2 === 0 ? text : `0${text}`
  const bytes = Uint8Array.from(even.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
  return parser.build.literal(bytes, binaryType, parser.from(start))
})

export const readTime: Form = (parser) => {
  if (!parser.reader.atString(1)) return undefined
  throw deltaError('UNSUPPORTED_TIME_TYPE')
}

export const readInterval: Form = (parser, start) => {
  const { reader, build } = parser
  const signed = reader.atOperator('-', 1) || reader.atOperator('+', 1)
  const amountAt = signed ? 2 : 1
  const isAmount = reader.atString(amountAt) || reader.peek(amountAt).kind === 'number'
  if (!isAmount) {
    if (reader.atOperator('(', 1) || (signed === false && isUnitAfterName(parser))) {
      throw unsupported('an interval of a computed amount', 'multiply an interval: x * INTERVAL 1 DAY')
    }
    return undefined
  }
  reader.next()
  const { type, value } = readIntervalParts(parser)
  return build.literal(value, type, parser.from(start))
}

function isUnitAfterName(parser: ExpressionParser): boolean {
  const [name, unit] = [parser.reader.peek(1), parser.reader.peek(2)]
  return (name.kind === 'word' || name.kind === 'name') && unit.kind === 'word' && isIntervalUnit(unit.text)
}

function readIntervalParts(parser: ExpressionParser): ReturnType<typeof intervalOfUnits> {
  const { reader } = parser
  const negative = reader.takeOperator('-')
  if (!negative) reader.takeOperator('+')
  const isText = reader.atString()
  const amount = readAmount(parser, negative)
  const unit = reader.peek()
  if (isText && (unit.kind !== 'word' || !isIntervalUnit(unit.text))) return intervalOfText(amount)
  if (isText && reader.atWord('TO', 1)) return readRange(parser, amount)
  const parts = [{ amount, unit: readUnit(parser) }]
  while (isNextPart(parser)) {
    const minus = reader.takeOperator('-')
    parts.push({ amount: readAmount(parser, minus), unit: readUnit(parser) })
  }
  return intervalOfUnits(parts)
}

function isNextPart(parser: ExpressionParser): boolean {
  const { reader } = parser
  const at = reader.atOperator('-') ? 1 : 0
  const isAmount = reader.atString(at) || reader.peek(at).kind === 'number'
  const unit = reader.peek(at + 1)
  return isAmount && unit.kind === 'word' && isIntervalUnit(unit.text)
}

function readAmount(parser: ExpressionParser, negative: boolean): string {
  const { reader } = parser
  const text = reader.atString() ? reader.expectString('an amount').trim() : reader.next().text
  if (!negative) return text
  return text.startsWith('-') ? text.slice(1) : `-${text}`
}

function readUnit(parser: ExpressionParser): string {
  const { kind, text } = parser.reader.peek()
  if (kind !== 'word' || !isIntervalUnit(text)) throw parser.reader.unexpected('a unit such as DAY')
  parser.reader.next()
  return text
}

function readRange(parser: ExpressionParser, amount: string): ReturnType<typeof intervalOfUnits> {
  const { reader } = parser
  const { text: from, start } = reader.next()
  reader.next()
  const to = reader.expectName('a unit such as SECOND')
  const type = intervalTypeOf(from, to)
  if (type === undefined) {
    throw reader.error(start, 'INVALID_INTERVAL_FORMAT.UNSUPPORTED_FROM_TO_EXPRESSION', { input: amount, from, to })
  }
  return intervalOfRange(amount, type)
}
