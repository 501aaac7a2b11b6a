/** The objects and unfinished uploads of one bucket, and what S3 answers about them. */
import { createHash, randomUUID } from 'node:crypto'
import { compareText } from '../../support/index.ts'
import type { Answer } from './http-exchange.ts'
import type { S3Request } from './s3-server.ts'

const MIN_PART_BYTES = 5 * 1024 * 1024

export class S3Objects {
  readonly objects = new Map<string, Uint8Array>()
  readonly modifiedMs = new Map<string, number>()
  readonly uploads = new Map<string, Map<number, Uint8Array>>()
  pageSize = 1000
  private readonly now: () => number
  private readonly beganAt: number

  constructor(now: () => number) {
    this.now = now
    this.beganAt = now()
  }

  answer(request: S3Request): Answer {
    const { method, key, query } = request
    if (key === '') return query.get('list-type') === '2' ? this.list(query) : failure(501, 'NotImplemented')
    if (query.has('uploads') || query.has('uploadId')) return this.multipart(request)
    if (method === 'PUT') return this.put(request, request.bytes)
    if (method === 'DELETE') return this.delete(request)
    if (method === 'GET' || method === 'HEAD') return this.read(request)
    return failure(501, 'NotImplemented')
  }

  private put({ key, headers }: S3Request, bytes: Uint8Array): Answer {
    const refusal = this.refusalOf(key, headers)
    if (refusal !== undefined) return refusal
    this.objects.set(key, bytes)
    this.modifiedMs.set(key, this.now())
    return { status: 200, headers: { etag: etagOf(bytes) } }
  }

  /** Conditions of a write. Source: Amazon S3, "Add preconditions to S3 operations with conditional requests". */
  private refusalOf(key: string, headers: S3Request['headers']): Answer | undefined {
    const found = this.objects.get(key)
    const [absent, match] = [headers['if-none-match'], headers['if-match']]
    if (absent !== undefined && absent !== '*') return failure(501, 'NotImplemented')
    if (absent === '*' && found !== undefined) return failure(412, 'PreconditionFailed')
    if (match === undefined) return undefined
    if (found === undefined) return failure(404, 'NoSuchKey')
    return match === etagOf(found) ? undefined : failure(412, 'PreconditionFailed')
  }

  private delete({ key, headers }: S3Request): Answer {
    const found = this.objects.get(key)
    const match = headers['if-match']
    if (match !== undefined && found !== undefined && match !== etagOf(found)) return failure(412, 'PreconditionFailed')
    this.objects.delete(key)
    return { status: 204 }
  }

  private read({ method, key, headers }: S3Request): Answer {
    const object = this.objects.get(key)
    if (object === undefined) return method === 'HEAD' ? { status: 404 } : failure(404, 'NoSuchKey')
    const modified = new Date(this.modifiedMs.get(key) ?? this.beganAt).toUTCString()
    const head = { 'last-modified': modified, etag: etagOf(object), 'accept-ranges': 'bytes' }
    const match = headers['if-match']
    if (match !== undefined && match !== head.etag) return failure(412, 'PreconditionFailed')
    if (method === 'HEAD') return { status: 200, headers: { ...head, 'content-length': object.length } }
    const range = rangeOf(headers.range, object.length)
    if (range === undefined) return { status: 200, headers: head, body: object }
    if (range.start >= object.length || range.start >= range.end) return failure(416, 'InvalidRange')
    const contentRange = `bytes ${range.start}-${range.end - 1}/${object.length}`
    const body = object.subarray(range.start, range.end)
    return { status: 206, headers: { ...head, 'content-range': contentRange }, body }
  }

  private multipart(request: S3Request): Answer {
    const { method, query, bytes } = request
    if (query.has('uploads')) {
      const id = randomUUID()
      this.uploads.set(id, new Map())
      return xml(`<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`)
    }
    const id = query.get('uploadId') ?? ''
    const parts = this.uploads.get(id)
    if (parts === undefined) return failure(404, 'NoSuchUpload')
    if (method === 'PUT') {
      parts.set(Number(query.get('partNumber')), bytes)
      return { status: 200, headers: { etag: etagOf(bytes) } }
    }
    if (method === 'DELETE') {
      this.uploads.delete(id)
      return { status: 204 }
    }
    return this.complete(request, id, parts)
  }

  private complete(request: S3Request, id: string, parts: ReadonlyMap<number, Uint8Array>): Answer {
    const text = Buffer.from(request.bytes).toString()
    const named = [...text.matchAll(/<Part>(.*?)<\/Part>/gs)].map(([, part = '']) => ({
      number: Number(/<PartNumber>(\d+)</.exec(part)?.[1]),
      etag: /<ETag>(.*?)<\/ETag>/.exec(part)?.[1]?.replaceAll('&quot;', '"'),
    }))
    if (named.some(({ number }, i) => i > 0 && number <= named[i - 1]!.number)) return failure(400, 'InvalidPartOrder')
    const sent = named.map(({ number }) => parts.get(number))
    if (named.length === 0 || named.some(({ etag }, i) => sent[i] === undefined || etag !== etagOf(sent[i])))
      return failure(400, 'InvalidPart')
    if (sent.slice(0, -1).some((part) => part!.length < MIN_PART_BYTES)) return failure(400, 'EntityTooSmall')
    const answer = this.put(request, Buffer.concat(sent as Uint8Array[]))
    if (answer.status !== 200) return answer
    this.uploads.delete(id)
    return xml(`<CompleteMultipartUploadResult><ETag>${id}</ETag></CompleteMultipartUploadResult>`)
  }

  private list(query: URLSearchParams): Answer {
    const prefix = query.get('prefix') ?? ''
    const token = query.get('continuation-token')
    const after = token === null ? (query.get('start-after') ?? '') : Buffer.from(token, 'base64url').toString()
    const delimiter = query.get('delimiter') ?? ''
    const names = new Set<string>()
    for (const key of [...this.objects.keys()].sort(compareText)) {
      const name = key.startsWith(prefix) ? groupOf(key, prefix, delimiter) : undefined
      if (name !== undefined && compareText(name, after) > 0 && compareText(key, after) > 0) names.add(name)
    }
    const limit = Math.min(this.pageSize, Number(query.get('max-keys') ?? this.pageSize))
    const page = [...names].slice(0, limit)
    const isTruncated = page.length < names.size
    const next = isTruncated ? Buffer.from(page.at(-1)!).toString('base64url') : undefined
    return xml(
      `<ListBucketResult><EncodingType>url</EncodingType><IsTruncated>${isTruncated}</IsTruncated>` +
        `<KeyCount>${page.length}</KeyCount>` +
        (next === undefined ? '' : `<NextContinuationToken>${next}</NextContinuationToken>`) +
        `${page.map((name) => this.entry(name)).join('')}</ListBucketResult>`,
    )
  }

  private entry(name: string): string {
    const object = this.objects.get(name)
    const text = encodeURIComponent(name)
    if (object === undefined) return `<CommonPrefixes><Prefix>${text}</Prefix></CommonPrefixes>`
    const modified = new Date(this.modifiedMs.get(name) ?? this.beganAt).toISOString().replace(/\.\d+Z/, '.000Z')
    return (
      `<Contents><Key>${text}</Key><Size>${object.length}</Size><LastModified>${modified}</LastModified>` +
      `<ETag>${etagOf(object).replaceAll('"', '&quot;')}</ETag></Contents>`
    )
  }
}

/** The key, or the folder right below the prefix that it lies in. */
function groupOf(key: string, prefix: string, delimiter: string): string {
  const at = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length)
  return at < 0 ? key : key.slice(0, at + delimiter.length)
}

function rangeOf(header: string | undefined, size: number): { start: number; end: number } | undefined {
  const parts = /^bytes=(\d*)-(\d*)$/.exec(header ?? '')
  if (parts === null) return undefined
  const [, first = '', last = ''] = parts
  if (first === '') return last === '' ? undefined : { start: Math.max(0, size - Number(last)), end: size }
  return { start: Number(first), end: last === '' ? size : Math.min(size, Number(last) + 1) }
}

const etags = new WeakMap<Uint8Array, string>()

function etagOf(bytes: Uint8Array): string {
  const known = etags.get(bytes) ?? `"${createHash('md5').update(bytes).digest('hex')}"`
  etags.set(bytes, known)
  return known
}

function xml(body: string): Answer {
  return { status: 200, headers: { 'content-type': 'application/xml' }, body }
}

/** An error as S3 spells it. */
export function failure(status: number, code: string, message = 'the test server says so'): Answer {
  const headers = { 'content-type': 'application/xml' }
  return { status, headers, body: `<Error><Code>${code}</Code><Message>${message}</Message></Error>` }
}
