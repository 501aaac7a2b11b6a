/**
 * A repository over HTTP, read-only, as DuckDB and browsers read it: ranges, suffix ranges, ETags, CORS.
 *
 * Objects never change under their keys, refs and version.json apart, which must not be cached. What is not in the
 * repository is 404, a log beside a catalog included.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { isDeltaError } from '../../errors/index.ts'
import type { ObjectMeta, ObjectStore } from '../../storage/index.ts'
import { md5Hex } from '../../support/index.ts'
import { isPlainKey } from '../catalog/file-access.ts'
import { CONFIG_KEY, HEAD_KEY } from './layout.ts'

export interface ServeOptions {
  /** 127.0.0.1 when absent */
  readonly host?: string
  /** any free one when 0 or absent */
  readonly port?: number
}

export interface RepositoryServer {
  readonly url: string
  close(): Promise<void>
}

/** Rejects with the system's error where the port is taken. */
export async function serveRepository(store: ObjectStore, options: ServeOptions = {}): Promise<RepositoryServer> {
  const host = options.host ?? '127.0.0.1'
  const server = createServer((request, response) => {
    answer(store, request, response).catch((error: unknown) => fail(response, error))
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(options.port ?? 0, host, resolve)
  })
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return { url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`, close: () => closeServer(server) }
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}

const CORS = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, HEAD, OPTIONS',
  'access-control-allow-headers': 'Range, If-None-Match, If-Range',
  'access-control-expose-headers': 'Accept-Ranges, Content-Length, Content-Range, ETag, Last-Modified',
  'access-control-max-age': '86400',
}

async function answer(store: ObjectStore, request: IncomingMessage, response: ServerResponse): Promise<void> {
  for (const [name, value] of Object.entries(CORS)) response.setHeader(name, value)
  if (request.method === 'OPTIONS') return end(response, 204)
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.setHeader('allow', 'GET, HEAD, OPTIONS')
    return end(response, 405)
  }
  const meta = await findObject(store, request.url ?? '/')
  if (meta === undefined) return end(response, 404)
  const { key } = meta
  const tag = etagOf(meta)
  response.setHeader('etag', tag)
  response.setHeader('accept-ranges', 'bytes')
  response.setHeader('content-type', contentType(key))
  response.setHeader('cache-control', isMutable(key) ? 'no-cache' : 'public, max-age=31536000, immutable')
  if (meta.modifiedMs > 0) response.setHeader('last-modified', new Date(meta.modifiedMs).toUTCString())
  if (request.headers['if-none-match']?.split(/,\s*/).includes(tag)) return end(response, 304)
  const ifRange = request.headers['if-range']
  const range = ifRange === undefined || ifRange === tag ? parseRange(request.headers.range, meta.size) : undefined
  if (range === 'unsatisfiable') {
    response.setHeader('content-range', `bytes */${meta.size}`)
    return end(response, 416)
  }
  const { start, end: stop } = range ?? { start: 0, end: meta.size }
  response.setHeader('content-length', String(stop - start))
  if (range !== undefined) response.setHeader('content-range', `bytes ${start}-${stop - 1}/${meta.size}`)
  response.statusCode = range === undefined ? 200 : 206
  if (request.method === 'HEAD') return void response.end()
  await sendRange(store, key, { start, end: stop }, response)
}

/** Pieces, so that a large file is never in memory whole. */
const PIECE_BYTES = 4 * 1024 * 1024

async function sendRange(
  store: ObjectStore,
  key: string,
  range: { start: number; end: number },
  response: ServerResponse,
): Promise<void> {
  for (let start = range.start; start < range.end && !response.destroyed; start += PIECE_BYTES) {
    const bytes = await store.getRange(key, { start, end: Math.min(start + PIECE_BYTES, range.end) })
    if (!response.write(bytes)) await new Promise((resolve) => response.once('drain', resolve).once('close', resolve))
  }
  response.end()
}

/**
 * The object a path names: decoded once, as paths are. Where that is none, as it stands: DuckDB asks for a file called
 * `city=a%20b` by that very text, without escaping the sign.
 */
async function findObject(store: ObjectStore, url: string): Promise<ObjectMeta | undefined> {
  const path = url.replace(/[?#].*$/, '').replace(/^\/+/, '')
  for (const key of new Set([decoded(path), path])) {
    if (key === undefined || !isPlainKey(key) || !isServed(key)) continue
    try {
      return await store.head(key)
    } catch (error) {
      if (!isDeltaError(error, 'LAKE_OBJECT_NOT_FOUND')) throw error
    }
  }
  return undefined
}

function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path)
  } catch {
    return undefined
  }
}

/** Only what belongs to the repository. */
function isServed(key: string): boolean {
  if (key === CONFIG_KEY || key === HEAD_KEY) return true
  return /^(?:refs|versions|data|tables)\//.test(key) && !key.split('/').some((part) => part.startsWith('.'))
}

function isMutable(key: string): boolean {
  return key === CONFIG_KEY || key === HEAD_KEY || key.startsWith('refs/') || key.endsWith('/version.json')
}

function contentType(key: string): string {
  if (key.endsWith('.json')) return 'application/json'
  return key === HEAD_KEY || key.startsWith('refs/') ? 'text/plain; charset=utf-8' : 'application/octet-stream'
}

function etagOf({ key, size, modifiedMs }: ObjectMeta): string {
  return `"${md5Hex(new TextEncoder().encode(`${key} ${size} ${modifiedMs}`))}"`
}

/** One range; several, or a header that cannot be read, give the whole object. Source: RFC 9110, "Range". */
function parseRange(
  header: string | undefined,
  size: number,
): { start: number; end: number } | 'unsatisfiable' | undefined {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header ?? '')
  if (match === null || (match[1] === '' && match[2] === '')) return undefined
  const [first, last] = [match[1]!, match[2]!]
  if (first === '') {
    const length = Math.min(Number(last), size)
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size }
  }
  const start = Number(first)
  const end = last === '' ? size : Math.min(Number(last) + 1, size)
  if (last !== '' && Number(last) < start) return undefined
  return start >= size ? 'unsatisfiable' : { start, end }
}

function end(response: ServerResponse, status: number): void {
  response.statusCode = status
  response.end()
}

function fail(response: ServerResponse, error: unknown): void {
  if (response.headersSent) return void response.destroy()
  end(response, isDeltaError(error, 'LAKE_OBJECT_NOT_FOUND') ? 404 : 500)
}
