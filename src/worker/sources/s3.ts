/**
 * The objects under a prefix of a bucket, in the order of their keys.
 *
 * An object is a partition of its own, by its key and its tag: written anew, it is another one. Behind its last record
 * its position is `WHOLE`, so that what was read is known without being fetched again.
 */
import { causeText, deltaError, isDeltaError } from '../../errors/index.ts'
import { type ObjectMeta, type ObjectStore, retrying } from '../../storage/index.ts'
import { credentialsFromVariables, parseS3Address, s3Store } from '../../storage/s3/index.ts'
import { delay, SECOND_MS } from '../../support/index.ts'
import type { SourceOfType } from '../config/config.ts'
import { type CredentialLookup, sourceCredential } from '../secrets.ts'
import { plainBytes } from './compression.ts'
import { matcherOf } from './file.ts'
import type { OpenOptions, Source, SourceBatch } from './source.ts'
import { streamRecords } from './stream-records.ts'

type S3Config = SourceOfType<'s3'>

/** The position behind an object that was read to its end. */
export const WHOLE = 2n ** 62n
const RANGE_BYTES = 8 * 1024 * 1024

export function s3Source(config: S3Config, lookup: CredentialLookup): Source {
  return {
    id: config.id,
    isReplayable: true,
    async *open(options: OpenOptions) {
      const objects = new S3Objects(config, openStore(config, lookup), options)
      const follow = config.follow && !options.once
      do {
        yield* objects.readNew(follow)
        if (follow) await delay(config.pollMs, options.signal)
      } while (follow && !options.signal.aborted)
    },
  }
}

/** @throws DeltaError `WORKER_SOURCE_CREDENTIAL_MISSING` */
function openStore(config: S3Config, lookup: CredentialLookup): ObjectStore {
  const { id, location, endpoint, region, accessKeyId, secretAccessKey, sessionToken, forcePathStyle } = config
  const named = { 'access key': accessKeyId, 'secret key': secretAccessKey, 'session token': sessionToken }
  for (const [what, name] of Object.entries(named)) {
    if (name !== undefined) sourceCredential(lookup, id, what, name)
  }
  const { bucket = '', key = '' } = parseS3Address(location) ?? {}
  const signing =
    accessKeyId === undefined || secretAccessKey === undefined
      ? undefined
      : { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) }
  const store = s3Store({
    bucket,
    prefix: key,
    timeoutMs: config.requestTimeoutSecs * SECOND_MS,
    ...(region !== undefined ? { region } : endpoint !== undefined && { region: 'us-east-1' }),
    ...(endpoint !== undefined && { endpoint }),
    ...(forcePathStyle !== undefined && { forcePathStyle }),
    ...(signing !== undefined && { credentials: credentialsFromVariables(signing, lookup) }),
  })
  return retrying(store)
}

class S3Objects {
  private readonly config: S3Config
  private readonly store: ObjectStore
  private readonly options: OpenOptions
  private readonly isWanted: (key: string) => boolean
  private readonly reached = new Map<string, bigint>()

  constructor(config: S3Config, store: ObjectStore, options: OpenOptions) {
    this.config = config
    this.store = store
    this.options = options
    this.isWanted = matcherOf(config.pattern)
  }

  /**
   * @param goesOn whether what the store does not give now is tried again at the next listing
   * @throws DeltaError `WORKER_SOURCE_FAILED`, `WORKER_SOURCE_CUT`, `WORKER_SOURCE_COMPRESSED`
   */
  async *readNew(goesOn: boolean): AsyncGenerator<SourceBatch> {
    const { signal, onWarning } = this.options
    try {
      for await (const page of this.store.list({ prefix: '', signal })) {
        for (const object of page) {
          if (this.isWanted(object.key)) yield* this.readObject(object)
          if (signal.aborted) return
        }
      }
    } catch (cause) {
      if (signal.aborted && isDeltaError(cause, 'LAKE_CANCELLED')) return
      if (isDeltaError(cause) && cause.code.startsWith('WORKER_')) throw cause
      if (goesOn && isDeltaError(cause, 'LAKE_STORAGE_UNAVAILABLE')) onWarning?.(cause.message)
      else throw deltaError('WORKER_SOURCE_FAILED', { source: this.config.id, cause: causeText(cause) }, { cause })
    }
  }

  private async *readObject(object: ObjectMeta): AsyncGenerator<SourceBatch> {
    const partition = `${object.key}@${(object.etag ?? '').replaceAll('"', '')}`
    const start = this.reached.get(partition) ?? this.options.positionOf(partition)
    if (start === WHOLE) return
    try {
      yield* this.readRecords(object, partition, start)
    } catch (error) {
      if (!isDeltaError(error, 'LAKE_OBJECT_NOT_FOUND')) throw error
      this.options.onWarning?.(`${this.store.location}/${object.key} was deleted or written anew while it was read`)
    }
  }

  /** Each batch is held back until it is known whether another one follows. */
  private async *readRecords(object: ObjectMeta, partition: string, start: bigint): AsyncGenerator<SourceBatch> {
    const { signal } = this.options
    const path = `${this.store.location}/${object.key}`
    const stream = { ...this.config, source: this.config.id, path, partition }
    const chunks = plainBytes(this.bytesOf(object), stream)
    let held: SourceBatch | undefined
    for await (const batch of streamRecords(chunks, stream, { start, isWhole: () => !signal.aborted, signal })) {
      if (held !== undefined) yield this.reach(held)
      held = batch
    }
    if (signal.aborted) return
    this.reached.set(partition, WHOLE)
    if (held !== undefined) yield { ...held, end: WHOLE }
  }

  private reach(batch: SourceBatch): SourceBatch {
    this.reached.set(batch.partition, batch.end)
    return batch
  }

  private async *bytesOf({ key, size, etag }: ObjectMeta): AsyncGenerator<Uint8Array> {
    const { signal } = this.options
    for (let start = 0; start < size && !signal.aborted; start += RANGE_BYTES) {
      const end = Math.min(start + RANGE_BYTES, size)
      yield await this.store.getRange(key, { start, end, ...(etag !== undefined && { etag }) }, { signal })
    }
  }
}
