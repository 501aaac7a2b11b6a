/**
 * Batches posted over HTTP. A batch is answered when the commit that holds its records has landed, never before.
 *
 * A body is NDJSON, CSV, or (as `application/json`) one JSON object or an array of them. Callers are asked to wait by
 * 429 while the batches without a commit hold more than `maxPendingBytes`, and by 503 while the worker stops.
 */
import { causeText } from '../../errors/index.ts'
import { decodeUtf8Strict, encodeUtf8, parseStrictJson, printJson } from '../../support/index.ts'
import type { SourceOfType } from '../config/config.ts'
import { splitRecords } from '../records/split.ts'
import { readCsvHeader } from './csv-header.ts'
import { ONLY_PARTITION } from './file.ts'
import type { BatchOutcome, OpenOptions, Source, SourceBatch } from './source.ts'

export interface HttpSource extends Source {
  /** where batches are posted */
  readonly path: string
  receive(request: Request): Promise<Response>
}

interface Body {
  readonly bytes: Uint8Array
  readonly columns?: readonly string[]
}

export function httpSource(config: SourceOfType<'http'>): HttpSource {
  const waiting: SourceBatch[] = []
  let pendingBytes = 0
  let position = 0n
  let isOpen = false
  let wake = (): void => undefined

  const enqueue = (body: Body): Promise<BatchOutcome> =>
    new Promise((resolve) => {
      pendingBytes += body.bytes.length
      const start = position
      position += BigInt(body.bytes.length)
      let isSettled = false
      const settle = (outcome: BatchOutcome) => {
        if (!isSettled) pendingBytes -= body.bytes.length
        isSettled = true
        resolve(outcome)
      }
      waiting.push({ partition: ONLY_PARTITION, ...body, start, end: position, unit: 'byte', settle })
      wake()
    })

  const moreOrClosed = () =>
    new Promise<void>((resolve) => {
      wake = resolve
      if (!isOpen || waiting.length > 0) resolve()
    })

  return {
    id: config.id,
    path: config.path ?? `/${config.id}`,
    isReplayable: false,
    async *open({ signal }: OpenOptions): AsyncGenerator<SourceBatch> {
      isOpen = true
      const close = () => {
        isOpen = false
        wake()
      }
      signal.addEventListener('abort', close, { once: true })
      if (signal.aborted) close()
      try {
        while (isOpen || waiting.length > 0) {
          const next = waiting.shift()
          if (next !== undefined) yield next
          else await moreOrClosed()
        }
      } finally {
        // Whoever reads no further leaves callers waiting: they are told.
        isOpen = false
        const error = new Error('the worker stopped')
        for (const batch of waiting.splice(0)) batch.settle?.({ kind: 'failed', error })
      }
    },
    async receive(request) {
      if (!isOpen) return answer(503, { error: 'the worker takes no batches now' }, { 'retry-after': '5' })
      const length = Number(request.headers.get('content-length') ?? 0)
      if (length > config.maxBodyBytes) return tooLarge(config)
      if (pendingBytes > 0 && pendingBytes + length > config.maxPendingBytes) return busy()
      const bytes = await readBody(request, config.maxBodyBytes)
      if (bytes === undefined) return tooLarge(config)
      if (pendingBytes > 0 && pendingBytes + bytes.length > config.maxPendingBytes) return busy()
      const body = parseBody(config, request.headers.get('content-type') ?? '', bytes)
      if (typeof body === 'string') return answer(400, { error: body })
      const records = [...splitRecords(body.bytes, config.format)].length
      if (records === 0) return answer(200, { records: 0, refused: 0 })
      if (!isOpen) return answer(503, { error: 'the worker takes no batches now' }, { 'retry-after': '5' })
      const outcome = await enqueue(body)
      return outcome.kind === 'committed'
        ? answer(200, { records, refused: outcome.refused })
        : answer(503, { error: `the batch was not committed: ${causeText(outcome.error)}` }, { 'retry-after': '5' })
    },
  }
}

function answer(status: number, body: object, headers: Record<string, string> = {}): Response {
  return new Response(`${JSON.stringify(body)}\n`, {
    status,
    headers: { 'content-type': 'application/json', ...headers },
  })
}

function busy(): Response {
  return answer(429, { error: 'too many batches wait for their commit' }, { 'retry-after': '1' })
}

function tooLarge(config: SourceOfType<'http'>): Response {
  return answer(413, { error: `a batch holds ${config.maxBodyBytes} bytes at most` })
}

/** @returns undefined when there is more than `limit`; the rest is not read */
async function readBody(request: Request, limit: number): Promise<Uint8Array | undefined> {
  const parts: Uint8Array[] = []
  let length = 0
  for await (const part of request.body ?? []) {
    length += part.length
    if (length > limit) return undefined
    parts.push(part)
  }
  return new Uint8Array(Buffer.concat(parts))
}

/** @returns the records, or why the body is none */
function parseBody(config: SourceOfType<'http'>, type: string, bytes: Uint8Array): Body | string {
  if (config.format === 'csv') return config.header ? takeHeader(config, bytes) : { bytes: withNewline(bytes) }
  if (!/^application\/json\b/i.test(type)) return { bytes: withNewline(bytes) }
  const text = decodeUtf8Strict(bytes)
  if (text === undefined) return 'the body is not UTF-8'
  try {
    const json = parseStrictJson(text)
    const items = Array.isArray(json) ? json : [json]
    return { bytes: encodeUtf8(items.map((item) => `${printJson(item)}\n`).join('')) }
  } catch (error) {
    return causeText(error)
  }
}

function takeHeader(config: SourceOfType<'http'>, bytes: Uint8Array): Body | string {
  const header = readCsvHeader(bytes, config)
  if (header === 'none') return { bytes: new Uint8Array(0) }
  if (header === 'malformed') return 'the first line is no CSV header'
  return { bytes: withNewline(bytes.subarray(header.end)), columns: header.columns }
}

function withNewline(bytes: Uint8Array): Uint8Array {
  if (bytes.length === 0 || bytes.at(-1) === 0x0a) return bytes
  const ended = new Uint8Array(bytes.length + 1)
  ended.set(bytes)
  ended[bytes.length] = 0x0a
  return ended
}
