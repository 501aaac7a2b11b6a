/** Values in the canonical JSON of the recorded cases: long and decimal as strings, timestamps with six digits. */
import { type DataType, doubleToText, type MapEntry, type Row, type Value } from '../schema/index.ts'
import { compareText, encodeBase64, formatDate, formatTimestamp } from '../support/index.ts'
import { formatInterval } from './datetime/interval.ts'
import { type ExpressionType, isInterval } from './expression.ts'

export function valueToCanonical(value: Value, type: ExpressionType): string {
  if (value === null) return 'null'
  if (isInterval(type)) return JSON.stringify(formatInterval(value as number | bigint, type))
  switch (type.kind) {
    case 'float':
    case 'double':
      return Number.isFinite(value)
        ? doubleToText(value as number, type.kind)
        : `"${doubleToText(value as number, type.kind)}"`
    case 'long':
    case 'decimal':
      return `"${value}"`
    case 'binary':
      return `"${encodeBase64(value as Uint8Array)}"`
    case 'date':
      return `"${formatDate(value as number)}"`
    case 'timestamp':
      return `"${sixDigits(value as bigint)}Z"`
    case 'timestamp_ntz':
      return `"${sixDigits(value as bigint)}"`
    case 'array':
      return `[${(value as readonly Value[]).map((item) => valueToCanonical(item, type.element)).join(',')}]`
    case 'map':
      return mapText(value as readonly MapEntry[], type.key, type.value)
    case 'struct': {
      const members = type.fields.map(
        (f, i) => `${JSON.stringify(f.name)}:${valueToCanonical((value as Row)[i] ?? null, f.type)}`,
      )
      return `{${members.join(',')}}`
    }
    default:
      return JSON.stringify(value)
  }
}

function sixDigits(micros: bigint): string {
  const text = formatTimestamp(micros)
  const fraction = /\.(\d+)$/.exec(text)?.[1] ?? ''
  return `${text.replace(/\.\d+$/, '')}.${fraction.padEnd(6, '0')}`
}

function mapText(entries: readonly MapEntry[], key: DataType, value: DataType): string {
  const texts = entries.map((entry) => ({
    key: valueToCanonical(entry.key, key),
    value: valueToCanonical(entry.value, value),
  }))
  texts.sort((a, b) => compareText(a.key, b.key))
  return `[${texts.map((entry) => `{"key":${entry.key},"value":${entry.value}}`).join(',')}]`
}
