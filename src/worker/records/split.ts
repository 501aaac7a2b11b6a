/** Where records end in bytes: newlines, and in CSV only those outside quotes. */

const NEWLINE = 0x0a
const QUOTE = 0x22

/** The end of the last whole record in the bytes, which begin at the start of one; 0 when there is none. */
export function endOfLastRecord(bytes: Uint8Array, format: 'ndjson' | 'csv'): number {
  if (format === 'ndjson') return bytes.lastIndexOf(NEWLINE) + 1
  let end = 0
  for (const record of splitCsv(bytes)) end = record.end
  return end
}

/** A record's place in the bytes, its newline left out. */
export interface RecordSpan {
  readonly start: number
  readonly stop: number
  /** behind the newline */
  readonly end: number
}

/** Every record of the bytes; the last may lack its newline. Lines with nothing but spaces are no records. */
export function* splitRecords(bytes: Uint8Array, format: 'ndjson' | 'csv'): Generator<RecordSpan> {
  let last = 0
  for (const span of format === 'csv' ? splitCsv(bytes) : splitLines(bytes)) {
    last = span.end
    if (!isBlank(bytes, span)) yield span
  }
  const rest = { start: last, stop: bytes.length, end: bytes.length }
  if (last < bytes.length && !isBlank(bytes, rest)) yield rest
}

function* splitLines(bytes: Uint8Array): Generator<RecordSpan> {
  let start = 0
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, start)) {
    yield { start, stop: at, end: at + 1 }
    start = at + 1
  }
}

/** A newline between an odd number of quotes and the next is inside a field. */
function* splitCsv(bytes: Uint8Array): Generator<RecordSpan> {
  let start = 0
  let isQuoted = false
  for (let i = 0; i < bytes.length; i++) {
    if (bytes[i] === QUOTE) isQuoted = !isQuoted
    else if (bytes[i] === NEWLINE && !isQuoted) {
      yield { start, stop: i, end: i + 1 }
      start = i + 1
    }
  }
}

function isBlank(bytes: Uint8Array, { start, stop }: RecordSpan): boolean {
  for (let i = start; i < stop; i++) {
    const byte = bytes[i]
    if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0d) return false
  }
  return true
}
