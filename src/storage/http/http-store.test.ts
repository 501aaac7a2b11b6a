import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { collect, decodeUtf8, encodeUtf8 } from '../../support/index.ts'
import { objectStoreContract } from '../contract/index.ts'
import { memoryStore } from '../memory/index.ts'
import type { ObjectStore } from '../object-store.ts'
import { httpStore } from './index.ts'

type Listener = (request: IncomingMessage, response: ServerResponse) => void
interface ServerTraits {
  readonly ranges: boolean
  readonly head: boolean
  readonly listing: boolean
}

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

async function serve(listener: Listener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(
    () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  )
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** A file server over a store, with pages of 700 in its listing. */
function fileServer(objects: ObjectStore, traits: ServerTraits): Listener {
  return async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://host')
    if (traits.listing && url.searchParams.has('list')) {
      const found = await collect(
        objects.list({
          prefix: url.searchParams.get('prefix') ?? '',
          startAfter: url.searchParams.get('startAfter') ?? '',
          shallow: url.searchParams.get('shallow') === 'true',
        }),
      )
      return response.end(JSON.stringify(found.flat().slice(0, 700)))
    }
    const key = decodeURIComponent(url.pathname.replace('/lake/', ''))
    const bytes = await objects.get(key).catch(() => undefined)
    if (bytes === undefined) return response.writeHead(404).end('no such object')
    if (request.method === 'HEAD') {
      return traits.head
        ? response.writeHead(200, { 'content-length': bytes.length }).end()
        : response.writeHead(405).end()
    }
    const range = traits.ranges ? /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') : null
    if (range === null) return response.writeHead(200, { 'content-length': bytes.length }).end(bytes)
    const start = Number(range[1])
    if (start >= bytes.length) return response.writeHead(416, { 'content-range': `bytes */${bytes.length}` }).end()
    const part = bytes.slice(start, Number(range[2]) + 1)
    const contentRange = `bytes ${start}-${start + part.length - 1}/${bytes.length}`
    return response.writeHead(206, { 'content-range': contentRange, 'content-length': part.length }).end(part)
  }
}

const kinds: Record<string, ServerTraits> = {
  'full server': { ranges: true, head: true, listing: true },
  'plain server': { ranges: true, head: true, listing: false },
  'server without ranges': { ranges: false, head: true, listing: false },
  'server without HEAD': { ranges: true, head: false, listing: false },
  'server with neither': { ranges: false, head: false, listing: false },
}

for (const [name, traits] of Object.entries(kinds)) {
  describe(`contract of the http store over a ${name}`, () => {
    const make = async () => {
      const writer = memoryStore()
      const url = await serve(fileServer(writer, traits))
      return { store: httpStore(`${url}/lake/`, { listing: traits.listing }), writer }
    }
    const capabilities = { write: false, list: traits.listing }
    for (const { name, run } of objectStoreContract({ capabilities, make })) it(name, run)
  })
}

const answering = async (status: number, headers: Record<string, string> = {}, body = '') =>
  httpStore(await serve((_, response) => response.writeHead(status, headers).end(body)), { listing: true })

describe('what a server answers', () => {
  it.each([
    [404, 'LAKE_OBJECT_NOT_FOUND'],
    [410, 'LAKE_OBJECT_NOT_FOUND'],
    [401, 'LAKE_STORAGE_ACCESS_DENIED'],
    [403, 'LAKE_STORAGE_ACCESS_DENIED'],
    [429, 'LAKE_STORAGE_UNAVAILABLE'],
    [500, 'LAKE_STORAGE_UNAVAILABLE'],
    [503, 'LAKE_STORAGE_UNAVAILABLE'],
  ])('%i is %s', async (status, code) => {
    const store = await answering(status)
    await expect(store.get('x')).rejects.toMatchObject({ code })
    await expect(store.head('x')).rejects.toMatchObject({ code })
    await expect(store.getRange('x', { start: 0, end: 2 })).rejects.toMatchObject({ code })
    await expect(collect(store.list({ prefix: '' }))).rejects.toMatchObject({ code })
  })

  it.each([
    ['another range', { 'content-range': 'bytes 5-6/10' }],
    ['a longer range than asked', { 'content-range': 'bytes 0-9/10' }],
    ['fewer bytes than it says', { 'content-range': 'bytes 0-3/10' }],
    ['no range', {}],
  ])('refuses a part that has %s', async (_, headers) => {
    const store = await answering(206, headers, 'ab')
    await expect(store.getRange('x', { start: 0, end: 4 })).rejects.toMatchObject({ code: 'LAKE_STORAGE_UNAVAILABLE' })
  })

  it.each([
    'not json',
    '{}',
    '[{"key":1}]',
    '[{"key":"b","size":1,"modifiedMs":0},{"key":"a","size":1,"modifiedMs":0}]',
  ])('refuses the listing %j', async (body) => {
    const store = await answering(200, {}, body)
    await expect(collect(store.list({ prefix: '' }))).rejects.toMatchObject({ code: 'LAKE_STORAGE_UNAVAILABLE' })
  })

  it('refuses a listing that never moves on', async () => {
    const store = await answering(200, {}, '[{"key":"a","size":1,"modifiedMs":0}]')
    await expect(collect(store.list({ prefix: '' }))).rejects.toMatchObject({ code: 'LAKE_STORAGE_UNAVAILABLE' })
  })

  it('says that nobody answers, and gives up after its timeout', async () => {
    const url = await serve(() => undefined)
    await expect(httpStore(url, { timeoutMs: 50 }).get('x')).rejects.toMatchObject({
      code: 'LAKE_STORAGE_UNAVAILABLE',
      retryable: true,
    })
    await closing.pop()!()
    await expect(httpStore(url).get('x')).rejects.toMatchObject({ code: 'LAKE_STORAGE_UNAVAILABLE' })
  })

  it('a signal that is aborted on the way is LAKE_CANCELLED', async () => {
    const store = httpStore(await serve(() => undefined))
    await expect(store.get('x', { signal: AbortSignal.timeout(30) })).rejects.toMatchObject({ code: 'LAKE_CANCELLED' })
  })
})

it('sends the query, the headers and the password of its address, and shows none of them', async () => {
  const seen: (string | undefined)[] = []
  const url = await serve((request, response) => {
    seen.push(request.url, request.headers.authorization, request.headers['x-key'] as string)
    response.end('12345')
  })
  const store = httpStore(`${url.replace('//', '//user:pass@')}/lake?sig=secret`, { headers: { 'x-key': 'k' } })
  expect(store.location).toBe(`${url}/lake`)
  expect(decodeUtf8(await store.get('a b/c'))).toBe('12345')
  expect(seen).toEqual(['/lake/a%20b/c?sig=secret', `Basic ${btoa('user:pass')}`, 'k'])
})

it('fetches no more of a whole object than the range needs', async () => {
  const chunk = encodeUtf8('x'.repeat(1 << 16))
  let sent = 0
  const url = await serve((_, response) => {
    const push = () => {
      if (response.destroyed || sent > 500 * chunk.length) {
        response.end()
      } else {
        sent += chunk.length
        response.write(chunk, () => setImmediate(push))
      }
    }
    push()
  })
  expect((await httpStore(url).getRange('x', { start: 10, end: 20 })).length).toBe(10)
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(sent).toBeLessThan(200 * chunk.length)
})

it.each(['ftp://host/x', 'lake', ''])('the address %j is LAKE_INVALID_LOCATION', (url) => {
  expect(() => httpStore(url)).toThrow(expect.objectContaining({ code: 'LAKE_INVALID_LOCATION' }))
})
