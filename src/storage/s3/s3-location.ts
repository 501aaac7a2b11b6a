/** An `s3://bucket/key` address in its parts. */
import { deltaError } from '../../errors/index.ts'

export interface S3Location {
  readonly bucket: string
  /** of all keys: ends in a slash, or is empty */
  readonly keyPrefix: string
}

const ADDRESS = /^s3[an]?:\/\/([^/]+)(?:\/(.*))?$/is
/** What the service allows, and what would leave the host's name or the path's first segment does not pass. */
const BUCKET = /^[A-Za-z0-9][A-Za-z0-9._-]{1,254}$/

/**
 * The parts as written: nothing is decoded.
 *
 * @returns undefined where it is no such address
 */
export function parseS3Address(address: string): { readonly bucket: string; readonly key: string } | undefined {
  const [, bucket, key = ''] = ADDRESS.exec(address) ?? []
  return bucket !== undefined && BUCKET.test(bucket) ? { bucket, key } : undefined
}

/** @throws DeltaError `LAKE_INVALID_LOCATION` */
export function s3Location(bucket: string, prefix: string): S3Location {
  if (!BUCKET.test(bucket)) {
    const reason = 'a bucket is called by letters, digits, dots and dashes'
    throw deltaError('LAKE_INVALID_LOCATION', { location: JSON.stringify(`s3://${bucket}/${prefix}`), reason })
  }
  const trimmed = prefix.replace(/^\/+|\/+$/g, '')
  return { bucket, keyPrefix: trimmed === '' ? '' : `${trimmed}/` }
}

/** The root as a person would write it. */
export function printLocation({ bucket, keyPrefix }: S3Location): string {
  return `s3://${bucket}/${keyPrefix}`.replace(/\/$/, '')
}
