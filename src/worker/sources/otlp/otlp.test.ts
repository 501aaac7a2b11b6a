import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { decodeUtf8, encodeUtf8 } from '../../../support/index.ts'
import { parseWorkerConfig } from '../../config/config.ts'
import { workerApp } from '../../server/worker-server.ts'
import { isHttpSource, openSource } from '../open-source.ts'
import { exportLogsRequest } from './messages.ts'
import { decodeMessage } from './protobuf.ts'

/** Made by the protocol's own classes for Python. */
const REQUEST = Buffer.from(
  'CrcCChgKFgoMc2VydmljZS5uYW1lEgYKBHNob3AS8QEKCgoDbGliEgMxLjISzgEJFc1V9VFyhhgQCRoESU5GTyoQCg5pdCBjb3N0cyA1IOKCrDIQCgFuEgsY/////////+//ATIOCgFmEgkhmpmZmZmZuT8yEAoDbmFuEgkhAAAAAAAA+H8yCAoCb2sSAhABMgsKA2JpbhIEOgIA/zIVCgRsaXN0Eg0qCwoCGAEKAwoBYgoAMhUKBWlubmVyEgwyCgoICgFrEgMKAXY4A0UBAAAAShBbjv/3mAOBA9JptjOBP8YMUgju4Zt+w8GxdFn/yZQpUnKGGGIEcGFpZBISKgcyBQoDCgFhWQUAAAAAAAAAGidodHRwczovL29wZW50ZWxlbWV0cnkuaW8vc2NoZW1hcy8xLjI3LjA=',
  'base64',
)

/** The same request in JSON, by the rules of OTLP. */
const REQUEST_JSON = {
  resourceLogs: [
    {
      schemaUrl: 'https://opentelemetry.io/schemas/1.27.0',
      resource: { attributes: [{ key: 'service.name', value: { stringValue: 'shop' } }] },
      scopeLogs: [
        {
          scope: { name: 'lib', version: '1.2' },
          logRecords: [
            {
              timeUnixNano: '1767225600123456789',
              observedTimeUnixNano: '1767225600999999999',
              severityNumber: 9,
              severityText: 'INFO',
              body: { stringValue: 'it costs 5 €' },
              attributes: [
                { key: 'n', value: { intValue: '-9007199254740993' } },
                { key: 'f', value: { doubleValue: 0.1 } },
                { key: 'nan', value: { doubleValue: 'NaN' } },
                { key: 'ok', value: { boolValue: true } },
                { key: 'bin', value: { bytesValue: 'AP8=' } },
                { key: 'list', value: { arrayValue: { values: [{ intValue: 1 }, { stringValue: 'b' }, {}] } } },
                { key: 'inner', value: { kvlistValue: { values: [{ key: 'k', value: { stringValue: 'v' } }] } } },
              ],
              traceId: '5B8EFFF798038103D269B633813FC60C',
              spanId: 'EEE19B7EC3C1B174',
              flags: 1,
              droppedAttributesCount: 3,
              eventName: 'paid',
            },
            { body: { kvlistValue: { values: [{ key: 'a' }] } }, observedTimeUnixNano: 5 },
          ],
        },
      ],
    },
  ],
}

const ALL = `time TIMESTAMP, timeUnixNano BIGINT, observedTimeUnixNano BIGINT, severityNumber INT, severityText STRING,
  body STRING, attributes MAP<STRING, STRING>, droppedAttributesCount BIGINT, flags BIGINT, traceId STRING,
  spanId STRING, eventName STRING, resource JSON, resourceSchemaUrl STRING, scopeName STRING, scopeVersion STRING,
  scopeAttributes JSON, scopeSchemaUrl STRING`

const PROTOBUF = { 'content-type': 'application/x-protobuf' }
const JSON_TYPE = { 'content-type': 'application/json' }

interface Setup {
  readonly schema?: string
  readonly refused?: number
  readonly settings?: object
}

async function post(body: string | Uint8Array, headers: Record<string, string>, setup: Setup = {}) {
  const { schema = ALL, refused = 0, settings } = setup
  const config = parseWorkerConfig({ sources: [{ id: 's', type: 'otlp', schema, ...settings }], server: { port: 0 } })
  const source = openSource(config.sources[0]!, { input: (async function* () {})(), lookup: () => undefined })
  if (!isHttpSource(source)) throw new Error('nothing can be posted')
  const stop = new AbortController()
  let lines = ''
  const reading = (async () => {
    const options = { positionOf: () => 0n, refreshPositions: async () => undefined, once: false, signal: stop.signal }
    for await (const batch of source.open(options)) {
      lines += decodeUtf8(batch.bytes)
      batch.settle!({ kind: 'committed', refused })
    }
  })()
  const response = await workerApp([], [source]).request('/v1/logs', {
    method: 'POST',
    body: body as BodyInit,
    headers,
  })
  stop.abort()
  await reading
  return { response, lines: lines.trimEnd().split('\n') }
}

describe('a request of log records', () => {
  it('is every field of every record, 64-bit numbers to the last digit', async () => {
    const { response, lines } = await post(REQUEST, PROTOBUF)
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/x-protobuf'])
    expect((await response.arrayBuffer()).byteLength).toBe(0)
    const attributes =
      '{"n":"-9007199254740993","f":"0.1","nan":"NaN","ok":"true","bin":"AP8=","list":"[1,\\"b\\",null]","inner":"{\\"k\\":\\"v\\"}"}'
    const about =
      '"resource":{"service.name":"shop"},"resourceSchemaUrl":"https://opentelemetry.io/schemas/1.27.0","scopeName":"lib","scopeVersion":"1.2","scopeAttributes":{},"scopeSchemaUrl":null'
    expect(lines).toEqual([
      `{"time":"2026-01-01T00:00:00.123456Z","timeUnixNano":1767225600123456789,"observedTimeUnixNano":1767225600999999999,"severityNumber":9,"severityText":"INFO","body":"it costs 5 €","attributes":${attributes},"droppedAttributesCount":3,"flags":1,"traceId":"5b8efff798038103d269b633813fc60c","spanId":"eee19b7ec3c1b174","eventName":"paid",${about}}`,
      `{"time":"1970-01-01T00:00:00Z","timeUnixNano":null,"observedTimeUnixNano":5,"severityNumber":null,"severityText":null,"body":"{\\"a\\":null}","attributes":{},"droppedAttributesCount":0,"flags":0,"traceId":null,"spanId":null,"eventName":null,${about}}`,
    ])
  })

  it('says the same in JSON', async () => {
    const { lines } = await post(REQUEST, PROTOBUF)
    const inJson = await post(JSON.stringify(REQUEST_JSON), JSON_TYPE)
    expect(inJson.lines).toEqual(lines)
    expect([inJson.response.headers.get('content-type'), await inJson.response.json()]).toEqual([
      'application/json',
      {},
    ])
  })

  it('gives the fields that the schema names, as it spells them, each as its type', async () => {
    const schema = 'Body JSON, attributes STRUCT<n: BIGINT, list: ARRAY<STRING>>, RESOURCE STRING'
    const { lines } = await post(REQUEST, PROTOBUF, { schema })
    expect(JSON.parse(lines[0]!)).toMatchObject({
      Body: 'it costs 5 €',
      attributes: { list: ['1', 'b', null] },
      RESOURCE: '{"service.name":"shop"}',
    })
    expect(lines[0]).toContain('"n":-9007199254740993')
  })

  it('may be packed', async () => {
    const { response, lines } = await post(gzipSync(REQUEST), { ...PROTOBUF, 'content-encoding': 'gzip' })
    expect([response.status, lines.length]).toEqual([200, 2])
  })

  it('of which records were refused is answered by how many', async () => {
    const { response } = await post(JSON.stringify(REQUEST_JSON), JSON_TYPE, { refused: 1 })
    const errorMessage = 'records do not fit the schema of the source; they are kept in its dead-letter file'
    expect(await response.json()).toEqual({ partialSuccess: { rejectedLogRecords: '1', errorMessage } })
    const packed = await post(REQUEST, PROTOBUF, { refused: 300 })
    const answer = decodeMessage(new Uint8Array(await packed.response.arrayBuffer()), () => ({
      1: ['partialSuccess', () => ({ 1: ['rejectedLogRecords', 'int64'], 2: ['errorMessage', 'text'] })],
    }))
    expect(answer).toEqual({ partialSuccess: { rejectedLogRecords: 300n, errorMessage } })
  })

  it.each([
    ['', 'a text', JSON_TYPE, 400],
    ['{"resourceLogs":{}}', 'resourceLogs is not a list', JSON_TYPE, 400],
    [
      '{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"timeUnixNano":"1.5"}]}]}]}',
      'not a whole number',
      JSON_TYPE,
      400,
    ],
    [
      '{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"attributes":[{"key":"a"},{"key":"a"}]}]}]}]}',
      'attributes has the key "a" twice',
      JSON_TYPE,
      400,
    ],
    ['a', 'content-type', { 'content-type': 'text/plain' }, 415],
  ])('%j is refused', async (body, says, headers, status) => {
    const { response } = await post(body, headers)
    expect(response.status).toBe(status)
    const { code, message } = (await response.json()) as { code: number; message: string }
    expect(code).toBe(3)
    if (body !== '') expect(message).toContain(says)
  })

  it('that is cut anywhere is a request or refused, never more than was sent', () => {
    for (let length = 0; length < REQUEST.length; length++) {
      try {
        decodeMessage(REQUEST.subarray(0, length), exportLogsRequest)
      } catch (error) {
        expect(String(error)).toMatch(/the message ends inside of|wire type/)
      }
    }
    expect(() => decodeMessage(Uint8Array.of(0x08, 1), exportLogsRequest)).toThrow('wire type 0, not 2')
    expect(() => decodeMessage(Uint8Array.of(0x7b), exportLogsRequest)).toThrow('wire type 3')
    expect(() => decodeMessage(new Uint8Array(11).fill(0xff), exportLogsRequest)).toThrow('more than ten bytes')
  })

  it('nested without end is refused', async () => {
    let value: object = { stringValue: 'x' }
    for (let i = 0; i < 80; i++) value = { arrayValue: { values: [value] } }
    const body = { resourceLogs: [{ scopeLogs: [{ logRecords: [{ body: value }] }] }] }
    const { response } = await post(encodeUtf8(JSON.stringify(body)), JSON_TYPE)
    expect([response.status, await response.json()]).toEqual([
      400,
      { code: 3, message: 'the body is no export request of logs: values are nested more than 64 deep' },
    ])
  })

  it('refusals in protocol buffers are a status with a code and a sentence', async () => {
    const { response } = await post(REQUEST, PROTOBUF, { settings: { maxBodyBytes: 10 } })
    const status = decodeMessage(new Uint8Array(await response.arrayBuffer()), () => ({
      1: ['code', 'uint32'],
      2: ['message', 'text'],
    }))
    expect([response.status, status]).toEqual([413, { code: 3, message: 'a batch holds 10 bytes at most' }])
  })
})
