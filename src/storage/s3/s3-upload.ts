/** Objects larger than a part, by multipart upload: visible whole when it completes, not at all when it does not. */
import type { CompletedPart } from '@aws-sdk/client-s3'
import { isDeltaError } from '../../errors/index.ts'
import { delay, mapParallel } from '../../support/index.ts'
import type { StoreCallOptions } from '../index.ts'
import type { S3Connection } from './s3-connection.ts'
import type { S3Call } from './s3-error.ts'

/** The service takes no more parts, and none but the last below 5 MiB. */
const MAX_PARTS = 10_000
const PARALLEL_PARTS = 4
const PART_ATTEMPTS = 4
const FIRST_DELAY_MS = 100

export interface Upload {
  readonly connection: S3Connection
  readonly call: S3Call
  readonly target: { readonly Bucket: string; readonly Key: string }
  readonly partBytes: number
}

/** A part that fails is sent again; when the upload cannot be completed, the parts that are there are given up. */
export async function uploadParts(upload: Upload, bytes: Uint8Array, options: StoreCallOptions = {}): Promise<void> {
  const { connection, call, target } = upload
  const { UploadId } = await connection.run(call, options, ({ sdk, client, abortSignal }) =>
    client.send(new sdk.CreateMultipartUploadCommand(target), { abortSignal }),
  )
  try {
    const Parts = await sendParts(upload, { UploadId, bytes, options })
    await connection.run(call, options, ({ sdk, client, abortSignal }) =>
      client.send(new sdk.CompleteMultipartUploadCommand({ ...target, UploadId, MultipartUpload: { Parts } }), {
        abortSignal,
      }),
    )
  } catch (error) {
    await abandon(upload, UploadId)
    throw error
  }
}

interface PartsToSend {
  readonly UploadId: string | undefined
  readonly bytes: Uint8Array
  readonly options: StoreCallOptions
}

function sendParts(upload: Upload, { UploadId, bytes, options }: PartsToSend): Promise<CompletedPart[]> {
  const { connection, call, target } = upload
  const size = Math.max(upload.partBytes, Math.ceil(bytes.length / MAX_PARTS))
  const starts = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => i * size)
  return mapParallel(starts, PARALLEL_PARTS, async (start): Promise<CompletedPart> => {
    const PartNumber = start / size + 1
    const part = { ...target, UploadId, PartNumber, Body: bytes.subarray(start, start + size) }
    const { ETag } = await tryAgain(options, () =>
      connection.run(call, options, ({ sdk, client, abortSignal }) =>
        client.send(new sdk.UploadPartCommand(part), { abortSignal }),
      ),
    )
    return { PartNumber, ETag }
  })
}

async function tryAgain<T>(options: StoreCallOptions, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (attempt >= PART_ATTEMPTS || !isDeltaError(error) || !error.retryable) throw error
      await delay(FIRST_DELAY_MS * 2 ** (attempt - 1), options.signal)
    }
  }
}

/** Whether or not the caller gave up: parts left behind are paid for. A failure here is not what the caller asked about. */
async function abandon({ connection, call, target }: Upload, UploadId: string | undefined): Promise<void> {
  await connection
    .run(call, undefined, ({ sdk, client, abortSignal }) =>
      client.send(new sdk.AbortMultipartUploadCommand({ ...target, UploadId }), { abortSignal }),
    )
    .catch(() => undefined)
}
