/** Logs sent by OTLP/HTTP: an export request in JSON or protocol buffers, answered when its records are committed. */
import { causeText, isDeltaError } from '../../../errors/index.ts'
import { decodeUtf8Strict, encodeUtf8, type JsonValue, parseStrictJson, printJson } from '../../../support/index.ts'
import type { SourceOfType } from '../../config/config.ts'
import type { StructRecord } from '../../records/record-type.ts'
import { type HttpSource, type PostedRecords, type PostRefusal, postedSource } from '../posted-source.ts'
import { logRecordsOf } from './log-records.ts'
import { exportLogsRequest } from './messages.ts'
import { decodeMessage, encodeField, MessageFault } from './protobuf.ts'

const JSON_TYPE = 'application/json'
const PROTOBUF_TYPE = 'application/x-protobuf'

export function otlpSource(config: SourceOfType<'otlp'> & { readonly record: StructRecord }): HttpSource {
  return postedSource(config, config.path, {
    parse: (request, bytes) => parse(request, bytes, config.record),
    accept: (request, { refused }) => {
      if (typeOf(request) === JSON_TYPE) {
        const partialSuccess = { rejectedLogRecords: String(refused), errorMessage: REFUSED }
        return answer(request, 200, encodeUtf8(JSON.stringify(refused === 0 ? {} : { partialSuccess })))
      }
      const partial = encodeField(1, Buffer.concat([encodeField(1, refused), encodeField(2, REFUSED)]))
      return answer(request, 200, refused === 0 ? new Uint8Array(0) : partial)
    },
    refuse: (request, { status, error, headers }) => {
      const code = STATUS_CODES[status]
      const body =
        typeOf(request) === PROTOBUF_TYPE
          ? Buffer.concat([encodeField(1, code), encodeField(2, error)])
          : encodeUtf8(JSON.stringify({ code, message: error }))
      return answer(request, status, body, headers)
    },
  })
}

const REFUSED = 'records do not fit the schema of the source; they are kept in its dead-letter file'

/** google.rpc.Code of the statuses a post is refused with. */
const STATUS_CODES: Readonly<Record<PostRefusal['status'], number>> = { 400: 3, 413: 3, 415: 3, 429: 8, 503: 14 }

function typeOf(request: Request): string {
  return (request.headers.get('content-type') ?? '').split(';')[0]!.trim().toLowerCase()
}

function answer(
  request: Request,
  status: number,
  body: Uint8Array,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const type = typeOf(request) === PROTOBUF_TYPE ? PROTOBUF_TYPE : JSON_TYPE
  return new Response(new Uint8Array(body), { status, headers: { 'content-type': type, ...headers } })
}

function parse(request: Request, bytes: Uint8Array, record: StructRecord): PostedRecords | PostRefusal {
  const type = typeOf(request)
  if (type !== JSON_TYPE && type !== PROTOBUF_TYPE) {
    return { status: 415, error: `the content-type is ${JSON_TYPE} or ${PROTOBUF_TYPE}` }
  }
  try {
    const message = type === JSON_TYPE ? readJson(bytes) : decodeMessage(bytes, exportLogsRequest)
    const lines = Array.from(logRecordsOf(message, record), (log) => `${printJson(log)}\n`)
    return { bytes: encodeUtf8(lines.join('')), records: lines.length }
  } catch (error) {
    if (!(error instanceof MessageFault) && !isDeltaError(error, 'LAKE_JSON_MALFORMED')) throw error
    return { status: 400, error: `the body is no export request of logs: ${causeText(error)}` }
  }
}

function readJson(bytes: Uint8Array): JsonValue {
  const text = decodeUtf8Strict(bytes)
  if (text === undefined) throw new MessageFault('it is not UTF-8')
  return parseStrictJson(text)
}
