/** The S3 server of the tests holds what S3 documents; clients that sign wrongly are refused as the service refuses them. */
import { afterEach, describe, expect, it } from 'vitest'
import { objectStoreContract } from '../../storage/contract/index.ts'
import { retrying } from '../../storage/index.ts'
import { type S3StoreOptions, s3Store } from '../../storage/s3/index.ts'
import { collect, decodeUtf8, encodeUtf8 } from '../../support/index.ts'
import {
  type AccessPolicy,
  failNthCall,
  type S3Server,
  type S3ServerOptions,
  s3Faults,
  startS3Server,
} from './index.ts'

const writer = { accessKeyId: 'AKIAWRITER', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG' }
const region = 'eu-west-1'
let server: S3Server | undefined
afterEach(async () => {
  await server?.close()
  server = undefined
})

async function start(options: S3ServerOptions = {}): Promise<S3Server> {
  server = await startS3Server({ users: [writer], bucket: 'lake', ...options })
  return server
}
const open = (options: Partial<S3StoreOptions> = {}) =>
  s3Store({ bucket: 'lake', endpoint: server!.endpoint, region, credentials: writer, ...options })

describe('with signatures checked it keeps the contract of a store', () => {
  const make = async () => {
    const { endpoint, close } = await startS3Server({ users: [writer] })
    return { store: s3Store({ bucket: 'lake', prefix: 'x y', endpoint, region, credentials: writer }), close }
  }
  for (const { name, run } of objectStoreContract({ capabilities: { write: true, list: true }, make })) it(name, run)
})

describe('whoever signs', () => {
  const failureOf = async (options: Partial<S3StoreOptions>) => {
    const error: unknown = await open(options)
      .get('x')
      .catch((error: unknown) => error)
    return (error as { details: { service: string } }).details.service
  }
  it.each([
    ['is unknown', { accessKeyId: 'AKIAOTHER', secretAccessKey: 'x' }, 'InvalidAccessKeyId'],
    ['has another secret', { ...writer, secretAccessKey: 'wrong' }, 'SignatureDoesNotMatch'],
    ['brings a token that was not asked for', { ...writer, sessionToken: 'bogus' }, 'InvalidToken'],
  ])('and %s is refused', async (_, credentials, code) => {
    await start()
    expect(await failureOf({ credentials })).toBe(code)
  })

  it('and nobody at all is refused', async () => {
    await start()
    expect(await failureOf({ credentials: 'anonymous' })).toBe('AccessDenied')
  })

  it('needs the token that goes with the key, until it expires', async () => {
    let nowMs = Date.now()
    const user = { ...writer, sessionToken: 'token', expiresAtMs: nowMs + 60_000 }
    await start({ users: [user], now: () => nowMs })
    expect(await failureOf({})).toBe('InvalidToken')
    expect(await failureOf({ credentials: user })).toBe('NoSuchKey')
    nowMs += 60_000
    expect(await failureOf({ credentials: user })).toBe('ExpiredToken')
  })

  it('with a clock that is wrong is refused, and right with the next request', async () => {
    await start({ now: () => Date.now() + 3_600_000 })
    const store = open()
    await expect(store.put('x', encodeUtf8('1'))).rejects.toMatchObject({ code: 'LAKE_STORAGE_UNAVAILABLE' })
    await store.put('x', encodeUtf8('1'))
    await retrying(open(), { firstDelayMs: 1 }).put('y', encodeUtf8('1'))
    expect(server!.objects.size).toBe(2)
  })

  it('names a bucket that is there', async () => {
    await start()
    await expect(open({ bucket: 'other' }).get('x')).rejects.toMatchObject({ code: 'LAKE_INVALID_LOCATION' })
  })
})

describe('rights', () => {
  const policy: AccessPolicy = {
    Statement: [
      {
        Effect: 'Allow',
        Action: ['s3:ListBucket'],
        Resource: 'arn:aws:s3:::lake',
        Condition: { StringLike: { 's3:prefix': 't/_delta_log/*' } },
      },
      { Effect: 'Allow', Action: ['s3:GetObject', 's3:PutObject'], Resource: 'arn:aws:s3:::lake/t/*' },
    ],
  }
  const denied = { code: 'LAKE_STORAGE_ACCESS_DENIED' }

  it('go by action, key and prefix of a listing', async () => {
    await start({ users: [{ ...writer, policy }] })
    await open().put('t/x', encodeUtf8('1'))
    expect(decodeUtf8(await open().get('t/x'))).toBe('1')
    await expect(open().put('u/x', encodeUtf8('1'))).rejects.toMatchObject(denied)
    await expect(open().delete('t/x')).rejects.toMatchObject(denied)
    await expect(collect(open().list({ prefix: 't/' }))).rejects.toMatchObject(denied)
    expect(await collect(open().list({ prefix: 't/_delta_log/' }))).toEqual([])
  })

  it('a missing object is called denied by the service; the store finds out where it may list', async () => {
    await start({ users: [{ ...writer, policy }] })
    const store = open({ prefix: 't' })
    const missing = { code: 'LAKE_OBJECT_NOT_FOUND' }
    await expect(store.get('_delta_log/0.json')).rejects.toMatchObject(missing)
    await expect(store.head('_delta_log/0.json')).rejects.toMatchObject(missing)
    await expect(store.getRange('_delta_log/0.json', { start: 0, end: 4 })).rejects.toMatchObject(missing)
    await expect(store.get('x')).rejects.toMatchObject(denied)
  })
})

describe('conditions and uploads', () => {
  const send = async (method: string, path: string, headers: Record<string, string> = {}, body?: string) => {
    const answer = await fetch(`${server!.endpoint}/lake/${path}`, { method, headers, ...(body && { body }) })
    return { status: answer.status, etag: answer.headers.get('etag') ?? '', text: await answer.text() }
  }
  const plain = async () => {
    server = await startS3Server()
  }

  it('If-Match: right 200, stale 412, missing 404', async () => {
    await plain()
    const { etag } = await send('PUT', 'x', {}, '1')
    expect((await send('PUT', 'x', { 'if-match': etag }, '2')).status).toBe(200)
    expect((await send('PUT', 'x', { 'if-match': etag }, '3')).status).toBe(412)
    expect((await send('PUT', 'y', { 'if-match': etag }, '3')).status).toBe(404)
    expect((await send('DELETE', 'x', { 'if-match': etag })).status).toBe(412)
  })

  it('an upload is whole, in order, of parts that are large enough, or refused', async () => {
    await plain()
    const part = async (id: string, number: number, body: string) =>
      (await send('PUT', `x?partNumber=${number}&uploadId=${id}`, {}, body)).etag
    const complete = (id: string, parts: readonly (readonly [number, string])[], headers = {}) => {
      const named = parts.map(([number, etag]) => `<Part><PartNumber>${number}</PartNumber><ETag>${etag}</ETag></Part>`)
      return send(
        'POST',
        `x?uploadId=${id}`,
        headers,
        `<CompleteMultipartUpload>${named.join('')}</CompleteMultipartUpload>`,
      )
    }
    const { text } = await send('POST', 'x?uploads')
    const id = /<UploadId>(.*)<\/UploadId>/.exec(text)?.[1] ?? ''
    const [small, last] = [await part(id, 1, 'small'), await part(id, 2, 'last')]
    expect(
      (
        await complete(id, [
          [2, last],
          [1, small],
        ])
      ).text,
    ).toContain('InvalidPartOrder')
    expect((await complete(id, [[1, last]])).text).toContain('InvalidPart')
    expect(
      (
        await complete(id, [
          [1, small],
          [2, last],
        ])
      ).text,
    ).toContain('EntityTooSmall')
    const large = await part(id, 1, 'x'.repeat(5 * 1024 * 1024))
    await send('PUT', 'x', {}, 'there')
    expect(
      (
        await complete(
          id,
          [
            [1, large],
            [2, last],
          ],
          { 'if-none-match': '*' },
        )
      ).status,
    ).toBe(412)
    expect(
      (
        await complete(id, [
          [1, large],
          [2, last],
        ])
      ).status,
    ).toBe(200)
    expect(server!.objects.get('x')?.length).toBe(5 * 1024 * 1024 + 4)
    expect((await complete(id, [[1, large]])).text).toContain('NoSuchUpload')
  })

  it('ranges from the start, to the end, of the end, past the end', async () => {
    await plain()
    await send('PUT', 'x', {}, '0123456789')
    const range = async (text: string) => (await send('GET', 'x', { range: `bytes=${text}` })).text
    expect([await range('2-4'), await range('7-'), await range('-3'), await range('8-99')]).toEqual([
      '234',
      '789',
      '789',
      '89',
    ])
    expect((await send('GET', 'x', { range: 'bytes=10-12' })).status).toBe(416)
  })
})

describe('faults', () => {
  it('one request of many fails, and is counted', async () => {
    await start()
    const { plan, calls, hasFailed } = failNthCall(2, s3Faults.lostAnswer, ({ method }) => method === 'PUT')
    server!.fault = plan
    const store = open()
    await store.put('a', encodeUtf8('1'))
    await expect(store.put('b', encodeUtf8('1'))).rejects.toMatchObject({ code: 'LAKE_STORAGE_UNAVAILABLE' })
    await store.put('c', encodeUtf8('1'))
    expect([calls(), hasFailed(), [...server!.objects.keys()]]).toEqual([3, true, ['a', 'b', 'c']])
  })

  it.each([
    ['lostRequest', false],
    ['unavailable', false],
    ['throttled', false],
    ['racing', false],
    ['failedAfterEffect', true],
    ['lostAnswer', true],
  ] as const)('%s: whether the object is there afterwards is %s', async (name, isThere) => {
    await start()
    server!.fault = failNthCall(1, s3Faults[name]).plan
    await expect(open().put('x', encodeUtf8('1'))).rejects.toMatchObject({ code: 'LAKE_STORAGE_UNAVAILABLE' })
    expect(server!.objects.has('x')).toBe(isThere)
  })

  it('an answer that is slow comes, unless it is too slow', async () => {
    await start()
    server!.fault = () => ({ kind: 'slow', ms: 300 })
    await open().put('x', encodeUtf8('1'))
    await expect(open({ timeoutMs: 100 }).put('y', encodeUtf8('1'))).rejects.toMatchObject({
      code: 'LAKE_STORAGE_UNAVAILABLE',
      message: expect.stringContaining('nothing came for 100 ms'),
    })
  })
})
