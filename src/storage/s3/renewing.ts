/**
 * Credentials that expire, asked for again ahead of their end.
 *
 * One renewal runs at a time, however many requests wait for it. One that fails is borne while what is there still holds.
 */
import { type Clock, MINUTE_MS, SECOND_MS, systemClock } from '../../support/index.ts'
import type { S3Credentials } from './s3-credentials.ts'

/** Asked before every request. */
export interface RenewableCredentials {
  (): Promise<S3Credentials>
  /** A service called credentials expired that were given out up to then, milliseconds since 1970: they are dropped. */
  refused(sentAtMs: number): void
  /** when what is given out now expires, milliseconds since 1970; undefined before the first, or where it never does */
  expiresAtMs(): number | undefined
}

export interface RenewingOptions {
  readonly clock?: Clock
  /** told of a renewal that failed while the old credentials still hold */
  readonly onFailure?: (error: unknown) => void
}

const LONGEST_AHEAD_MS = 5 * MINUTE_MS
const RETRY_MS = 5 * SECOND_MS

interface Held {
  readonly credentials: S3Credentials
  readonly obtainedAtMs: number
  readonly renewAtMs: number
}

/**
 * @param load gives new credentials, with their `expiration` where they have one
 * @returns what `s3Store` takes as credentials; it rejects with what `load` rejects with once nothing valid is left
 */
export function renewing(load: () => Promise<S3Credentials>, options: RenewingOptions = {}): RenewableCredentials {
  const { clock = systemClock, onFailure } = options
  let held: Held | undefined
  let pending: Promise<Held> | undefined

  const renew = async (): Promise<Held> => {
    const obtainedAtMs = clock.now()
    const credentials = await load()
    held = { credentials, obtainedAtMs, renewAtMs: renewalOf(credentials, obtainedAtMs) }
    return held
  }
  const renewed = (): Promise<Held> => {
    pending ??= renew().finally(() => {
      pending = undefined
    })
    return pending
  }
  const give = async (): Promise<S3Credentials> => {
    const before = held
    if (before === undefined) return (await renewed()).credentials
    if (clock.now() < before.renewAtMs) return before.credentials
    try {
      return (await renewed()).credentials
    } catch (error) {
      if (hasExpired(before.credentials, clock.now()) || held === undefined) throw error
      held = { ...before, renewAtMs: clock.now() + RETRY_MS }
      onFailure?.(error)
      return before.credentials
    }
  }
  return Object.assign(give, {
    refused: (sentAtMs: number) => {
      if (held !== undefined && held.obtainedAtMs <= sentAtMs) held = undefined
    },
    expiresAtMs: () => held?.credentials.expiration?.getTime(),
  })
}

/** A third of their time ahead of the end, five minutes at most. */
function renewalOf({ expiration }: S3Credentials, obtainedAtMs: number): number {
  if (expiration === undefined) return Number.POSITIVE_INFINITY
  const lifetimeMs = expiration.getTime() - obtainedAtMs
  return expiration.getTime() - Math.min(LONGEST_AHEAD_MS, lifetimeMs / 3)
}

function hasExpired({ expiration }: S3Credentials, nowMs: number): boolean {
  return expiration !== undefined && expiration.getTime() <= nowMs
}

export function isRenewable(credentials: unknown): credentials is RenewableCredentials {
  return typeof credentials === 'function' && 'refused' in credentials
}
