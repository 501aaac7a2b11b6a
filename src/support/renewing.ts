/**
 * Things that expire, asked for again ahead of their end: credentials, tokens.
 *
 * One renewal runs at a time, however many callers wait for it. One that fails is borne while what is there still holds.
 */
import { type Clock, MINUTE_MS, SECOND_MS, systemClock } from './clock.ts'

export interface Expiring {
  /** from when on it must be asked for again; never where it is absent */
  readonly expiration?: Date
}

/** Asked whenever the thing is needed. */
export interface Renewable<T extends Expiring> {
  (): Promise<T>
  /** A service refused what was given out up to then, milliseconds since 1970: it is dropped, unless renewed since. */
  refused(sentAtMs: number): void
  /** when what is given out now expires, milliseconds since 1970; undefined before the first, or where it never does */
  expiresAtMs(): number | undefined
}

export interface RenewingOptions {
  readonly clock?: Clock
  /** told of a renewal that failed while the old thing still holds */
  readonly onFailure?: (error: unknown) => void
}

const LONGEST_AHEAD_MS = 5 * MINUTE_MS
const RETRY_MS = 5 * SECOND_MS

interface Held<T> {
  readonly value: T
  readonly obtainedAtMs: number
  readonly renewAtMs: number
}

/**
 * @param load gives a new one
 * @returns a function that gives the one that holds; it rejects with what `load` rejects with once nothing valid is left
 */
export function renewing<T extends Expiring>(load: () => Promise<T>, options: RenewingOptions = {}): Renewable<T> {
  const { clock = systemClock, onFailure } = options
  let held: Held<T> | undefined
  let pending: Promise<Held<T>> | undefined

  const renew = async (): Promise<Held<T>> => {
    const obtainedAtMs = clock.now()
    const value = await load()
    held = { value, obtainedAtMs, renewAtMs: renewalOf(value, obtainedAtMs) }
    return held
  }
  const renewed = (): Promise<Held<T>> => {
    pending ??= renew().finally(() => {
      pending = undefined
    })
    return pending
  }
  const give = async (): Promise<T> => {
    const before = held
    if (before === undefined) return (await renewed()).value
    if (clock.now() < before.renewAtMs) return before.value
    try {
      return (await renewed()).value
    } catch (error) {
      if (hasExpired(before.value, clock.now()) || held === undefined) throw error
      held = { ...before, renewAtMs: clock.now() + RETRY_MS }
      onFailure?.(error)
      return before.value
    }
  }
  return Object.assign(give, {
    refused: (sentAtMs: number) => {
      if (held !== undefined && held.obtainedAtMs <= sentAtMs) held = undefined
    },
    expiresAtMs: () => held?.value.expiration?.getTime(),
  })
}

/** A third of their time ahead of the end, five minutes at most. */
function renewalOf({ expiration }: Expiring, obtainedAtMs: number): number {
  if (expiration === undefined) return Number.POSITIVE_INFINITY
  const lifetimeMs = expiration.getTime() - obtainedAtMs
  return expiration.getTime() - Math.min(LONGEST_AHEAD_MS, lifetimeMs / 3)
}

function hasExpired({ expiration }: Expiring, nowMs: number): boolean {
  return expiration !== undefined && expiration.getTime() <= nowMs
}
