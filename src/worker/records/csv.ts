/** One record of CSV as its fields. */

export interface CsvShape {
  readonly delimiter: string
  readonly nullText: string | undefined
}

/**
 * The fields of a record; null stands for an empty field without quotes and for the null text without quotes.
 *
 * @returns undefined when quotes are left open or text follows a closing one
 */
export function parseCsvRecord(record: string, shape: CsvShape): (string | null)[] | undefined {
  const text = record.endsWith('\r') ? record.slice(0, -1) : record
  const fields: (string | null)[] = []
  let at = 0
  while (true) {
    const field = text[at] === '"' ? quotedField(text, at) : plainField(text, at, shape)
    if (field === undefined) return undefined
    fields.push(field.value)
    if (field.end === text.length) return fields
    if (!text.startsWith(shape.delimiter, field.end)) return undefined
    at = field.end + shape.delimiter.length
  }
}

function plainField(text: string, start: number, shape: CsvShape): { value: string | null; end: number } {
  const found = text.indexOf(shape.delimiter, start)
  const end = found < 0 ? text.length : found
  const value = text.slice(start, end)
  return { value: value === '' || value === shape.nullText ? null : value, end }
}

function quotedField(text: string, start: number): { value: string; end: number } | undefined {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] !== '"') continue
    if (text[at + 1] === '"') at++
    else return { value: text.slice(start + 1, at).replaceAll('""', '"'), end: at + 1 }
  }
  return undefined
}
