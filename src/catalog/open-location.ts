/** The store of a location as people write it. */
import { fileURLToPath } from 'node:url'
import { causeText, deltaError } from '../errors/index.ts'
import { azureStore, parseAzureAddress } from '../storage/azure/index.ts'
import { localStore } from '../storage/fs/index.ts'
import { httpStore, type ObjectStore, retrying } from '../storage/index.ts'
import { parseS3Address, s3Store } from '../storage/s3/index.ts'

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Opens a folder path, a `file:`, an http(s) or an s3 address; nothing is read or written yet.
 *
 * Two letters or more before a `:` make a scheme, so that `C:\lake` is a path. Stores behind a network try again what
 * failed in passing.
 *
 * `s3://bucket/key` (and `s3a:`, `s3n:`) is taken as written, without decoding. Credentials, region and endpoint come
 * from where the AWS SDK looks for them: `AWS_ACCESS_KEY_ID`, `AWS_PROFILE`, `AWS_REGION`, `AWS_ENDPOINT_URL_S3` and the
 * like; `AWS_SKIP_SIGNATURE=true` reads public buckets without credentials.
 *
 * @throws DeltaError `LAKE_INVALID_LOCATION`, naming the scheme where it is one this package does not open
 */
export function openLocation(location: string, env: Environment = process.env): ObjectStore {
  if (location.trim() === '') throw invalid(location, 'it is empty')
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]+):/.exec(location)?.[1]?.toLowerCase()
  if (scheme === undefined) return localStore(location)
  if (scheme === 'http' || scheme === 'https') return retrying(httpStore(location))
  if (scheme === 'file') return localStore(pathOfFileUrl(location))
  if (scheme === 's3' || scheme === 's3a' || scheme === 's3n') return retrying(openS3(location, env))
  if (scheme === 'az') return retrying(openAzure(location, env))
  throw invalid(location, `this version opens no ${scheme}: locations`)
}

function openAzure(location: string, env: Environment): ObjectStore {
  const address = parseAzureAddress(location)
  if (address === undefined) throw invalid(location, 'an az address is az://container/key')
  const endpoint = env.AZURE_STORAGE_ENDPOINT
  const credentials = () => {
    const [account, key] = [env.AZURE_STORAGE_ACCOUNT, env.AZURE_STORAGE_KEY]
    if (account && key) return { account, key }
    const cause = 'the environment variables AZURE_STORAGE_ACCOUNT and AZURE_STORAGE_KEY are not set'
    throw deltaError('LAKE_STORAGE_ACCESS_DENIED', { operation: 'signing', key: 'the request', cause })
  }
  const root = { container: address.container, prefix: address.key }
  return azureStore({ ...root, credentials, ...(endpoint && { endpoint }) })
}

function openS3(location: string, env: Environment): ObjectStore {
  const address = parseS3Address(location)
  if (address === undefined) throw invalid(location, 'an s3 address is s3://bucket/key')
  const region = env.AWS_REGION || env.AWS_DEFAULT_REGION
  const endpoint = env.AWS_ENDPOINT_URL_S3 || env.AWS_ENDPOINT_URL
  return s3Store({
    bucket: address.bucket,
    prefix: address.key,
    ...(region && { region }),
    ...(endpoint && { endpoint }),
    ...(env.AWS_SKIP_SIGNATURE === 'true' && { credentials: 'anonymous' }),
  })
}

function pathOfFileUrl(location: string): string {
  try {
    return fileURLToPath(location)
  } catch (cause) {
    throw deltaError(
      'LAKE_INVALID_LOCATION',
      { location: JSON.stringify(location), reason: causeText(cause) },
      { cause },
    )
  }
}

function invalid(location: string, reason: string) {
  return deltaError('LAKE_INVALID_LOCATION', { location: JSON.stringify(location), reason })
}
