/** The number of rows a file holds, as its statistics say. */
import { isJsonObject, type JsonValue, parseJson } from '../../support/index.ts'

/** `numRecords` of the text of statistics, deleted rows counted; undefined where it is not said. */
export function numRecordsOf(stats: string | undefined): bigint | undefined {
  if (stats === undefined) return undefined
  const parsed: JsonValue = parseJson(stats)
  const count = isJsonObject(parsed) ? parsed.numRecords : undefined
  return typeof count === 'number' && count >= 0 ? BigInt(count) : undefined
}
