import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { inspect } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { collect, decodeUtf8, encodeUtf8 } from '../../support/index.ts'
import { type S3Fault, type S3Request, type S3Server, startS3Server } from '../../testing/index.ts'
import { objectStoreContract } from '../contract/index.ts'
import { type ObjectStore, retrying } from '../index.ts'
import { credentialsFromVariables, type S3StoreOptions, s3Store } from './index.ts'

const SECRET = 'wJalrXUtnFEMIsecretKEY'
const TOKEN = 'FwoGZXIvYXdzEsecretTOKEN'
const credentials = { accessKeyId: 'AKIATEST', secretAccessKey: SECRET, sessionToken: TOKEN }

let server: S3Server
beforeEach(async () => {
  server = await startS3Server()
})
afterEach(() => server.close())

const open = (options: Partial<S3StoreOptions> = {}) =>
  s3Store({ bucket: 'lake', prefix: 'a/b', endpoint: server.endpoint, region: 'eu-west-1', credentials, ...options })

/** Lets the first request that passes the test meet the fault. */
function once(fault: S3Fault, test: (request: S3Request) => boolean = () => true): void {
  let isMet = false
  server.fault = (request) => {
    if (isMet || !test(request)) return undefined
    isMet = true
    return fault
  }
}

describe('contract of the S3 store', () => {
  const make = async () => {
    const store = open({ prefix: 'x y' })
    const put: ObjectStore['put'] = async (key, bytes) => {
      server.objects.set(`x y/${key}`, Buffer.from(bytes))
    }
    return { store, writer: { ...store, put } }
  }
  for (const { name, run } of objectStoreContract({ capabilities: { write: true, list: true }, make })) it(name, run)
})

describe('a conditional put', () => {
  it('is one plain PUT, however large', async () => {
    const bytes = new Uint8Array(9 * 1024 * 1024).fill(7)
    expect(await open().putIfAbsent('large', bytes)).toBe('created')
    expect(server.requests.map(({ method, headers }) => [method, headers['if-none-match']])).toEqual([['PUT', '*']])
    expect(server.objects.get('a/b/large')?.length).toBe(bytes.length)
  })

  it.each<[string, S3Fault, boolean]>([
    ['409 in a race', { kind: 'refuse', status: 409, code: 'ConditionalRequestConflict' }, false],
    ['500 after the write', { kind: 'done, refuse', status: 500, code: 'InternalError' }, true],
    ['a lost answer', { kind: 'done, hang up' }, true],
    ['throttling', { kind: 'refuse', status: 503, code: 'SlowDown' }, false],
  ])('that meets %s is sent once and fails as unavailable', async (_, fault, isWritten) => {
    once(fault)
    const call = retrying(open(), { firstDelayMs: 1 }).putIfAbsent('x', encodeUtf8('mine'))
    await expect(call).rejects.toMatchObject({ code: 'LAKE_STORAGE_UNAVAILABLE', retryable: true })
    expect(server.requests).toHaveLength(1)
    expect(server.objects.has('a/b/x')).toBe(isWritten)
  })

  it('to a service that does not know the condition is refused for good', async () => {
    once({ kind: 'refuse', status: 501, code: 'NotImplemented' })
    const call = open().putIfAbsent('x', encodeUtf8('mine'))
    await expect(call).rejects.toMatchObject({ code: 'LAKE_STORAGE_UNSUPPORTED', retryable: false })
  })
})

describe('a large put', () => {
  const bytes = Uint8Array.from({ length: 12 * 1024 * 1024 }, (_, i) => (i * 31) >> 3)
  const options = { partBytes: 5 * 1024 * 1024 }
  const isPart = (request: S3Request) => request.query.has('partNumber')

  it('goes in parts and is whole', async () => {
    await open(options).put('x', bytes)
    const sizes = server.requests.filter(isPart).map(({ bytes }) => bytes.length)
    expect(sizes.sort()).toEqual([2097152, 5242880, 5242880])
    expect(Buffer.from(bytes).equals(server.objects.get('a/b/x')!)).toBe(true)
  })

  it('sends a part that failed again', async () => {
    once({ kind: 'refuse', status: 503, code: 'SlowDown' }, isPart)
    await open(options).put('x', bytes)
    expect(server.requests.filter(isPart)).toHaveLength(4)
    expect(Buffer.from(bytes).equals(server.objects.get('a/b/x')!)).toBe(true)
  })

  it('that fails leaves no object and no parts', async () => {
    server.fault = (request) => (isPart(request) ? { kind: 'refuse', status: 403, code: 'AccessDenied' } : undefined)
    await expect(open(options).put('x', bytes)).rejects.toMatchObject({ code: 'LAKE_STORAGE_ACCESS_DENIED' })
    expect([...server.objects.keys(), ...server.uploads.keys()]).toEqual([])
  })

  it('that is cancelled leaves no parts either', async () => {
    const controller = new AbortController()
    server.fault = (request) => {
      if (isPart(request)) controller.abort()
      return undefined
    }
    await expect(open(options).put('x', bytes, { signal: controller.signal })).rejects.toMatchObject({
      code: 'LAKE_CANCELLED',
    })
    expect([...server.objects.keys(), ...server.uploads.keys()]).toEqual([])
  })
})

describe('reading', () => {
  const bytes = encodeUtf8('0123456789'.repeat(20_000))
  beforeEach(() => open().put('x', bytes))

  it.each(['stall', 'hang up'] as const)(
    'a body that stops in the middle (%s) is unavailable, and read again',
    async (then) => {
      const store = open({ timeoutMs: 1_000 })
      const fault: S3Fault = { kind: 'cut body', bytes: 1_000, then }
      once(fault)
      await expect(store.get('x')).rejects.toMatchObject({ code: 'LAKE_STORAGE_UNAVAILABLE' })
      once(fault)
      await expect(store.getRange('x', { start: 5, end: 5_005 })).rejects.toMatchObject({
        code: 'LAKE_STORAGE_UNAVAILABLE',
      })
      once(fault)
      expect(await retrying(store, { firstDelayMs: 1 }).get('x')).toEqual(bytes)
    },
  )

  it('a body can be given up in the middle', async () => {
    const controller = new AbortController()
    once({ kind: 'cut body', bytes: 1_000, then: 'stall' })
    setTimeout(() => controller.abort(), 50)
    await expect(open().get('x', { signal: controller.signal })).rejects.toMatchObject({ code: 'LAKE_CANCELLED' })
  })

  it('asks for a range by one request', async () => {
    server.requests.splice(0)
    expect(decodeUtf8(await open().getRange('x', { start: 3, end: 7 }))).toBe('3456')
    expect(server.requests.map(({ method, headers }) => [method, headers.range])).toEqual([['GET', 'bytes=3-6']])
  })

  it('reaches the objects of other buckets', async () => {
    const found = open().elsewhere?.('s3://other/data/x 1')
    await found?.store.put(found.key, encodeUtf8('1'))
    expect(found?.store.location).toBe('s3://other')
    expect(server.objects.has('data/x 1')).toBe(true)
    expect(open().elsewhere?.('/data/x')).toBeUndefined()
  })
})

describe('a listing', () => {
  it('goes from page to page, decodes keys, and leaves out what is no key', async () => {
    server.pageSize = 2
    const keys = ['log/1 +%&<.json', 'log/2\u0001.json', 'log/3é.json', 'log/4.json', 'log/5.json']
    for (const key of keys) await open().put(key, encodeUtf8('1'))
    await s3Store({ bucket: 'lake', endpoint: server.endpoint, region: 'eu-west-1', credentials }).put(
      'a/b/log0',
      encodeUtf8(''),
    )
    server.modifiedMs.set(`a/b/${keys[0]}`, Date.UTC(2026, 0, 2, 3, 4, 5))
    const found = (await collect(open().list({ prefix: 'log/' }))).flat()
    expect(found.map(({ key }) => key)).toEqual(keys)
    expect(found[0]).toEqual({
      key: keys[0],
      size: 1,
      etag: expect.any(String),
      modifiedMs: Date.UTC(2026, 0, 2, 3, 4, 5),
    })
  })
})

describe('an error', () => {
  it.each([
    [403, 'AccessDenied', 'LAKE_STORAGE_ACCESS_DENIED'],
    [403, 'SignatureDoesNotMatch', 'LAKE_STORAGE_ACCESS_DENIED'],
    [400, 'ExpiredToken', 'LAKE_STORAGE_ACCESS_DENIED'],
    [404, 'NoSuchBucket', 'LAKE_INVALID_LOCATION'],
    [400, 'KeyTooLongError', 'LAKE_INVALID_KEY'],
    [500, 'InternalError', 'LAKE_STORAGE_UNAVAILABLE'],
    [503, 'SlowDown', 'LAKE_STORAGE_UNAVAILABLE'],
    [507, 'XMinioStorageFull', 'LAKE_STORAGE_FULL'],
  ])('%i %s is %s, names what the service said and no secret', async (status, name, code) => {
    server.fault = () => ({ kind: 'refuse', status, code: name })
    const error: unknown = await open()
      .put('x', encodeUtf8('1'))
      .catch((error: unknown) => error)
    expect(error).toMatchObject({ code, message: expect.stringContaining(name) })
    const printed = inspect(error, { depth: 20, showHidden: true })
    expect(printed).not.toMatch(new RegExp(`${SECRET}|${TOKEN}|Signature=`))
  })

  it('from what stands in between, in HTML, is unavailable and read again', async () => {
    const gateway = createServer((_, response) => {
      response.writeHead(502, { 'content-type': 'text/html' }).end('<html><title>Bad Gateway</title><br></html>')
    })
    await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve))
    try {
      const store = open({ endpoint: `http://127.0.0.1:${(gateway.address() as AddressInfo).port}` })
      await expect(store.get('x')).rejects.toMatchObject({
        code: 'LAKE_STORAGE_UNAVAILABLE',
        retryable: true,
        message: expect.stringContaining("the server answered 502 with a body that is not S3's"),
      })
    } finally {
      gateway.close()
    }
  })

  it('of a service that is not there is unavailable', async () => {
    const store = open({ endpoint: 'http://127.0.0.1:1' })
    await expect(store.get('x')).rejects.toMatchObject({
      code: 'LAKE_STORAGE_UNAVAILABLE',
      message: expect.stringContaining('ECONNREFUSED'),
    })
  })
})

describe('credentials', () => {
  it('come from variables of any name, and the one that is missing is named', async () => {
    const names = { accessKeyId: 'LAKE_KEY', secretAccessKey: 'LAKE_SECRET' }
    await open({ credentials: credentialsFromVariables(names, { LAKE_KEY: 'AKIAOTHER', LAKE_SECRET: 's' }) }).put(
      'x',
      encodeUtf8('1'),
    )
    expect(server.requests[0]!.headers.authorization).toContain('Credential=AKIAOTHER/')
    const store = open({ credentials: credentialsFromVariables(names, { LAKE_KEY: 'AKIAOTHER' }) })
    await expect(store.get('x')).rejects.toMatchObject({
      code: 'LAKE_STORAGE_ACCESS_DENIED',
      message: expect.stringContaining('LAKE_SECRET is not set'),
    })
  })

  it('can be left out on purpose', async () => {
    await open({ credentials: 'anonymous' }).put('x', encodeUtf8('1'))
    expect(server.requests[0]!.headers).not.toHaveProperty('authorization')
  })

  it.each([[{ bucket: '../x' }], [{ endpoint: 'ftp://host' }], [{ endpoint: 'https://user:hunter2@host' }]])(
    'and addresses that cannot be are refused at once: %j',
    (options) => {
      expect(() => open(options)).toThrow(
        expect.objectContaining({ code: 'LAKE_INVALID_LOCATION', message: expect.not.stringContaining('hunter2') }),
      )
    },
  )
})
