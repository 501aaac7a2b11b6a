/** Values as DuckDB SQL that gives exactly them, typed. */
import type { DataType, Value } from '../../../schema/index.ts'
import { doubleToText } from '../../../schema/index.ts'
import { type Decimal, encodeHex } from '../../../support/index.ts'
import { quoteLiteral } from '../sql-text.ts'
import { LOGICAL, sqlType } from './sql-type.ts'

/** @param type not nested */
export function literal(value: Value, type: DataType): string {
  const typeText = sqlType(type, LOGICAL)
  if (value === null) return `NULL::${typeText}`
  switch (type.kind) {
    case 'string':
      return textLiteral(value as string)
    case 'binary':
      return `unhex('${encodeHex(value as Uint8Array)}')`
    case 'date':
      return `('1970-01-01'::DATE + (${value as number})::INTEGER)`
    case 'timestamp':
      return `make_timestamptz((${value as bigint})::BIGINT)`
    case 'timestamp_ntz':
      return `make_timestamp((${value as bigint})::BIGINT)`
    case 'float':
    case 'double':
      return `'${doubleToText(value as number, type.kind)}'::${typeText}`
    default:
      return `'${String(value as boolean | number | bigint | Decimal)}'::${typeText}`
  }
}

/** SQL text ends at a NUL character, so one in a value is made by a function. */
function textLiteral(text: string): string {
  if (!text.includes('\0')) return quoteLiteral(text)
  return `(${text.split('\0').map(quoteLiteral).join(' || chr(0) || ')})`
}
