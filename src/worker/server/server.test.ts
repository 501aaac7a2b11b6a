import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { deltaError } from '../../errors/index.ts'
import { decodeUtf8 } from '../../support/index.ts'
import { parseWorkerConfig, type SourceOfType } from '../config/config.ts'
import { httpSource } from '../sources/http.ts'
import type { HttpSource } from '../sources/posted-source.ts'
import type { SourceBatch } from '../sources/source.ts'
import { Meter } from './meter.ts'
import { startServer, workerApp } from './worker-server.ts'

const configOf = (settings: object = {}) =>
  parseWorkerConfig({
    sources: [{ id: 'events', type: 'http', schema: 'id BIGINT', ...settings }],
    server: { port: 0 },
  }).sources[0] as SourceOfType<'http'>

/** The source with a consumer that settles each batch as told. */
function openHttp(settings: object, onBatch: (batch: SourceBatch) => void) {
  const source = httpSource(configOf(settings))
  const stop = new AbortController()
  const done = (async () => {
    for await (const batch of source.open({ positionOf: () => 0n, once: false, signal: stop.signal })) onBatch(batch)
  })()
  return { source, stop, done }
}

const post = (source: HttpSource, body: string | Uint8Array, headers: Record<string, string> = {}) =>
  workerApp([], [source]).request(source.path, { method: 'POST', body: body as BodyInit, headers })

describe('an http source', () => {
  it('answers when its batch is committed, and not before', async () => {
    const batches: SourceBatch[] = []
    const { source, stop, done } = openHttp({}, (batch) => batches.push(batch))
    let answered = false
    const answer = Promise.resolve(post(source, '{"id":1}\n{"id":2}')).finally(() => {
      answered = true
    })
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect([answered, decodeUtf8(batches[0]!.bytes)]).toEqual([false, '{"id":1}\n{"id":2}\n'])
    batches[0]!.settle!({ kind: 'committed', refused: 1 })
    expect(await (await answer).json()).toEqual({ records: 2, refused: 1 })
    stop.abort()
    await done
  })

  it.each([
    ['[{"id":9007199254740993},{"id":2}]', 'application/json', '{"id":9007199254740993}\n{"id":2}\n'],
    ['{"id":\n1}', 'application/json; charset=utf-8', '{"id":1}\n'],
    ['{"id":1}\n', 'application/x-ndjson', '{"id":1}\n'],
    ['{"id":1}', 'text/plain', '{"id":1}\n'],
  ])('takes %j as %s', async (body, type, expected) => {
    let bytes = ''
    const { source, stop } = openHttp({}, (batch) => {
      bytes = decodeUtf8(batch.bytes)
      batch.settle!({ kind: 'committed', refused: 0 })
    })
    expect((await post(source, body, { 'content-type': type })).status).toBe(200)
    expect(bytes).toBe(expected)
    stop.abort()
  })

  it('takes CSV by its header', async () => {
    const batches: SourceBatch[] = []
    const { source, stop } = openHttp({ format: 'csv' }, (batch) => {
      batches.push(batch)
      batch.settle!({ kind: 'committed', refused: 0 })
    })
    await post(source, 'a,b\n1,2')
    expect([decodeUtf8(batches[0]!.bytes), batches[0]!.columns]).toEqual(['1,2\n', ['a', 'b']])
    stop.abort()
  })

  it('refuses what is too large, no JSON, or of another method', async () => {
    const { source, stop } = openHttp({ maxBodyBytes: 13 }, () => undefined)
    expect((await post(source, '{"id":12345678}')).status).toBe(413)
    expect((await post(source, '{"id"', { 'content-type': 'application/json' })).status).toBe(400)
    expect((await post(source, '{"a":1,"a":2}', { 'content-type': 'application/json' })).status).toBe(400)
    const notUtf8 = new Uint8Array([0x22, 0xff, 0x22])
    expect((await post(source, notUtf8, { 'content-type': 'application/json' })).status).toBe(400)
    const get = await workerApp([], [source]).request(source.path)
    expect([get.status, get.headers.get('allow'), await get.json()]).toEqual([
      405,
      'POST',
      { error: 'batches are posted here' },
    ])
    expect(await (await post(source, ' \n')).json()).toEqual({ records: 0, refused: 0 })
    stop.abort()
  })

  it.each([
    ['gzip', gzipSync],
    ['GZIP', gzipSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
    ['br', brotliCompressSync],
    ['identity', (bytes: string) => bytes],
  ] as const)('unpacks %s, up to its limit', async (encoding, pack) => {
    let seen = ''
    const { source, stop } = openHttp({ maxBodyBytes: 100 }, (batch) => {
      seen += decodeUtf8(batch.bytes)
      batch.settle!({ kind: 'committed', refused: 0 })
    })
    const headers = { 'content-encoding': encoding }
    expect(await (await post(source, pack('{"id":1}\n'), headers)).json()).toEqual({ records: 1, refused: 0 })
    expect(seen).toBe('{"id":1}\n')
    const bomb = await post(source, pack('\n'.repeat(1_000_000)), headers)
    expect([bomb.status, await bomb.json()]).toEqual([413, { error: 'a batch holds 100 bytes at most' }])
    stop.abort()
  })

  it('refuses what is packed another way, twice, or not as it says', async () => {
    const { source, stop } = openHttp({}, () => undefined)
    for (const encoding of ['lzma', 'gzip, br', 'constructor']) {
      const refused = await post(source, 'a', { 'content-encoding': encoding })
      expect([refused.status, refused.headers.get('accept-encoding')]).toEqual([
        415,
        expect.stringMatching(/^gzip, deflate, br(, zstd)?$/),
      ])
    }
    const broken = await post(source, gzipSync('{"id":1}').subarray(0, 12), { 'content-encoding': 'gzip' })
    expect([broken.status, await broken.json()]).toEqual([
      400,
      { error: 'the body is not gzip: unexpected end of file' },
    ])
    stop.abort()
  })

  it('asks callers to wait while too much waits for its commit', async () => {
    const batches: SourceBatch[] = []
    const { source, stop } = openHttp({ maxPendingBytes: 20 }, (batch) => batches.push(batch))
    const first = post(source, '{"id":1}\n{"id":2}\n')
    await new Promise((resolve) => setTimeout(resolve, 20))
    const busy = await post(source, '{"id":3}')
    expect([busy.status, busy.headers.get('retry-after')]).toEqual([429, '1'])
    batches[0]!.settle!({ kind: 'committed', refused: 0 })
    expect((await first).status).toBe(200)
    const next = post(source, '{"id":3}')
    await new Promise((resolve) => setTimeout(resolve, 20))
    batches[1]!.settle!({ kind: 'failed', error: new Error('planned') })
    const failed = await next
    expect([failed.status, await failed.json()]).toEqual([503, { error: 'the batch was not committed: planned' }])
    stop.abort()
  })

  it('takes nothing before it is opened and after it is stopped', async () => {
    const { source, stop, done } = openHttp({}, () => undefined)
    stop.abort()
    await done
    expect((await post(source, '{"id":1}')).status).toBe(503)
    expect((await post(httpSource(configOf()), '{"id":1}')).status).toBe(503)
  })

  it('leaves no caller waiting when its reader ends', async () => {
    const source = httpSource(configOf())
    const batches = source.open({ positionOf: () => 0n, once: false, signal: new AbortController().signal })
    const reading = batches[Symbol.asyncIterator]()
    const first = reading.next()
    const answers = [post(source, '{"id":1}'), post(source, '{"id":2}')]
    const { value } = await first
    await new Promise((resolve) => setTimeout(resolve, 20))
    await reading.return!()
    value.settle({ kind: 'failed', error: new Error('planned') })
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([503, 503])
  })

  it('refuses pages of other origins', async () => {
    const { source, stop } = openHttp({}, (batch) => batch.settle!({ kind: 'committed', refused: 0 }))
    const headers = { origin: 'https://elsewhere.example', host: '127.0.0.1:9090' }
    expect((await post(source, '{"id":1}', headers)).status).toBe(403)
    expect((await post(source, '{"id":1}', { ...headers, origin: 'http://127.0.0.1:9090' })).status).toBe(200)
    stop.abort()
  })
})

describe('metrics and health', () => {
  const round = {
    version: 3,
    files: 2,
    rows: 8,
    refused: 1,
    filtered: 1,
    ignoredFields: 2,
    fileBytes: 900,
    recordBytes: 400,
    ms: 250,
  }

  it('counts what each destination did', async () => {
    const meter = new Meter('la"ke', () => undefined)
    meter.committed(round)
    meter.committed({ ...round, version: undefined, files: 0, rows: 0 })
    meter.retried(deltaError('LAKE_STORAGE_UNAVAILABLE', { operation: 'put', key: 'k', cause: 'busy', status: 503 }))
    meter.retried(deltaError('LAKE_COMMIT_UNKNOWN', { version: 4, path: '/t', cause: 'no answer' }))
    meter.unknownSettled(true)
    meter.unknownSettled(false)
    const text = await (await workerApp([meter], []).request('/metrics')).text()
    expect(text).toContain(
      '# TYPE bayou_worker_records_total counter\nbayou_worker_records_total{destination="la\\"ke"} 12\n',
    )
    expect(text).toContain('bayou_worker_commits_total{destination="la\\"ke"} 1\n')
    expect(text).toContain('bayou_worker_last_version{destination="la\\"ke"} 3\n')
    expect(text).toContain('bayou_worker_commit_seconds_p99{destination="la\\"ke"} 0.25\n')
    expect(text).toContain('bayou_worker_retries_total{destination="la\\"ke",status="503"} 1\n')
    expect(text).toContain('bayou_worker_retries_total{destination="la\\"ke",status="LAKE_COMMIT_UNKNOWN"} 1\n')
    expect(text).toContain('bayou_worker_unknown_outcomes_total{destination="la\\"ke"} 1\n')
    expect(text).toContain('bayou_worker_unknown_outcomes_landed_total{destination="la\\"ke"} 1\n')
    expect(text).toMatch(/^(#.*|[a-z0-9_]+\{[^}]*\} [\d.e+-]+)$/m)
  })

  it('health is bad while a destination is stalled', async () => {
    const meter = new Meter('lake', () => undefined)
    const health = async () => {
      const answer = await workerApp([meter], []).request('/health')
      return [answer.status, ((await answer.json()) as { status: string }).status]
    }
    expect(await health()).toEqual([200, 'ok'])
    meter.stalled('no space left')
    expect(await health()).toEqual([503, 'stalled'])
    meter.stalled(undefined)
    expect(await health()).toEqual([200, 'ok'])
  })

  it('serves on loopback; a port in use is WORKER_PORT_UNAVAILABLE', async () => {
    const other = createServer()
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    const { port } = other.address() as AddressInfo
    await expect(startServer({ host: '127.0.0.1', port }, [], [])).rejects.toMatchObject({
      code: 'WORKER_PORT_UNAVAILABLE',
    })
    other.close()
    const server = await startServer({ host: '127.0.0.1', port: 0 }, [], [])
    expect((await fetch(`${server.url}/health`)).status).toBe(200)
    await server.close()
  })
})
