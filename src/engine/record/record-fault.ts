/** The refusal of a record. */
import { type DataType, formatType } from '../../schema/index.ts'

/** Why a record does not become a row: one sentence naming the column. */
export class RecordFault extends Error {}

const SHOWN = 60

/** @throws RecordFault saying that the text stands where a value of the type should */
export function misfit(column: string, text: string, type: DataType): never {
  const shown = text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text
  throw new RecordFault(`the column ${column} is ${formatType(type)}, and ${shown} is not exactly one`)
}
