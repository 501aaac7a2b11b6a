/** Standard input: read once, no position to go back to. */
import { causeText, deltaError } from '../../errors/index.ts'
import { concatBytes } from '../../support/index.ts'
import type { SourceOfType } from '../config/config.ts'
import { endOfLastRecord } from '../records/split.ts'
import { readCsvHeader } from './csv-header.ts'
import { ONLY_PARTITION } from './file.ts'
import type { OpenOptions, Source, SourceBatch } from './source.ts'
import { MAX_RECORD_BYTES } from './stream-records.ts'

/** @param input yields the bytes of standard input */
export function stdinSource(config: SourceOfType<'stdin'>, input: AsyncIterable<Uint8Array>): Source {
  return {
    id: config.id,
    isReplayable: false,
    async *open({ signal }: OpenOptions): AsyncGenerator<SourceBatch> {
      let columns: readonly string[] | undefined
      let start = 0n
      for await (let bytes of wholeRecords(config, input, signal)) {
        if (config.format === 'csv' && config.header && columns === undefined) {
          const header = takeHeader(config, bytes)
          columns = header.columns
          start += BigInt(bytes.length - header.rest.length)
          bytes = header.rest
        }
        const end = start + BigInt(bytes.length)
        if (bytes.length > 0) {
          const named = columns === undefined ? {} : { columns }
          yield { partition: ONLY_PARTITION, bytes, start, end, unit: 'byte', ...named }
        }
        start = end
      }
    },
  }
}

async function* wholeRecords(
  config: SourceOfType<'stdin'>,
  input: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  let rest: Uint8Array = new Uint8Array(0)
  for await (const chunk of untilAborted(config, input, signal)) {
    const bytes = rest.length === 0 ? chunk : concatBytes([rest, chunk])
    const length = endOfLastRecord(bytes, config.format)
    rest = bytes.slice(length)
    if (rest.length > MAX_RECORD_BYTES) throw failure(config, `a record is longer than ${MAX_RECORD_BYTES} bytes`)
    if (length > 0) yield bytes.subarray(0, length)
  }
  if (rest.length > 0 && !signal.aborted) yield rest
}

/** A stop must not wait for bytes that may never come. */
async function* untilAborted(
  config: SourceOfType<'stdin'>,
  input: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const chunks = input[Symbol.asyncIterator]()
  const stopped = new Promise<undefined>((resolve) => {
    if (signal.aborted) resolve(undefined)
    signal.addEventListener('abort', () => resolve(undefined), { once: true })
  })
  while (true) {
    const next = await Promise.race([chunks.next(), stopped]).catch((cause: unknown) => {
      throw failure(config, causeText(cause))
    })
    if (next === undefined || next.done === true) return
    yield next.value
  }
}

function takeHeader(config: SourceOfType<'stdin'>, bytes: Uint8Array) {
  const header = readCsvHeader(bytes, config)
  if (header === 'none') return { columns: undefined, rest: bytes }
  if (header === 'malformed') throw failure(config, 'the first line is no CSV header')
  return { columns: header.columns, rest: bytes.subarray(header.end) }
}

function failure(config: SourceOfType<'stdin'>, cause: string) {
  return deltaError('WORKER_SOURCE_FAILED', { source: config.id, cause })
}
