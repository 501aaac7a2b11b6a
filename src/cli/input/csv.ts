/**
 * CSV with a line of names: RFC 4180 quoting, line ends of either kind, commas.
 *
 * An empty field is null; `""` is the empty text. Every line has as many fields as there are names.
 */
import { deltaError } from '../../errors/index.ts'
import { mayLoseOrder, rememberKeys } from '../../support/index.ts'
import { plural } from '../output/sizes.ts'

interface Field {
  readonly text: string
  readonly quoted: boolean
}

/** Takes text as it comes and gives the records that are complete. */
export class CsvReader {
  private readonly file: string
  private names: readonly string[] | undefined
  private losesOrder = false
  private rest = ''
  /** of the next record's first line, from 1 */
  private line = 1

  constructor(file: string) {
    this.file = file
  }

  take(piece: string): { record: object; line: number }[] {
    this.rest += piece
    return this.drain(false)
  }

  end(): { record: object; line: number }[] {
    const records = this.drain(true)
    if (this.names === undefined) throw this.bad('there is no line of column names')
    return records
  }

  private drain(last: boolean): { record: object; line: number }[] {
    const records: { record: object; line: number }[] = []
    let at = 0
    for (;;) {
      const end = this.recordEnd(at, last)
      if (end === undefined) break
      const text = this.rest.slice(at, end.to)
      const record = this.record(text)
      if (record !== undefined) records.push({ record, line: this.line })
      this.line += text.split('\n').length
      at = end.next
    }
    this.rest = this.rest.slice(at)
    return records
  }

  /** Where the record ends that begins at a place: at a line end outside quotes, or with the text. */
  private recordEnd(from: number, last: boolean): { to: number; next: number } | undefined {
    if (from >= this.rest.length) return undefined
    let quoted = false
    for (let i = from; i < this.rest.length; i++) {
      const character = this.rest[i]
      if (character === '"') quoted = !quoted
      else if (character === '\n' && !quoted) {
        return { to: this.rest[i - 1] === '\r' && i > from ? i - 1 : i, next: i + 1 }
      }
    }
    if (!last) return undefined
    if (quoted) throw this.bad('a quote is never closed')
    return { to: this.rest.length, next: this.rest.length }
  }

  private record(text: string): object | undefined {
    if (text === '') return undefined
    const fields = this.fields(text)
    if (this.names === undefined) {
      this.names = this.header(fields)
      this.losesOrder = mayLoseOrder(this.names)
      return undefined
    }
    if (fields.length !== this.names.length) {
      throw this.bad(`it has ${plural(fields.length, 'field')} for ${plural(this.names.length, 'column')}`)
    }
    const record = Object.fromEntries(this.names.map((name, i) => [name, cellOf(fields[i]!)]))
    if (this.losesOrder) rememberKeys(record, this.names)
    return record
  }

  private header(fields: readonly Field[]): string[] {
    const names = fields.map(({ text }, i) => (i === 0 ? text.replace(/^\ufeff/, '') : text).trim())
    const twice = names.find((name, i) => names.indexOf(name) !== i)
    if (twice !== undefined) throw this.bad(`the column ${twice} is there twice`)
    if (names.includes('')) throw this.bad('a column has no name')
    return names
  }

  private fields(text: string): Field[] {
    const fields: Field[] = []
    const field = /"((?:[^"]|"")*)"(,|$)|([^",]*)(,|$)/gy
    for (;;) {
      const at = field.lastIndex
      const match = field.exec(text)
      if (match === null) throw this.bad(`a quote stands inside a field at character ${at + 1}`)
      const quoted = match[1] !== undefined
      fields.push({ text: quoted ? match[1]!.replaceAll('""', '"') : match[3]!, quoted })
      if ((quoted ? match[2] : match[4]) === '') return fields
    }
  }

  private bad(reason: string) {
    const { file, line } = this
    return deltaError('LAKE_BAD_RECORD', { place: `${file}, line ${line}`, file, line, reason })
  }
}

/** A quoted empty field is the empty text, a bare one is null. */
function cellOf({ text, quoted }: Field): string | null {
  return text === '' && !quoted ? null : text
}
