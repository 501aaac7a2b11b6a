/**
 * A small S3-like server in this process, to make what no real one does when asked: answers lost after a write, 409 in a
 * race, bodies that stop in the middle.
 *
 * Path style, no signatures checked. One bucket for all names.
 */
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { compareText } from '../../src/support/index.ts'

export interface S3Request {
  readonly method: string
  /** decoded, without the bucket */
  readonly key: string
  readonly query: URLSearchParams
  readonly headers: IncomingMessage['headers']
  readonly bytes: Buffer
}

/** What becomes of a request instead of its plain answer. */
export type S3Fault =
  /** nothing is done */
  | { readonly kind: 'refuse'; readonly status: number; readonly code: string }
  /** it is done, and the answer says that it failed */
  | { readonly kind: 'done, refuse'; readonly status: number; readonly code: string }
  /** it is done, and the connection ends without an answer */
  | { readonly kind: 'done, hang up' }
  /** the head of the answer comes, and of the body so many bytes; then nothing, or the end of the connection */
  | { readonly kind: 'cut body'; readonly bytes: number; readonly then: 'stall' | 'hang up' }

export interface S3Server {
  readonly endpoint: string
  /** emptied by the test as it likes */
  readonly requests: S3Request[]
  /** by key, without the bucket */
  readonly objects: Map<string, Buffer>
  /** uploads begun and neither completed nor given up */
  readonly uploads: ReadonlyMap<string, ReadonlyMap<number, Buffer>>
  /** asked for every request; undefined lets it pass */
  fault: ((request: S3Request) => S3Fault | undefined) | undefined
  /** keys on one page of a listing */
  pageSize: number
  close(): Promise<void>
}

interface Answer {
  readonly status: number
  readonly headers?: Record<string, string | number>
  readonly body?: Buffer | string
}

const MODIFIED = new Date(Date.UTC(2026, 0, 2, 3, 4, 5))

export async function startS3Server(): Promise<S3Server> {
  const state = new ServerState()
  const http = createServer((request, response) => {
    receive(request).then(
      (received) => state.serve(received, response),
      () => response.destroy(), // the client went away in the middle
    )
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const endpoint = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  const close = () =>
    new Promise<void>((resolve) => {
      http.close(() => resolve())
      http.closeAllConnections()
    })
  return Object.assign(state, { endpoint, close })
}

async function receive(request: IncomingMessage): Promise<S3Request> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  const url = new URL(request.url ?? '/', 'http://host')
  const key = decodeURIComponent(/^\/[^/]+\/?(.*)$/s.exec(url.pathname)?.[1] ?? '')
  const { method = 'GET', headers } = request
  return { method, key, query: url.searchParams, headers, bytes: Buffer.concat(parts) }
}

class ServerState {
  readonly requests: S3Request[] = []
  readonly objects = new Map<string, Buffer>()
  readonly uploads = new Map<string, Map<number, Buffer>>()
  fault: ((request: S3Request) => S3Fault | undefined) | undefined
  pageSize = 1_000

  serve(request: S3Request, response: ServerResponse): void {
    this.requests.push(request)
    const fault = this.fault?.(request)
    if (fault?.kind === 'refuse') {
      send(response, failure(fault.status, fault.code))
      return
    }
    const answer = this.answer(request)
    if (fault === undefined) send(response, answer)
    else spoil(fault, response, answer)
  }

  private answer(request: S3Request): Answer {
    const { method, key, query } = request
    if (method === 'GET' && query.get('list-type') === '2') return this.list(query)
    if (query.has('uploads') || query.has('uploadId')) return this.multipart(request)
    if (method === 'PUT') return this.put(request)
    if (method === 'DELETE') {
      this.objects.delete(key)
      return { status: 204 }
    }
    return this.read(request)
  }

  private put({ key, headers, bytes }: S3Request): Answer {
    if (headers['if-none-match'] === '*' && this.objects.has(key)) return failure(412, 'PreconditionFailed')
    this.objects.set(key, bytes)
    return { status: 200, headers: { etag: '"0"' } }
  }

  private read({ method, key, headers }: S3Request): Answer {
    const object = this.objects.get(key)
    if (object === undefined) return method === 'HEAD' ? { status: 404 } : failure(404, 'NoSuchKey')
    const head = { 'last-modified': MODIFIED.toUTCString() }
    if (method === 'HEAD') return { status: 200, headers: { ...head, 'content-length': object.length } }
    const range = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '')
    if (range === null) return { status: 200, headers: head, body: object }
    const start = Number(range[1])
    if (start >= object.length) return failure(416, 'InvalidRange')
    const body = object.subarray(start, Number(range[2]) + 1)
    const contentRange = `bytes ${start}-${start + body.length - 1}/${object.length}`
    return { status: 206, headers: { ...head, 'content-range': contentRange }, body }
  }

  private multipart({ method, key, query, bytes }: S3Request): Answer {
    if (query.has('uploads')) {
      const id = randomUUID()
      this.uploads.set(id, new Map())
      return {
        status: 200,
        body: `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
      }
    }
    const id = query.get('uploadId') ?? ''
    const parts = this.uploads.get(id)
    if (parts === undefined) return failure(404, 'NoSuchUpload')
    if (method === 'PUT') {
      const number = Number(query.get('partNumber'))
      parts.set(number, bytes)
      return { status: 200, headers: { etag: `"${number}"` } }
    }
    this.uploads.delete(id)
    if (method === 'DELETE') return { status: 204 }
    const numbers = [...bytes.toString().matchAll(/<PartNumber>(\d+)</g)].map(([, number]) => Number(number))
    this.objects.set(key, Buffer.concat(numbers.map((number) => parts.get(number)!)))
    return { status: 200, body: '<CompleteMultipartUploadResult><ETag>"0"</ETag></CompleteMultipartUploadResult>' }
  }

  private list(query: URLSearchParams): Answer {
    const prefix = query.get('prefix') ?? ''
    const after = query.get('continuation-token') ?? query.get('start-after') ?? ''
    const isShallow = query.has('delimiter')
    const keys = [...this.objects.keys()]
      .filter((key) => key.startsWith(prefix) && compareText(key, after) > 0)
      .filter((key) => !isShallow || !key.includes('/', prefix.length))
      .sort(compareText)
    const page = keys.slice(0, this.pageSize)
    const isTruncated = page.length < keys.length
    const contents = page.map(
      (key) =>
        `<Contents><Key>${encodeURIComponent(key)}</Key><Size>${this.objects.get(key)!.length}</Size>` +
        `<LastModified>${MODIFIED.toISOString()}</LastModified></Contents>`,
    )
    const next = isTruncated ? `<NextContinuationToken>${escapeXml(page.at(-1)!)}</NextContinuationToken>` : ''
    const body = `<ListBucketResult><EncodingType>url</EncodingType><IsTruncated>${isTruncated}</IsTruncated>${next}${contents.join('')}</ListBucketResult>`
    return { status: 200, body }
  }
}

function escapeXml(text: string): string {
  return text.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`)
}

function failure(status: number, code: string): Answer {
  return { status, body: `<Error><Code>${code}</Code><Message>the test's server says so</Message></Error>` }
}

function spoil(fault: Exclude<S3Fault, { kind: 'refuse' }>, response: ServerResponse, answer: Answer): void {
  if (fault.kind === 'done, hang up') {
    response.destroy()
  } else if (fault.kind === 'done, refuse') {
    send(response, failure(fault.status, fault.code))
  } else {
    const body = Buffer.from(answer.body ?? '')
    response.writeHead(answer.status, { ...answer.headers, 'content-length': body.length })
    response.write(body.subarray(0, fault.bytes), () => {
      if (fault.then === 'hang up') response.destroy()
    })
  }
}

function send(response: ServerResponse, { status, headers, body }: Answer): void {
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
  response.writeHead(status, { ...(status === 204 ? {} : { 'content-length': 0 }), ...length, ...headers })
  response.end(body)
}
