/** A bucket of an S3-compatible service as an object store. */
import type { GetObjectCommandOutput } from '@aws-sdk/client-s3'
import { deltaError } from '../../errors/index.ts'
import { compareBytes } from '../../support/index.ts'
import type { ObjectMeta, ObjectStore, StoreCallOptions } from '../index.ts'
import { validateKey } from '../index.ts'
import { isNamed, S3Connection, type Sending } from './s3-connection.ts'
import type { S3Credentials } from './s3-credentials.ts'
import { type S3Call, statusOf } from './s3-error.ts'
import { listObjects } from './s3-list.ts'
import { parseS3Address, printLocation, type S3Location, s3Location } from './s3-location.ts'
import { tellingMissing } from './s3-missing.ts'
import { uploadParts } from './s3-upload.ts'

export interface S3StoreOptions {
  readonly bucket: string
  /** the root's key, without encoding; the whole bucket when absent */
  readonly prefix?: string
  /** what the SDK finds in environment and configuration when absent; after that `us-east-1` */
  readonly region?: string
  /** the address of a service other than AWS: `https://host:port` */
  readonly endpoint?: string
  /**
   * who signs; the SDK's default chain (environment, configuration, identity of the machine) when absent.
   * A function is asked again when what it gave expires. `'anonymous'` sends requests without a signature.
   */
  readonly credentials?: S3Credentials | (() => Promise<S3Credentials>) | 'anonymous'
  /** whether the bucket stands in the path instead of the host's name; true where an endpoint is given when absent */
  readonly forcePathStyle?: boolean
  /** how long a request may go on without a byte coming, milliseconds; 60,000 when absent */
  readonly timeoutMs?: number
  /** objects larger than this are put in parts of this size, bytes; 8 MiB when absent, 5 MiB at least */
  readonly partBytes?: number
}

const MIN_PART_BYTES = 5 * 1024 * 1024

/**
 * The objects below a key of a bucket.
 *
 * The SDK is loaded when the first request is sent. Each call sends its request once: `retrying` repeats what may be
 * repeated. `putIfAbsent` is one PUT with `If-None-Match: *`: a service must honour that, for one that does not lets
 * writers overwrite each other. `put` of a large object is a multipart upload, given up when it fails.
 *
 * Errors name the service's own code and sentence, never a credential. Beyond the port's: `LAKE_INVALID_LOCATION` when
 * bucket or endpoint cannot be one, or the service knows no such bucket.
 */
export function s3Store(options: S3StoreOptions): ObjectStore {
  const root = s3Location(options.bucket, options.prefix ?? '')
  const connection = new S3Connection({
    region: options.region,
    endpoint: options.endpoint === undefined ? undefined : checkEndpoint(options.endpoint),
    credentials: options.credentials,
    forcePathStyle: options.forcePathStyle,
    timeoutMs: options.timeoutMs ?? 60_000,
  })
  return storeAt(connection, root, Math.max(options.partBytes ?? 8 * 1024 * 1024, MIN_PART_BYTES))
}

function storeAt(connection: S3Connection, root: S3Location, partBytes: number): ObjectStore {
  const location = printLocation(root)
  const request = <T>(
    operation: string,
    key: string,
    options: StoreCallOptions | undefined,
    work: (target: { Bucket: string; Key: string }, sending: Sending) => Promise<T>,
  ): Promise<T> => {
    validateKey(key, location)
    const target = { Bucket: root.bucket, Key: root.keyPrefix + key }
    return connection.run({ operation, key, location }, options, (sending) => work(target, sending))
  }
  const reading = tellingMissing(connection, root)
  const head = (key: string, options?: StoreCallOptions) =>
    reading(key, options, () =>
      request('head', key, options, async (target, { sdk, client, abortSignal }): Promise<ObjectMeta> => {
        const answer = await client.send(new sdk.HeadObjectCommand(target), { abortSignal })
        return { key, size: answer.ContentLength ?? 0, modifiedMs: answer.LastModified?.getTime() ?? 0 }
      }),
    )

  return {
    location,
    capabilities: { write: true, list: true },
    get: async (key, options) =>
      reading(key, options, () =>
        request('get', key, options, async (target, { sdk, client, abortSignal, readBody }) => {
          const answer = await client.send(new sdk.GetObjectCommand(target), { abortSignal })
          return whole(await readBody(answer.Body), answer, { operation: 'get', key, location })
        }),
      ),
    getRange: async (key, range, options) => {
      if (range.end <= range.start) {
        await head(key, options) // no header can ask for no bytes, but a missing object is still an error
        return new Uint8Array(0)
      }
      return reading(key, options, () =>
        request('getRange', key, options, (target, sending) =>
          readRange(sending, target, range, { operation: 'getRange', key, location }),
        ),
      )
    },
    head: async (key, options) => head(key, options),
    list: (options) => listObjects(connection, root, options),
    put: async (key, bytes, options) => {
      validateKey(key, location)
      const target = { Bucket: root.bucket, Key: root.keyPrefix + key }
      const call = { operation: 'put', key, location }
      if (bytes.length > partBytes) return uploadParts({ connection, call, target, partBytes }, bytes, options)
      await connection.run(call, options, ({ sdk, client, abortSignal }) =>
        client.send(new sdk.PutObjectCommand({ ...target, Body: bytes }), { abortSignal }),
      )
    },
    putIfAbsent: async (key, bytes, options) =>
      request('putIfAbsent', key, options, async (target, { sdk, client, abortSignal }) => {
        try {
          await client.send(new sdk.PutObjectCommand({ ...target, Body: bytes, IfNoneMatch: '*' }), { abortSignal })
          return 'created'
        } catch (error) {
          if (statusOf(error) === 412) return 'exists'
          throw error
        }
      }),
    replaceIf: async (key, bytes, expected, options) =>
      request('replaceIf', key, options, async (target, { sdk, client, abortSignal, readBody }) => {
        try {
          const held = await client.send(new sdk.GetObjectCommand(target), { abortSignal })
          const isSame = compareBytes(await readBody(held.Body), expected) === 0
          if (!isSame || held.ETag === undefined) return 'changed'
          await client.send(new sdk.PutObjectCommand({ ...target, Body: bytes, IfMatch: held.ETag }), { abortSignal })
          return 'replaced'
        } catch (error) {
          // 409 is another conditional write on the way, 404 an object that is gone
          if ([404, 409, 412].includes(statusOf(error) ?? 0)) return 'changed'
          throw error
        }
      }),
    delete: async (key, options) => request('delete', key, options, remove),
    elsewhere: (path) => elsewhere(connection, path, partBytes),
  }
}

async function remove(target: { Bucket: string; Key: string }, { sdk, client, abortSignal }: Sending): Promise<void> {
  await client.send(new sdk.DeleteObjectCommand(target), { abortSignal }).catch((error: unknown) => {
    if (!isNamed(error, 'NoSuchKey', 'NotFound')) throw error
  })
}

function elsewhere(
  connection: S3Connection,
  path: string,
  partBytes: number,
): ReturnType<NonNullable<ObjectStore['elsewhere']>> {
  const address = parseS3Address(path)
  if (address === undefined || address.key === '') return undefined
  return { store: storeAt(connection, s3Location(address.bucket, ''), partBytes), key: address.key }
}

async function readRange(
  { sdk, client, abortSignal, readBody }: Sending,
  target: { Bucket: string; Key: string },
  range: { readonly start: number; readonly end: number; readonly etag?: string },
  call: S3Call,
): Promise<Uint8Array> {
  let answer: GetObjectCommandOutput
  try {
    const Range = `bytes=${range.start}-${range.end - 1}`
    const IfMatch = range.etag
    answer = await client.send(new sdk.GetObjectCommand({ ...target, Range, IfMatch }), { abortSignal })
  } catch (error) {
    if (statusOf(error) === 412) throw deltaError('LAKE_OBJECT_NOT_FOUND', { ...call }, { cause: error })
    if (statusOf(error) === 416) return new Uint8Array(0)
    throw error
  }
  const bytes = whole(await readBody(answer.Body), answer, call)
  if (answer.ContentRange === undefined) return bytes.slice(range.start, range.end)
  const [, first, last] = /^bytes (\d+)-(\d+)\//.exec(answer.ContentRange) ?? []
  // bytes of another place must never pass for these
  const isAsked = Number(first) === range.start && Number(last) < range.end
  if (!isAsked || bytes.length !== Number(last) - range.start + 1) {
    throw incomplete(call, `the server answered ${answer.ContentRange} with ${bytes.length} bytes`)
  }
  return bytes
}

function whole(bytes: Uint8Array, { ContentLength }: GetObjectCommandOutput, call: S3Call): Uint8Array {
  if (ContentLength === undefined || ContentLength === bytes.length) return bytes
  throw incomplete(call, `the server sent ${bytes.length} bytes of ${ContentLength}`)
}

function incomplete(call: S3Call, cause: string) {
  return deltaError('LAKE_STORAGE_UNAVAILABLE', { ...call, cause })
}

function checkEndpoint(endpoint: string): string {
  const parsed = URL.parse(endpoint)
  const isHttp = parsed !== null && ['http:', 'https:'].includes(parsed.protocol)
  if (isHttp && parsed.username === '' && parsed.password === '') return endpoint
  const location = parsed === null ? 'the endpoint' : `the endpoint ${parsed.protocol}//${parsed.host}`
  const reason = isHttp ? 'it holds a user or a password' : 'it is not an http(s) address'
  throw deltaError('LAKE_INVALID_LOCATION', { location, reason })
}
