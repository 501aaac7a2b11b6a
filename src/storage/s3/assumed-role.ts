/** Credentials of a role, from the Security Token Service. */
import { deltaError } from '../../errors/index.ts'
import { type RenewingOptions, renewing } from '../../support/index.ts'
import type { RenewableCredentials, S3Credentials } from './s3-credentials.ts'
import { nameOf, statusOf } from './s3-error.ts'

export interface AssumedRoleOptions extends RenewingOptions {
  readonly roleArn: string
  readonly externalId?: string
  /** address of the service; the one of the region when absent */
  readonly endpoint?: string
  readonly region?: string
  /** what the role is assumed with; the SDK's default chain when absent */
  readonly credentials?: () => Promise<S3Credentials>
  /** milliseconds */
  readonly timeoutMs?: number
}

/**
 * The role is assumed at the first request, and again ahead of the end of each session.
 *
 * Rejects with `LAKE_STORAGE_ACCESS_DENIED` where the service refuses, `LAKE_STORAGE_UNAVAILABLE` where it cannot be
 * asked; neither names a credential.
 */
export function assumedRole(options: AssumedRoleOptions): RenewableCredentials {
  const { roleArn, externalId, endpoint, region, credentials, timeoutMs = 60_000 } = options
  const load = async (): Promise<S3Credentials> => {
    const { fromTemporaryCredentials } = await import('@aws-sdk/credential-providers')
    const provider = fromTemporaryCredentials({
      ...(credentials !== undefined && { masterCredentials: credentials }),
      params: {
        RoleArn: roleArn,
        RoleSessionName: 'bayou',
        ...(externalId !== undefined && { ExternalId: externalId }),
      },
      clientConfig: {
        ...(region !== undefined && { region }),
        ...(endpoint !== undefined && { endpoint }),
        requestHandler: { requestTimeout: timeoutMs, connectionTimeout: Math.min(timeoutMs, 10_000) },
      },
    })
    try {
      const given = await provider()
      return {
        accessKeyId: given.accessKeyId,
        secretAccessKey: given.secretAccessKey,
        ...(given.sessionToken !== undefined && { sessionToken: given.sessionToken }),
        ...(given.expiration !== undefined && { expiration: given.expiration }),
      }
    } catch (error) {
      throw roleError(error, roleArn)
    }
  }
  return renewing(load, options)
}

/** The SDK's own error holds the signed request, so it is not passed on. */
function roleError(error: unknown, roleArn: string) {
  const [name, status] = [nameOf(error), statusOf(error)]
  const isRefused = status !== undefined ? status < 500 && status !== 429 : name === 'CredentialsProviderError'
  const message = error instanceof Error ? error.message : ''
  const cause = [status === undefined ? '' : `the server answered ${status}`, name, message].filter(Boolean).join(', ')
  const details = { operation: 'assuming', key: `the role ${roleArn}`, cause, ...(status !== undefined && { status }) }
  return deltaError(isRefused ? 'LAKE_STORAGE_ACCESS_DENIED' : 'LAKE_STORAGE_UNAVAILABLE', details)
}
