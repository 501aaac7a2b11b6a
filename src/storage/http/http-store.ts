/** A table behind plain HTTP: read only, by ranges, with a listing only where the server offers one. */
import { deltaError } from '../../errors/index.ts'
import { throwIfAborted } from '../../support/index.ts'
import { validateKey } from '../key.ts'
import type { ListOptions, ObjectMeta, ObjectStore, StoreCallOptions } from '../object-store.ts'
import { type HttpCall, send } from './http-call.ts'
import { listOverHttp } from './http-list.ts'
import { readRangeAnswer } from './http-range.ts'

export interface HttpStoreOptions {
  /** sent with every request: authorization, for one */
  readonly headers?: Readonly<Record<string, string>>
  /**
   * true where `<root>/?list&prefix=&startAfter=&shallow=` answers with JSON `[{"key","size","modifiedMs"}]`: keys above
   * `startAfter` in the order of their UTF-8 bytes, as many as the server likes, none at the end
   */
  readonly listing?: boolean
  /** how long one request may take, milliseconds; 60,000 when absent */
  readonly timeoutMs?: number
}

/**
 * The objects below an http(s) address.
 *
 * `capabilities.write` is false; `capabilities.list` is what the options say of the server. A server that does not know
 * ranges is read from the beginning up to the end asked for. A query in the address goes with every request; a user and
 * password in it become an Authorization header; messages show neither.
 *
 * @throws DeltaError `LAKE_INVALID_LOCATION` when the address is not an http(s) one
 */
export function httpStore(url: string, options: HttpStoreOptions = {}): ObjectStore {
  const root = parseRoot(url)
  const call: HttpCall = {
    location: root.location,
    headers: { ...root.headers, ...options.headers },
    timeoutMs: options.timeoutMs ?? 60_000,
  }
  const address = (key: string): string => {
    validateKey(key, root.location)
    return `${root.location}/${key.split('/').map(encodeURIComponent).join('/')}${root.query}`
  }
  const refuse = (operation: string) => async (): Promise<never> => {
    throw deltaError('LAKE_STORAGE_UNSUPPORTED', { store: 'http', operation })
  }

  const head = async (key: string, options?: StoreCallOptions): Promise<ObjectMeta> => {
    const answer = await send(call, { operation: 'head', key, url: address(key), method: 'HEAD' }, options?.signal)
    return answer.ok && answer.headers.has('content-length')
      ? describe(key, answer.headers, Number(answer.headers.get('content-length')))
      : headByRange(key, options)
  }
  /** For servers that refuse HEAD or do not tell a length: the first byte's answer names the whole size. */
  const headByRange = async (key: string, options?: StoreCallOptions): Promise<ObjectMeta> => {
    const request = { operation: 'head', key, url: address(key), range: { start: 0, end: 1 } }
    const answer = await send(call, request, options?.signal)
    const part = await readRangeAnswer(answer, { start: 0, end: 1 }, call.location, key)
    const size = part.totalSize ?? (await get(key, options)).length
    return describe(key, answer.headers, size)
  }
  const get = async (key: string, options?: StoreCallOptions): Promise<Uint8Array> => {
    const answer = await send(call, { operation: 'get', key, url: address(key) }, options?.signal)
    return answer.readAll()
  }

  return {
    location: root.location,
    capabilities: { write: false, list: options.listing === true },
    get,
    head,
    getRange: async (key, range, options) => {
      throwIfAborted(options?.signal, `reading ${key}`)
      if (range.end <= range.start) {
        await head(key, options) // no header can ask for no bytes, but a missing object is still an error
        return new Uint8Array(0)
      }
      const answer = await send(call, { operation: 'getRange', key, url: address(key), range }, options?.signal)
      return (await readRangeAnswer(answer, range, call.location, key)).bytes
    },
    list: (listOptions: ListOptions & StoreCallOptions) =>
      options.listing === true ? listOverHttp(call, root.query, listOptions) : refuseListing(),
    put: refuse('put'),
    putIfAbsent: refuse('putIfAbsent'),
    delete: refuse('delete'),
  }
}

// biome-ignore lint/correctness/useYield: a listing that fails when it is read, as every other one does
async function* refuseListing(): AsyncGenerator<readonly ObjectMeta[]> {
  throw deltaError('LAKE_STORAGE_UNSUPPORTED', { store: 'http', operation: 'list' })
}

function parseRoot(url: string): { location: string; query: string; headers: Record<string, string> } {
  const parsed = URL.parse(url)
  if (parsed === null || !['http:', 'https:'].includes(parsed.protocol)) {
    throw deltaError('LAKE_INVALID_LOCATION', { location: url, reason: 'it is not an http(s) address' })
  }
  const user = `${decodeURIComponent(parsed.username)}:${decodeURIComponent(parsed.password)}`
  return {
    location: parsed.origin + parsed.pathname.replace(/\/+$/, ''),
    query: parsed.search,
    headers: user === ':' ? {} : { authorization: `Basic ${btoa(user)}` },
  }
}

function describe(key: string, headers: Headers, size: number): ObjectMeta {
  const modified = Date.parse(headers.get('last-modified') ?? '')
  return { key, size, modifiedMs: Number.isNaN(modified) ? 0 : modified }
}
