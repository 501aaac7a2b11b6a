/** What no real server does when it is asked to: answers lost after a write, races, throttling, expired credentials. */
import type { S3Request } from './s3-server.ts'

/** What becomes of a request instead of its plain answer. */
export type S3Fault =
  /** nothing is done */
  | { readonly kind: 'refuse'; readonly status: number; readonly code: string }
  /** nothing is done, and the connection ends without an answer */
  | { readonly kind: 'hang up' }
  /** it is done, and the answer says that it failed */
  | { readonly kind: 'done, refuse'; readonly status: number; readonly code: string }
  /** it is done, and the connection ends without an answer */
  | { readonly kind: 'done, hang up' }
  /** the head of the answer comes, and of the body so many bytes; then nothing, or the end of the connection */
  | { readonly kind: 'cut body'; readonly bytes: number; readonly then: 'stall' | 'hang up' }
  /** it is done, and the answer comes so much later, milliseconds */
  | { readonly kind: 'slow'; readonly ms: number }

/** Faults by name; each is one request's. */
export const s3Faults = {
  unavailable: { kind: 'refuse', status: 503, code: 'ServiceUnavailable' },
  failedAfterEffect: { kind: 'done, refuse', status: 500, code: 'InternalError' },
  lostAnswer: { kind: 'done, hang up' },
  lostRequest: { kind: 'hang up' },
  throttled: { kind: 'refuse', status: 503, code: 'SlowDown' },
  racing: { kind: 'refuse', status: 409, code: 'ConditionalRequestConflict' },
  denied: { kind: 'refuse', status: 403, code: 'AccessDenied' },
  expired: { kind: 'refuse', status: 400, code: 'ExpiredToken' },
  skewed: { kind: 'refuse', status: 403, code: 'RequestTimeTooSkewed' },
  truncated: { kind: 'cut body', bytes: 100, then: 'hang up' },
} as const satisfies Record<string, S3Fault>

/** Asked for every request; undefined lets it pass. */
export type S3FaultPlan = (request: S3Request) => S3Fault | undefined

export interface NthCallPlan {
  readonly plan: S3FaultPlan
  /** requests counted so far */
  calls(): number
  /** whether the fault happened; a scenario without it has fewer requests than that */
  hasFailed(): boolean
}

/**
 * The fault at one request, counted from 1, and no other: for scenarios repeated with each of their requests failing.
 *
 * @param counts which requests count; all when absent
 */
export function failNthCall(
  n: number,
  fault: S3Fault,
  counts: (request: S3Request) => boolean = () => true,
): NthCallPlan {
  let calls = 0
  const plan = (request: S3Request) => (counts(request) && ++calls === n ? fault : undefined)
  return { plan, calls: () => calls, hasFailed: () => calls >= n }
}
