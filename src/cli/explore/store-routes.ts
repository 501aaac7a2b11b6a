/**
 * Serves one `ObjectStore` over HTTP the way `httpStore` reads it: objects with ranges, and a listing as JSON.
 *
 * `GET /<key>` answers the object, or the part a `Range: bytes=a-b` header asks for. `GET /?list&prefix=&startAfter=&shallow=`
 * answers `[{ key, size, modifiedMs }]`. Keys arrive percent-encoded once. Nothing is ever written.
 */
import { Hono } from 'hono'
import { isDeltaError } from '../../errors/index.ts'
import type { ListOptions, ObjectMeta, ObjectStore } from '../../storage/index.ts'

/** A listing stops here; the page asks for the next part with `startAfter`. */
const MAX_LISTED = 10_000

/** @param base the path the store is mounted at, without a trailing slash: `/store/0` */
export function storeRoutes(store: ObjectStore, base: string): Hono {
  const app = new Hono()
  app.get('/*', async (context) => {
    const path = new URL(context.req.url).pathname
    const key = decodeKey(path.slice(base.length + 1))
    if (key === undefined) return context.text('the path is not a key', 400)
    if (key === '' && context.req.query('list') !== undefined)
      return context.json(await listPage(store, context.req.query()))
    try {
      return await answerObject(store, key, context.req.header('range'))
    } catch (error) {
      if (isDeltaError(error, 'LAKE_OBJECT_NOT_FOUND')) return context.text(error.message, 404)
      if (isDeltaError(error, 'LAKE_STORAGE_ACCESS_DENIED')) return context.text(error.message, 403)
      throw error
    }
  })
  return app
}

async function listPage(store: ObjectStore, query: Record<string, string>): Promise<readonly ObjectMeta[]> {
  const options: ListOptions = {
    prefix: query.prefix ?? '',
    ...(query.startAfter === undefined ? {} : { startAfter: query.startAfter }),
    shallow: query.shallow === 'true' || query.shallow === '1' || query.shallow === '',
  }
  const listed: ObjectMeta[] = []
  for await (const page of store.list(options)) {
    for (const meta of page) {
      listed.push(meta)
      if (listed.length === MAX_LISTED) return listed
    }
  }
  return listed
}

async function answerObject(store: ObjectStore, key: string, range: string | undefined): Promise<Response> {
  const { size, modifiedMs } = await store.head(key)
  const headers = new Headers({
    'accept-ranges': 'bytes',
    'cache-control': 'no-store',
    'content-type': 'application/octet-stream',
    'last-modified': new Date(modifiedMs).toUTCString(),
  })
  if (range === undefined) {
    headers.set('content-length', String(size))
    return new Response(toBody(await store.get(key)), { headers })
  }
  const wanted = parseRange(range, size)
  if (wanted === undefined) {
    headers.set('content-range', `bytes */${size}`)
    return new Response(null, { status: 416, headers })
  }
  headers.set('content-range', `bytes ${wanted.start}-${wanted.end - 1}/${size}`)
  return new Response(toBody(await store.getRange(key, wanted)), { status: 206, headers })
}

/** `bytes=2-4`, `bytes=7-`, `bytes=-3`; undefined where no byte of the object is asked for. */
export function parseRange(header: string, size: number): { start: number; end: number } | undefined {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header.trim())
  if (match === null || (match[1] === '' && match[2] === '')) return undefined
  const [, from = '', to = ''] = match
  const start = from === '' ? Math.max(0, size - Number(to)) : Number(from)
  const end = from === '' || to === '' ? size : Math.min(size, Number(to) + 1)
  return start < end ? { start, end } : undefined
}

function decodeKey(path: string): string | undefined {
  try {
    return decodeURIComponent(path)
  } catch {
    return undefined
  }
}

function toBody(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return bytes.buffer instanceof ArrayBuffer ? (bytes as Uint8Array<ArrayBuffer>) : new Uint8Array(bytes)
}
