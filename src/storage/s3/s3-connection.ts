/** The SDK's client, made when the first request is sent, and one request through it. */
import type { Readable } from 'node:stream'
import type { S3Client, S3ClientConfig } from '@aws-sdk/client-s3'
import { deltaError } from '../../errors/index.ts'
import { Slots } from '../../support/index.ts'
import type { StoreCallOptions } from '../index.ts'
import { isRenewable, type S3Credentials } from './s3-credentials.ts'
import { isExpiry, nameOf, type S3Call, s3Error } from './s3-error.ts'

type Sdk = typeof import('@aws-sdk/client-s3')

export interface S3ConnectionOptions {
  readonly region: string | undefined
  readonly endpoint: string | undefined
  readonly credentials: S3Credentials | (() => Promise<S3Credentials>) | 'anonymous' | undefined
  readonly forcePathStyle: boolean | undefined
  readonly timeoutMs: number
}

/** What a piece of work sends requests with. */
export interface Sending {
  readonly sdk: Sdk
  readonly client: S3Client
  /** goes with every request: the caller's signal and the time limit */
  readonly abortSignal: AbortSignal
  /** Reads a body; time runs anew with each piece that comes. */
  readBody(body: unknown): Promise<Uint8Array>
}

const DEFAULT_REGION = 'us-east-1'
/** At once; no more wait for a socket while their time limit runs. */
const MAX_REQUESTS = 64

export class S3Connection {
  private readonly options: S3ConnectionOptions
  private readonly slots = new Slots(MAX_REQUESTS)
  private opened: Promise<{ readonly sdk: Sdk; readonly client: S3Client }> | undefined

  constructor(options: S3ConnectionOptions) {
    this.options = options
  }

  /**
   * Runs requests within the time limit; whatever fails comes out as the store's error.
   *
   * @throws DeltaError see `ObjectStore`
   */
  async run<T>(
    call: S3Call,
    options: StoreCallOptions | undefined,
    work: (sending: Sending) => Promise<T>,
  ): Promise<T> {
    const { timeoutMs, credentials } = this.options
    const opened = await this.open()
    const release = await this.slots.take()
    let sentAtMs = Date.now()
    const limit = new AbortController()
    const timer = setTimeout(() => limit.abort(), timeoutMs)
    const signals = options?.signal === undefined ? [limit.signal] : [options.signal, limit.signal]
    const abortSignal = AbortSignal.any(signals)
    const readBody = (body: unknown) => readStream(body as Readable, abortSignal, () => timer.refresh())
    try {
      abortSignal.throwIfAborted()
      if (isRenewable(credentials)) {
        await credentials()
        sentAtMs = Date.now()
      }
      return await work({ ...opened, abortSignal, readBody })
    } catch (error) {
      if (options?.signal?.aborted) throw deltaError('LAKE_CANCELLED', { what: `${call.operation} of ${call.key}` })
      throw this.errorOf(error, { call, sentAtMs, isLate: limit.signal.aborted })
    } finally {
      clearTimeout(timer)
      release()
    }
  }

  /** Expired credentials that can be had anew are no refusal: the call may be made again. */
  private errorOf(error: unknown, { call, sentAtMs, isLate }: { call: S3Call; sentAtMs: number; isLate: boolean }) {
    const { credentials, timeoutMs } = this.options
    if (isExpiry(error) && isRenewable(credentials)) {
      credentials.refused(sentAtMs)
      return deltaError('LAKE_STORAGE_UNAVAILABLE', { ...call, cause: `${nameOf(error)}: the credentials are renewed` })
    }
    return s3Error(error, call, isLate ? `nothing came for ${timeoutMs} ms` : undefined)
  }

  private open(): Promise<{ readonly sdk: Sdk; readonly client: S3Client }> {
    this.opened ??= this.make()
    return this.opened
  }

  /** Where nobody names a region, the service itself tells in which one a bucket lies. */
  private async make(): Promise<{ readonly sdk: Sdk; readonly client: S3Client }> {
    const sdk = await import('@aws-sdk/client-s3')
    const { region, endpoint } = this.options
    const config = this.config()
    if (region !== undefined) return { sdk, client: new sdk.S3Client({ ...config, region }) }
    const client = new sdk.S3Client(config)
    const isNamed = await client.config.region().then(
      () => true,
      () => false,
    )
    if (isNamed) return { sdk, client }
    const followRegionRedirects = endpoint === undefined
    return { sdk, client: new sdk.S3Client({ ...config, region: DEFAULT_REGION, followRegionRedirects }) }
  }

  private config(): S3ClientConfig {
    const { endpoint, credentials, forcePathStyle, timeoutMs } = this.options
    return {
      // a conditional write tried again by itself would find its own object and say that another one wrote it
      maxAttempts: 1,
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      forcePathStyle: forcePathStyle ?? endpoint !== undefined,
      requestHandler: { connectionTimeout: Math.min(timeoutMs, 10_000), httpsAgent: AGENT, httpAgent: AGENT },
      ...(endpoint !== undefined && { endpoint }),
      ...(credentials === 'anonymous'
        ? { credentials: NOBODY, signer: { sign: async (request) => request } }
        : credentials !== undefined && { credentials: askedEachTime(credentials) }),
    }
  }
}

/** The SDK keeps what it is given for a time of its own; what can be renewed is asked for with every request. */
function askedEachTime(credentials: S3Credentials | (() => Promise<S3Credentials>)) {
  if (!isRenewable(credentials)) return credentials
  return async () => ({ ...(await credentials()), expiration: new Date(0) })
}

const AGENT = { keepAlive: true, maxSockets: MAX_REQUESTS }
const NOBODY = { accessKeyId: 'anonymous', secretAccessKey: 'anonymous' }

async function readStream(body: Readable, signal: AbortSignal, onProgress: () => void): Promise<Uint8Array> {
  const stop = () => body.destroy(new Error('the read was stopped'))
  signal.addEventListener('abort', stop, { once: true })
  try {
    const parts: Uint8Array[] = []
    let length = 0
    for await (const part of body as AsyncIterable<Uint8Array>) {
      onProgress()
      parts.push(part)
      length += part.length
    }
    signal.throwIfAborted()
    return joined(parts, length)
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

/** Bytes of the caller's own: pieces of a socket may share their memory with others. */
function joined(parts: readonly Uint8Array[], length: number): Uint8Array {
  const bytes = new Uint8Array(length)
  let filled = 0
  for (const part of parts) {
    bytes.set(part, filled)
    filled += part.length
  }
  return bytes
}

/** Whether a failure is one of the given names: codes of the service. */
export function isNamed(error: unknown, ...names: readonly string[]): boolean {
  return names.includes(nameOf(error))
}
