/**
 * Batches of lines in a format of their own as batches of NDJSON.
 *
 * The texts of a line become values as the fields of the record say. A line that is not of the format becomes no object,
 * so that it is refused like any other record that does not fit, and is kept as it came.
 */
import { foldCase } from '../../../schema/index.ts'
import { decodeUtf8Strict, encodeUtf8 } from '../../../support/index.ts'
import type { OpenOptions, Source, SourceBatch } from '../../sources/source.ts'
import type { RecordType, StructRecord } from '../record-type.ts'
import { splitRecords } from '../split.ts'
import { accessLog } from './access-log.ts'
import type { LineFields, LineFormat } from './line-format.ts'
import { logfmt } from './logfmt.ts'
import { syslogFormat } from './syslog.ts'

const LINE_FORMATS: Readonly<Record<string, LineFormat>> = {
  'access-log': accessLog,
  logfmt,
  syslog: syslogFormat(),
}

/** What the bytes of a format's batches are when they reach a destination. */
export function wireFormat(format: string): 'ndjson' | 'csv' {
  return format === 'csv' ? 'csv' : 'ndjson'
}

/** A source whose batches are in a format, as one that gives them in the format's wire form. */
export function translated<S extends Source>(source: S, format: string, record: StructRecord): S {
  const lines = LINE_FORMATS[format]
  if (lines === undefined) return source
  return Object.assign(Object.create(source) as S, {
    async *open(options: OpenOptions) {
      for await (const batch of source.open(options)) yield translateBatch(batch, lines, record)
    },
  })
}

function translateBatch(batch: SourceBatch, format: LineFormat, record: StructRecord): SourceBatch {
  const write = lineWriter(format, record)
  const offsets: number[] = []
  const faults = new Map(batch.origin?.faults)
  const records: string[] = []
  for (const { start, stop } of splitRecords(batch.bytes, 'ndjson')) {
    const text = decodeUtf8Strict(batch.bytes.subarray(start, stop))?.replace(/\r$/, '')
    const fields = text === undefined ? undefined : format.parse(text)
    if (fields === undefined && !faults.has(offsets.length)) {
      faults.set(offsets.length, text === undefined ? 'the record is not UTF-8' : `the line is not ${format.name}`)
    }
    offsets.push(start)
    records.push(fields === undefined ? '""\n' : `${write(fields)}\n`)
  }
  const origin = batch.origin ?? { bytes: batch.bytes, offsets }
  return { ...batch, bytes: encodeUtf8(records.join('')), origin: { ...origin, faults } }
}

function lineWriter({ isFixed }: LineFormat, { fields }: StructRecord): (line: LineFields) => string {
  const types = new Map(fields.map(({ name, type }) => [foldCase(name), type]))
  return (line) => {
    const members: string[] = []
    for (const [name, value] of line) {
      const type = types.get(foldCase(name))
      if (type === undefined && isFixed) continue
      members.push(`${JSON.stringify(name)}:${jsonOf(value, type)}`)
    }
    return `{${members.join(',')}}`
  }
}

const TEXTS: ReadonlySet<RecordType['kind']> = new Set([
  ...(['string', 'bytes', 'date', 'timestamp', 'local timestamp', 'uuid', 'ip'] as const),
])
/** What stands for itself in JSON; digits are kept as they are. */
const PLAIN = /^(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?|true|false|\{.*\}|\[.*\])$/s

function jsonOf(value: string | null, type: RecordType | undefined): string {
  if (value === null) return 'null'
  return type === undefined || TEXTS.has(type.kind) || !PLAIN.test(value) || !isJson(value)
    ? JSON.stringify(value)
    : value
}

function isJson(text: string): boolean {
  if (!text.startsWith('{') && !text.startsWith('[')) return true
  try {
    JSON.parse(text)
    return !text.includes('\n')
  } catch {
    return false
  }
}
