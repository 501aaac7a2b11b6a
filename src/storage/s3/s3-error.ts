/**
 * What the service's answers mean for a store.
 *
 * The SDK's own errors hold the request with its signature and tokens, so none is passed on as a cause: name, status and
 * the service's sentence are taken out of them.
 */
import { type DeltaError, deltaError, type ErrorCode, isDeltaError } from '../../errors/index.ts'

export interface S3Call {
  readonly operation: string
  readonly key: string
  readonly location: string
}

/** By name, for answers whose status says something else or too little. Source: Amazon S3, "Error responses". */
const CODES: ReadonlyMap<string, ErrorCode> = new Map([
  ['NoSuchKey', 'LAKE_OBJECT_NOT_FOUND'],
  ['NotFound', 'LAKE_OBJECT_NOT_FOUND'],
  ['NoSuchBucket', 'LAKE_INVALID_LOCATION'],
  ['InvalidBucketName', 'LAKE_INVALID_LOCATION'],
  ['KeyTooLongError', 'LAKE_INVALID_KEY'],
  ['KeyTooLong', 'LAKE_INVALID_KEY'],
  ['CredentialsProviderError', 'LAKE_STORAGE_ACCESS_DENIED'],
  ['TokenProviderError', 'LAKE_STORAGE_ACCESS_DENIED'],
  ['ExpiredToken', 'LAKE_STORAGE_ACCESS_DENIED'],
  ['InvalidToken', 'LAKE_STORAGE_ACCESS_DENIED'],
  ['TokenRefreshRequired', 'LAKE_STORAGE_ACCESS_DENIED'],
  // the SDK sets its clock by such an answer, so the next try can be right
  ['RequestTimeTooSkewed', 'LAKE_STORAGE_UNAVAILABLE'],
  ['NotImplemented', 'LAKE_STORAGE_UNSUPPORTED'],
  ['XMinioStorageFull', 'LAKE_STORAGE_FULL'],
  ['QuotaExceeded', 'LAKE_STORAGE_FULL'],
] satisfies [string, ErrorCode][])

const STATUSES: ReadonlyMap<number, ErrorCode> = new Map([
  [401, 'LAKE_STORAGE_ACCESS_DENIED'],
  [403, 'LAKE_STORAGE_ACCESS_DENIED'],
  [404, 'LAKE_OBJECT_NOT_FOUND'],
  [405, 'LAKE_STORAGE_UNSUPPORTED'],
  [501, 'LAKE_STORAGE_UNSUPPORTED'],
  [507, 'LAKE_STORAGE_FULL'],
] satisfies [number, ErrorCode][])

const EXPIRY: ReadonlySet<string> = new Set([
  'ExpiredToken',
  'ExpiredTokenException',
  'InvalidToken',
  'TokenRefreshRequired',
])

/** Whether a service refused credentials that held once. */
export function isExpiry(error: unknown): boolean {
  return EXPIRY.has(nameOf(error))
}

/** The HTTP status of a failed call, if there was an answer. */
export function statusOf(error: unknown): number | undefined {
  if (!isObject(error) || !isObject(error.$metadata)) return undefined
  const { httpStatusCode } = error.$metadata
  return typeof httpStatusCode === 'number' ? httpStatusCode : undefined
}

/** The name of a failure: the service's code, or the one of a failed system call. */
export function nameOf(error: unknown): string {
  if (!isObject(error)) return 'Error'
  if (statusOf(error) === undefined && typeof error.code === 'string') return error.code
  return typeof error.name === 'string' ? error.name : 'Error'
}

/** @param what the failure in words, where the caller knows better than the error */
export function s3Error(error: unknown, call: S3Call, what?: string): DeltaError {
  if (isDeltaError(error)) return error
  const [name, status] = [nameOf(error), statusOf(error)]
  const code = CODES.get(name) ?? STATUSES.get(status ?? 0) ?? 'LAKE_STORAGE_UNAVAILABLE'
  const cause = what ?? causeOf(error, name, status)
  const details = { ...call, cause, service: name, ...(status !== undefined && { status }) }
  if (code === 'LAKE_STORAGE_UNSUPPORTED') return deltaError(code, { ...details, store: 's3' })
  if (code === 'LAKE_INVALID_KEY') return deltaError(code, { ...details, key: JSON.stringify(call.key), reason: cause })
  if (code === 'LAKE_INVALID_LOCATION') {
    return deltaError(code, { ...details, location: JSON.stringify(call.location), reason: cause })
  }
  return deltaError(code, details)
}

function causeOf(error: unknown, name: string, status: number | undefined): string {
  const message = isObject(error) && typeof error.message === 'string' ? error.message : ''
  // what stands between a client and its store answers with a page of its own
  if (status !== undefined && /deserialization error/i.test(message)) {
    return `the server answered ${status} with a body that is not S3's`
  }
  // an answer to HEAD has no body, and the SDK fills in a name that says nothing
  const said = [name, message].filter((text) => text !== '' && !/^Unknown(Error)?$/.test(text)).join(': ')
  if (status === undefined) return said
  return said === '' ? `the server answered ${status}` : `the server answered ${status}, ${said}`
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
