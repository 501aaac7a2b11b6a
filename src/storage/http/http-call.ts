/** One request over HTTP, with its status and its failures turned into the store's errors. */
import { causeText, type DeltaError, deltaError } from '../../errors/index.ts'

export interface HttpCall {
  readonly location: string
  readonly headers: Readonly<Record<string, string>>
  readonly timeoutMs: number
}

export interface HttpRequest {
  readonly operation: string
  readonly key: string
  readonly url: string
  readonly method?: 'GET' | 'HEAD'
  readonly range?: { readonly start: number; readonly end: number }
}

/** A successful answer, or one that only says less than was asked: 405 and 501 to HEAD, 416 to a range. */
export interface HttpAnswer {
  readonly ok: boolean
  readonly status: number
  readonly headers: Headers
  /** @throws DeltaError `LAKE_STORAGE_UNAVAILABLE`, `LAKE_CANCELLED` */
  readAll(): Promise<Uint8Array>
  /** The first `length` bytes; the rest is not fetched. */
  readFirst(length: number): Promise<Uint8Array>
}

const LESS_THAN_ASKED: ReadonlyMap<string, readonly number[]> = new Map([
  ['HEAD', [405, 501]],
  ['range', [416]],
])

export async function send(call: HttpCall, request: HttpRequest, signal?: AbortSignal): Promise<HttpAnswer> {
  const deadline = AbortSignal.timeout(call.timeoutMs)
  const either = signal === undefined ? deadline : AbortSignal.any([signal, deadline])
  const translate = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work()
    } catch (cause) {
      throw transportError(call, request, cause, signal)
    }
  }
  const method = request.method ?? 'GET'
  const headers = { ...call.headers, ...rangeHeader(request.range) }
  const answer = await translate(() => fetch(request.url, { method, headers, signal: either }))
  const tolerated = LESS_THAN_ASKED.get(request.range === undefined ? method : 'range') ?? []
  if (!answer.ok && !tolerated.includes(answer.status)) {
    await answer.body?.cancel().catch(() => undefined)
    throw statusError(call, request, answer.status)
  }
  return {
    ok: answer.ok,
    status: answer.status,
    headers: answer.headers,
    readAll: () => translate(async () => new Uint8Array(await answer.arrayBuffer())),
    readFirst: (length) => translate(() => readFirst(answer, length)),
  }
}

function rangeHeader(range: HttpRequest['range']): Record<string, string> {
  // A compressed body would make the range one of other bytes than the object's.
  return range === undefined ? {} : { range: `bytes=${range.start}-${range.end - 1}`, 'accept-encoding': 'identity' }
}

async function readFirst(answer: Response, length: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(length)
  let filled = 0
  const reader = answer.body?.getReader()
  while (reader !== undefined && filled < length) {
    const { value, done } = await reader.read()
    if (done) break
    const part = value.subarray(0, length - filled)
    bytes.set(part, filled)
    filled += part.length
  }
  await reader?.cancel().catch(() => undefined)
  return bytes.subarray(0, filled)
}

function statusError(call: HttpCall, request: HttpRequest, status: number): DeltaError {
  const details = { operation: request.operation, key: request.key, location: call.location, status }
  const cause = `the server answered ${status}`
  if (status === 404 || status === 410) return deltaError('LAKE_OBJECT_NOT_FOUND', details)
  if (status === 401 || status === 403) return deltaError('LAKE_STORAGE_ACCESS_DENIED', { ...details, cause })
  return deltaError('LAKE_STORAGE_UNAVAILABLE', { ...details, cause })
}

function transportError(call: HttpCall, request: HttpRequest, cause: unknown, signal?: AbortSignal): DeltaError {
  const { operation, key } = request
  if (signal?.aborted) return deltaError('LAKE_CANCELLED', { what: `${operation} of ${key}` }, { cause })
  const inner = cause instanceof Error && cause.cause !== undefined ? cause.cause : cause
  return deltaError(
    'LAKE_STORAGE_UNAVAILABLE',
    { operation, key, location: call.location, cause: causeText(inner) },
    { cause },
  )
}
