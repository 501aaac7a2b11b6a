/** Objects of a bucket through a whole worker into a table: each once, whatever happens in between. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type S3Server, startS3Server } from '../../src/testing/index.ts'
import { parseWorkerConfig, type RunOptions, runWorker, type WorkerEvent } from '../../src/worker/index.ts'
import { readTable } from './read-table.ts'

const user = { accessKeyId: 'AKIAREADER', secretAccessKey: 'readerSECRET' }
const env = { INBOX_KEY: user.accessKeyId, INBOX_SECRET: user.secretAccessKey }

let folder: string
let server: S3Server
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bayou-s3-source-'))
  server = await startS3Server({ bucket: 'inbox', users: [user] })
})
afterEach(async () => {
  await server.close()
  await rm(folder, { recursive: true, force: true })
})

const put = (key: string, bytes: string | Uint8Array) =>
  void server.objects.set(key, typeof bytes === 'string' ? Buffer.from(bytes) : bytes)

function configOf(source: object = {}) {
  return parseWorkerConfig({
    name: 'w',
    sources: [
      {
        id: 's',
        type: 's3',
        location: 's3://inbox/logs',
        schema: 'id BIGINT, name STRING',
        endpoint: server.endpoint,
        accessKeyId: 'INBOX_KEY',
        secretAccessKey: 'INBOX_SECRET',
        pollMs: 10,
        ...source,
      },
    ],
    routes: [{ source: 's', destination: 'lake' }],
    destinations: [
      {
        id: 'lake',
        type: 'delta',
        location: join(folder, 'table'),
        deadLetterFile: join(folder, 'dead.ndjson'),
        fileIntervalSecs: 1,
      },
    ],
  })
}

const run = (source: object = {}, options: RunOptions = {}) =>
  runWorker(configOf(source), { once: true, env, ...options })
const ids = async () => {
  const { lines } = await readTable(join(folder, 'table'))
  return lines.map((line) => Number((JSON.parse(line) as { id: number }).id)).sort((a, b) => a - b)
}
const gets = () =>
  server.requests.filter(({ method }) => method === 'GET').flatMap(({ key }) => (key === '' ? [] : key))

describe('objects under a prefix', () => {
  it('are read in the order of their keys, packed or not, and never fetched again', async () => {
    server.pageSize = 2
    put('logs/b.gz', gzipSync('{"id":3}\n{"id":4}'))
    put('logs/a', '{"id":1}\n{"id":2}\n')
    put('logs/deep/c', '{"id":5}\n')
    put('logs/empty', '')
    put('logs-of-others', '{"id":9}\n')
    await run()
    expect([await ids(), gets()]).toEqual([
      [1, 2, 3, 4, 5],
      ['logs/a', 'logs/b.gz', 'logs/deep/c'],
    ])
    server.requests.length = 0
    put('logs/d', '{"id":6}\n')
    await run()
    expect([await ids(), gets()]).toEqual([[1, 2, 3, 4, 5, 6], ['logs/d']])
  })

  it('are those that the pattern names; CSV has its header', async () => {
    put('logs/2026/a.csv', 'name,id\nx,1\ny,2\n')
    put('logs/2026/b.txt', 'no csv')
    await run({ pattern: '2026/*.csv', format: 'csv' })
    expect(await ids()).toEqual([1, 2])
  })

  it('written anew are others', async () => {
    put('logs/a', '{"id":1}\n')
    await run()
    put('logs/a', '{"id":2}\n{"id":3}\n')
    await run()
    await run()
    expect(await ids()).toEqual([1, 2, 3])
  })

  it('that come while they are followed are read, a store that fails meanwhile is asked again', async () => {
    put('logs/a', '{"id":1}\n')
    const stop = new AbortController()
    const onEvent = (event: WorkerEvent) => {
      if (event.kind !== 'commit') return
      if (event.version === 1) {
        let left = 2
        server.fault = ({ method, key }) =>
          method === 'GET' && key === '' && left-- > 0 ? { kind: 'refuse', status: 503, code: 'SlowDown' } : undefined
        put('logs/b', '{"id":2}\n')
      } else stop.abort()
    }
    await run({ follow: true }, { once: false, signal: stop.signal, onEvent })
    expect(await ids()).toEqual([1, 2])
  })

  it('larger than a request keep to the object they began with; what it was written anew with is another', async () => {
    const lines = Array.from({ length: 160_000 }, (_, id) => `${JSON.stringify({ id, name: 'n'.repeat(120) })}\n`)
    put('logs/large', lines.join(''))
    let requests = 0
    server.fault = ({ key }) => {
      if (key === 'logs/large' && ++requests === 3) put('logs/large', '{"id":-1}\n')
      return undefined
    }
    const warnings: string[] = []
    const onEvent = (event: WorkerEvent) => void (event.kind === 'source-warning' && warnings.push(event.text))
    await run({}, { onEvent })
    await run()
    const [first, ...rest] = await ids()
    expect(first).toBe(-1)
    expect([rest.length > 1000, rest.length < 160_000, rest.at(-1)]).toEqual([true, true, rest.length - 1])
    expect(warnings).toEqual(['s3://inbox/logs/large was deleted or written anew while it was read'])
  })
})

describe('what is refused', () => {
  it('a cut or damaged object, by its name', async () => {
    put('logs/a.gz', gzipSync('{"id":1}\n').subarray(0, 20))
    await expect(run()).rejects.toMatchObject({
      code: 'WORKER_SOURCE_CUT',
      message: 's3://inbox/logs/a.gz ends inside of its gzip stream',
    })
  })

  it('a credential this host does not have, and one the store does not take', async () => {
    await expect(run({}, { env: {} })).rejects.toMatchObject({
      code: 'WORKER_SOURCE_CREDENTIAL_MISSING',
      message: 'the source s takes its access key from INBOX_KEY, which this worker does not have',
    })
    const wrong = run({}, { env: { ...env, INBOX_SECRET: 'wrongSECRET' } })
    await expect(wrong).rejects.toMatchObject({ code: 'WORKER_SOURCE_FAILED' })
    await expect(wrong).rejects.not.toThrow(/SECRET/)
  })

  it('settings that make no sense together, all at once', () => {
    const faults = (source: object) => {
      try {
        configOf(source)
      } catch (error) {
        return String(error)
      }
      return ''
    }
    expect(faults({ location: 'inbox', secretAccessKey: undefined, endpoint: 'ftp://x' })).toMatch(
      /the endpoint ftp:\/\/x is not .*names accessKeyId without secretAccessKey.*location is "inbox"; it is an s3:\/\/ address/,
    )
  })
})
