/** Who signs the requests to a store. */
import { deltaError } from '../../errors/index.ts'
import type { Renewable } from '../../support/index.ts'

export interface S3Credentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
  /** from when on they must be asked for again */
  readonly expiration?: Date
}

/** Credentials that are had anew when they expire: a call that meets expired ones may then be made again. */
export type RenewableCredentials = Renewable<S3Credentials>

export function isRenewable(credentials: unknown): credentials is RenewableCredentials {
  return typeof credentials === 'function' && 'refused' in credentials
}

/** Names of environment variables. */
export interface CredentialVariables {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
}

/**
 * Credentials out of environment variables of other names than the usual ones, read again whenever they are asked for.
 *
 * @param env variables by name, or what looks a credential up by its name
 *
 * The returned function throws DeltaError `LAKE_STORAGE_ACCESS_DENIED` that names the variable which is not set.
 */
export function credentialsFromVariables(
  names: CredentialVariables,
  env: Readonly<Record<string, string | undefined>> | ((name: string) => string | undefined) = process.env,
): () => Promise<S3Credentials> {
  const read = (name: string): string => {
    const value = typeof env === 'function' ? env(name) : env[name]
    if (value !== undefined && value !== '') return value
    const cause = `the environment variable ${name} is not set`
    throw deltaError('LAKE_STORAGE_ACCESS_DENIED', { operation: 'signing', key: 'the request', cause })
  }
  return async () => ({
    accessKeyId: read(names.accessKeyId),
    secretAccessKey: read(names.secretAccessKey),
    ...(names.sessionToken !== undefined && { sessionToken: read(names.sessionToken) }),
  })
}
