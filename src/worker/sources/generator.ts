/** Records made up from their number: the same ones on every run, from any position on. */
import { deltaError } from '../../errors/index.ts'
import { doubleToText } from '../../schema/index.ts'
import { delay, encodeUtf8, formatDate, formatTimestamp, SECOND_MS } from '../../support/index.ts'
import type { SourceOfType } from '../config/config.ts'
import type { RecordType, StructRecord } from '../records/record-type.ts'
import { ONLY_PARTITION } from './file.ts'
import type { OpenOptions, Source, SourceBatch } from './source.ts'

type Print = (index: number) => string

/** A position is the number of a record. */
export function generatorSource(config: SourceOfType<'generator'>): Source {
  if (config.format === 'csv') {
    throw deltaError('WORKER_SOURCE_FAILED', { source: config.id, cause: 'a generator makes NDJSON only' })
  }
  const print = recordPrinter(config.record)
  const lineOf = (index: number): string => {
    const isBad = config.badEvery !== undefined && (index + 1) % config.badEvery === 0
    return isBad ? `{"record": ${index}, "is": bad` : print(index)
  }
  return {
    id: config.id,
    isReplayable: true,
    async *open({ positionOf, signal }: OpenOptions): AsyncGenerator<SourceBatch> {
      const count = config.count ?? Number.MAX_SAFE_INTEGER
      const first = Number(positionOf(ONLY_PARTITION))
      const beganAt = Date.now()
      for (let start = first; start < count && !signal.aborted; ) {
        const end = Math.min(count, start + config.batchRecords)
        const lines = Array.from({ length: end - start }, (_, i) => lineOf(start + i))
        const bytes = encodeUtf8(`${lines.join('\n')}\n`)
        yield { partition: ONLY_PARTITION, bytes, start: BigInt(start), end: BigInt(end), unit: 'record' }
        start = end
        await pace(config.recordsPerSec, start - first, beganAt, signal)
      }
    },
  }
}

async function pace(perSec: number | undefined, given: number, beganAt: number, signal: AbortSignal): Promise<void> {
  const ahead = perSec === undefined ? 0 : beganAt + (given / perSec) * SECOND_MS - Date.now()
  if (ahead > 0) await delay(ahead, signal)
}

function recordPrinter(record: StructRecord): Print {
  const members = record.fields.map(({ name, type }) => ({
    key: `${JSON.stringify(name)}:`,
    print: valuePrinter(type, name),
  }))
  return (index) => `{${members.map(({ key, print }) => key + print(index)).join(',')}}`
}

const EPOCH_2024_MICROS = 1_704_067_200_000_000n
const EPOCH_2024_DAYS = 19_723

function valuePrinter(type: RecordType, name: string): Print {
  switch (type.kind) {
    case 'bool':
      return (i) => String(i % 2 === 0)
    case 'i8':
      return (i) => String(i % 128)
    case 'u8':
      return (i) => String(i % 256)
    case 'i16':
    case 'u16':
      return (i) => String(i % 32_768)
    case 'f32':
    case 'f64':
      return (i) => doubleToText((i % 100_000) / 4, 'double')
    case 'decimal':
      return (i) => decimalText(i % 10 ** Math.min(9, type.precision), type.scale)
    case 'string':
      return (i) => `"${JSON.stringify(name).slice(1, -1)}-${i % 1000}"`
    case 'bytes':
      return (i) => `"${btoa(String(i))}"`
    case 'date':
      return (i) => `"${formatDate(EPOCH_2024_DAYS + (i % 366))}"`
    case 'timestamp':
      return (i) => `"${formatTimestamp(EPOCH_2024_MICROS + BigInt(i) * 1_000n)}Z"`
    case 'local timestamp':
      return (i) => `"${formatTimestamp(EPOCH_2024_MICROS + BigInt(i) * 1_000n)}"`
    case 'uuid':
      return (i) => `"00000000-0000-4000-8000-${i.toString(16).padStart(12, '0')}"`
    case 'ip':
      return (i) => `"10.${(i >> 16) & 255}.${(i >> 8) & 255}.${i & 255}"`
    case 'json':
      return (i) => `{"n":${i}}`
    case 'list': {
      const element = valuePrinter(type.element, name)
      return (i) => `[${Array.from({ length: i % 3 }, (_, at) => element(i + at)).join(',')}]`
    }
    case 'map': {
      const value = valuePrinter(type.value, name)
      return (i) => `{"k${i % 5}":${value(i)}}`
    }
    case 'struct':
      return recordPrinter(type)
    case 'null':
      return () => 'null'
    default:
      return (i) => String(i)
  }
}

function decimalText(unscaled: number, scale: number): string {
  const digits = String(unscaled).padStart(scale + 1, '0')
  return scale === 0 ? digits : `${digits.slice(0, -scale)}.${digits.slice(-scale)}`
}
