/** The first line of CSV, which names the columns. */
import { decodeUtf8 } from '../../support/index.ts'
import { type CsvShape, parseCsvRecord } from '../records/csv.ts'
import { splitRecords } from '../records/split.ts'

export interface CsvHeader {
  readonly columns: readonly string[]
  /** of the bytes: where the records begin */
  readonly end: number
}

/** @returns `'none'` where there is no line, `'malformed'` where the first is no line of CSV */
export function readCsvHeader(bytes: Uint8Array, shape: CsvShape): CsvHeader | 'none' | 'malformed' {
  const [first] = splitRecords(bytes, 'csv')
  if (first === undefined) return 'none'
  const names = parseCsvRecord(decodeUtf8(bytes.subarray(first.start, first.stop)).replace(/^\ufeff/, ''), shape)
  return names === undefined ? 'malformed' : { columns: names.map((name) => name ?? ''), end: first.end }
}
