/** What the service's answers mean for a store; its own errors hold the signed request and are not passed on. */
import { type DeltaError, deltaError, type ErrorCode, isDeltaError } from '../../errors/index.ts'

interface Call {
  readonly operation: string
  readonly key: string
  readonly location: string
}

const STATUSES: ReadonlyMap<number, ErrorCode> = new Map([
  [401, 'LAKE_STORAGE_ACCESS_DENIED'],
  [403, 'LAKE_STORAGE_ACCESS_DENIED'],
  [404, 'LAKE_OBJECT_NOT_FOUND'],
  [501, 'LAKE_STORAGE_UNSUPPORTED'],
] satisfies [number, ErrorCode][])

export function statusOf(error: unknown): number | undefined {
  return isObject(error) && typeof error.statusCode === 'number' ? error.statusCode : undefined
}

/** The service's own code: `BlobAlreadyExists`, or the one of a failed system call. */
export function codeOf(error: unknown): string {
  return isObject(error) && typeof error.code === 'string' ? error.code : 'Error'
}

/** @param what the failure in words, where the caller knows better than the error */
export function azureError(error: unknown, call: Call, what?: string): DeltaError {
  if (isDeltaError(error)) return error
  const [status, code] = [statusOf(error), codeOf(error)]
  if (code === 'ContainerNotFound') {
    const reason = 'the account has no such container'
    return deltaError('LAKE_INVALID_LOCATION', { location: JSON.stringify(call.location), reason })
  }
  const said = status === undefined ? `${code}: ${messageOf(error)}` : `the server answered ${status}, ${code}`
  const details = { ...call, cause: what ?? said, service: code, ...(status !== undefined && { status }) }
  const meaning = STATUSES.get(status ?? 0) ?? 'LAKE_STORAGE_UNAVAILABLE'
  return deltaError(meaning, meaning === 'LAKE_STORAGE_UNSUPPORTED' ? { ...details, store: 'azure' } : details)
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message.split('\n')[0]! : String(error)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
