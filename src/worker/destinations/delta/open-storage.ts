/** Where a delta destination's table lies, and who signs for it: from its configuration and the host's credentials. */
import { openLocation, openUnityTable, UnityCatalog } from '../../../catalog/index.ts'
import { type DeltaError, deltaError } from '../../../errors/index.ts'
import { azureStore, parseAzureAddress } from '../../../storage/azure/index.ts'
import type { ObjectStore } from '../../../storage/index.ts'
import { retrying } from '../../../storage/index.ts'
import {
  assumedRole,
  credentialsFromVariables,
  parseS3Address,
  type RenewableCredentials,
  type S3Credentials,
  type S3StoreOptions,
  s3Store,
} from '../../../storage/s3/index.ts'
import { encodeUtf8, SECOND_MS } from '../../../support/index.ts'
import type { DeltaDestinationConfig } from '../../config/config.ts'
import { isObject, type ValuesOf } from '../../config/setting.ts'
import type { unityCatalogSettings } from '../../config/settings.ts'
import { type CredentialLookup, credentialLookup, type Environment } from '../../secrets.ts'

export interface DestinationStorage {
  readonly store: ObjectStore
  /** whether a missing table is refused instead of created */
  readonly mustExist: boolean
  /** bytes of the keys of the table's files in front of their paths: what lies between a bucket's root and the table's */
  readonly rootBytes: number
  /** when what signs expires, milliseconds since 1970; undefined where it does not, or is not known yet */
  expiresAtMs(): number | undefined
}

export interface OpenStorageOptions {
  readonly env: Environment
  readonly onRetry: (error: DeltaError) => void
  readonly onWarning: (text: string) => void
}

/**
 * Credentials are looked for first; through Unity Catalog, the table is looked up and its credentials are had.
 *
 * @throws DeltaError `WORKER_CREDENTIAL_MISSING`, `WORKER_UNITY_…`, `LAKE_INVALID_LOCATION`
 */
export async function openStorage(
  config: DeltaDestinationConfig,
  options: OpenStorageOptions,
): Promise<DestinationStorage> {
  const lookup = credentialLookup(options.env)
  requireCredentials(config, lookup)
  const opened = isObject(config.unityCatalog)
    ? await openUnity(config, lookup, options)
    : openAddress(config, lookup, options)
  const { onRetry } = options
  return { ...opened, store: retrying(opened.store, { onRetry }) }
}

function requireCredentials(config: DeltaDestinationConfig, lookup: CredentialLookup): void {
  const unity = isObject(config.unityCatalog) ? config.unityCatalog.clientSecret : undefined
  const named: readonly (readonly [what: string, name: unknown])[] = [
    ['access key', config.accessKeyId],
    ['access key', config.secretAccessKey],
    ['session token', config.sessionToken],
    ['client secret', unity],
  ]
  for (const [what, name] of named) {
    if (typeof name === 'string' && !lookup(name)) throw deltaError('WORKER_CREDENTIAL_MISSING', { what, name })
  }
}

function bucketOptions(config: DeltaDestinationConfig, env: Environment) {
  const endpoint = config.endpoint ?? (env.AWS_ENDPOINT_URL_S3 || env.AWS_ENDPOINT_URL || undefined)
  const region = config.region ?? (config.endpoint !== undefined ? 'us-east-1' : hostRegion(env))
  const { forcePathStyle, multipartPartBytes: partBytes, requestTimeoutSecs } = config
  return {
    ...(region !== undefined && { region }),
    ...(endpoint !== undefined && { endpoint }),
    ...(forcePathStyle !== undefined && { forcePathStyle }),
    partBytes,
    timeoutMs: requestTimeoutSecs * SECOND_MS,
  } satisfies Partial<S3StoreOptions>
}

function hostRegion(env: Environment): string | undefined {
  return env.AWS_REGION || env.AWS_DEFAULT_REGION || undefined
}

function openAddress(
  config: DeltaDestinationConfig,
  lookup: CredentialLookup,
  { env, onWarning }: OpenStorageOptions,
): DestinationStorage {
  const location = config.location ?? ''
  if (/^az:/i.test(location)) return openAzure(config, lookup, env)
  const address = /^s3:/i.test(location) ? parseS3Address(location) : undefined
  if (address === undefined) {
    return { store: openLocation(location, env), mustExist: false, rootBytes: 0, expiresAtMs: () => undefined }
  }
  const role = roleOf(config, lookup, { env, onWarning })
  const credentials = role ?? keysOf(config, lookup)
  const root = { bucket: address.bucket, prefix: address.key }
  const store = s3Store({ ...bucketOptions(config, env), ...root, ...(credentials !== undefined && { credentials }) })
  return { store, mustExist: false, rootBytes: bytesOf(address.key), expiresAtMs: () => role?.expiresAtMs() }
}

/** The named access key is the account and its key; else the host's variables are taken. */
function openAzure(config: DeltaDestinationConfig, lookup: CredentialLookup, env: Environment): DestinationStorage {
  const { location = '', endpoint, accessKeyId, secretAccessKey, requestTimeoutSecs } = config
  const address = parseAzureAddress(location)
  if (address === undefined) throw deltaError('WORKER_CONFIG_LOCATION', { location })
  const named = (name: string): string => {
    const value = lookup(name)
    if (!value) throw deltaError('WORKER_CREDENTIAL_MISSING', { what: 'access key', name })
    return value
  }
  const account = named(accessKeyId ?? 'AZURE_STORAGE_ACCOUNT')
  const keyName = secretAccessKey ?? 'AZURE_STORAGE_KEY'
  named(keyName)
  const service = endpoint ?? env.AZURE_STORAGE_ENDPOINT
  const store = azureStore({
    container: address.container,
    prefix: address.key,
    timeoutMs: requestTimeoutSecs * SECOND_MS,
    credentials: () => ({ account, key: named(keyName) }),
    ...(service && { endpoint: service }),
  })
  return { store, mustExist: false, rootBytes: bytesOf(address.key), expiresAtMs: () => undefined }
}

function bytesOf(key: string): number {
  const trimmed = key.replace(/^\/+|\/+$/g, '')
  return trimmed === '' ? 0 : encodeUtf8(`${trimmed}/`).length
}

function keysOf(config: DeltaDestinationConfig, lookup: CredentialLookup): (() => Promise<S3Credentials>) | undefined {
  const { accessKeyId, secretAccessKey, sessionToken } = config
  if (accessKeyId === undefined || secretAccessKey === undefined) return undefined
  const names = { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) }
  return credentialsFromVariables(names, lookup)
}

function roleOf(
  config: DeltaDestinationConfig,
  lookup: CredentialLookup,
  { env, onWarning }: Pick<OpenStorageOptions, 'env' | 'onWarning'>,
): RenewableCredentials | undefined {
  const { roleArn, externalId, authEndpoint, requestTimeoutSecs } = config
  if (roleArn === undefined) return undefined
  const credentials = keysOf(config, lookup)
  const region = config.region ?? hostRegion(env) ?? 'us-east-1'
  return assumedRole({
    roleArn,
    region,
    timeoutMs: requestTimeoutSecs * SECOND_MS,
    onFailure: (error) => onWarning(renewalFailed(error)),
    ...(externalId !== undefined && { externalId }),
    ...(authEndpoint !== undefined && { endpoint: authEndpoint }),
    ...(credentials !== undefined && { credentials }),
  })
}

function renewalFailed(error: unknown): string {
  return `the credentials could not be renewed, and are used while they hold: ${error instanceof Error ? error.message : error}`
}

async function openUnity(
  config: DeltaDestinationConfig,
  lookup: CredentialLookup,
  { env, onWarning }: OpenStorageOptions,
): Promise<DestinationStorage> {
  const { workspace, table, clientId, clientSecret } = config.unityCatalog as ValuesOf<typeof unityCatalogSettings>
  const catalog = new UnityCatalog({
    workspace,
    clientId,
    clientSecret: () => {
      const secret = lookup(clientSecret)
      if (!secret) throw deltaError('WORKER_CREDENTIAL_MISSING', { what: 'client secret', name: clientSecret })
      return secret
    },
    timeoutMs: config.requestTimeoutSecs * SECOND_MS,
    onFailure: (error) => onWarning(renewalFailed(error)),
  })
  const opened = await openUnityTable(catalog, table, bucketOptions(config, env))
  const rootBytes = bytesOf(parseS3Address(opened.table.location)?.key ?? '')
  return { store: opened.store, mustExist: true, rootBytes, expiresAtMs: () => opened.credentials.expiresAtMs() }
}
