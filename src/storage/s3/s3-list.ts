/** Listing by ListObjectsV2, page after page. */
import type { ListObjectsV2CommandOutput } from '@aws-sdk/client-s3'
import { deltaError } from '../../errors/index.ts'
import { compareText } from '../../support/index.ts'
import { isKey, type ListOptions, type ObjectMeta, type StoreCallOptions } from '../index.ts'
import type { S3Connection } from './s3-connection.ts'
import { printLocation, type S3Location } from './s3-location.ts'

/** @throws DeltaError `LAKE_STORAGE_UNSUPPORTED` where a service gives keys out of order: commits would be missed */
export async function* listObjects(
  connection: S3Connection,
  root: S3Location,
  options: ListOptions & StoreCallOptions,
): AsyncGenerator<readonly ObjectMeta[]> {
  const { bucket, keyPrefix } = root
  const { prefix, startAfter, shallow, signal } = options
  const call = { operation: 'list', key: prefix, location: printLocation(root) }
  let last = startAfter
  for (let token: string | undefined; ; ) {
    const answer = await connection.run(call, signal && { signal }, ({ sdk, client, abortSignal }) =>
      client.send(
        new sdk.ListObjectsV2Command({
          Bucket: bucket,
          Prefix: keyPrefix + prefix,
          // keys may hold characters that XML cannot
          EncodingType: 'url',
          ...(shallow === true && { Delimiter: '/' }),
          ...(token !== undefined && { ContinuationToken: token }),
          ...(startAfter !== undefined && startAfter !== '' && { StartAfter: keyPrefix + startAfter }),
        }),
        { abortSignal },
      ),
    )
    const page = objectsOf(answer, keyPrefix)
    for (const { key } of page) {
      if (last !== undefined && compareText(last, key) >= 0) throw outOfOrder()
      last = key
    }
    if (page.length > 0) yield page
    token = answer.IsTruncated === true ? answer.NextContinuationToken : undefined
    if (token === undefined) return
  }
}

/** Objects with keys this package could not have given out, as the markers of empty folders, are no objects of a table. */
function objectsOf(answer: ListObjectsV2CommandOutput, keyPrefix: string): readonly ObjectMeta[] {
  const page: ObjectMeta[] = []
  for (const { Key = '', Size = 0, LastModified, ETag } of answer.Contents ?? []) {
    const key = decodeKey(Key, answer.EncodingType).slice(keyPrefix.length)
    if (!isKey(key)) continue
    const modifiedMs = LastModified?.getTime() ?? 0
    page.push({ key, size: Size, modifiedMs, ...(ETag !== undefined && { etag: ETag }) })
  }
  return page
}

function decodeKey(key: string, encoding: string | undefined): string {
  return encoding === 'url' ? decodeURIComponent(key.replaceAll('+', ' ')) : key
}

function outOfOrder() {
  return deltaError('LAKE_STORAGE_UNSUPPORTED', { store: 's3', operation: 'listing in the order of keys here' })
}
