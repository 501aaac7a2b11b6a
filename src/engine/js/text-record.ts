/** One record of raw text: its row, or why it has none. */
import { isDeltaError } from '../../errors/index.ts'
import { castValue } from '../../expressions/index.ts'
import { type DataType, deltaTypeName, type Row, type Value } from '../../schema/index.ts'
import { type JsonValue, printJson } from '../../support/index.ts'

export interface TextRecord {
  /** as it came, without its newline */
  readonly text: string
  readonly row: Row | undefined
  /** why there is no row */
  readonly reason?: string
}

/** Why a record is rejected, naming the column. */
export class RecordFault extends Error {}

/**
 * A text as a value of its column.
 *
 * @throws RecordFault
 */
export function castText(text: string, type: DataType, path: readonly string[]): Value {
  try {
    return castValue(text, { kind: 'string' }, type)
  } catch (error) {
    if (isDeltaError(error)) return fault(text, type, path)
    throw error
  }
}

const SHOWN_CHARACTERS = 60

/** @throws RecordFault always */
export function fault(json: JsonValue, type: DataType, path: readonly string[]): never {
  const text = printJson(json)
  const shown = text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text
  throw new RecordFault(`the column ${path.join('.')} is ${deltaTypeName(type)}, and ${shown} is not`)
}
