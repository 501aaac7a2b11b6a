/** Batches posted over HTTP: NDJSON, CSV, or (as `application/json`) one JSON object or an array of them. */
import { causeText } from '../../errors/index.ts'
import { decodeUtf8Strict, encodeUtf8, parseStrictJson, printJson } from '../../support/index.ts'
import type { SourceOfType } from '../config/config.ts'
import { splitRecords } from '../records/split.ts'
import { readCsvHeader } from './csv-header.ts'
import { type HttpSource, type PostedRecords, postedSource } from './posted-source.ts'

type Body = Omit<PostedRecords, 'records'>

export function httpSource(config: SourceOfType<'http'>): HttpSource {
  return postedSource(config, config.path ?? `/${config.id}`, {
    parse(request, bytes) {
      const body = parseBody(config, request.headers.get('content-type') ?? '', bytes)
      if (typeof body === 'string') return { status: 400, error: body }
      return { ...body, records: [...splitRecords(body.bytes, config.format)].length }
    },
    accept: (_, counts) => answer(200, counts),
    refuse: (_, { status, error, headers }) => answer(status, { error }, headers),
  })
}

function answer(status: number, body: object, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(`${JSON.stringify(body)}\n`, {
    status,
    headers: { 'content-type': 'application/json', ...headers },
  })
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
