/** Time as something a caller can set, for commit times, retention and tests. */

export interface Clock {
  /** milliseconds since 1970 */
  now(): number
}

export const systemClock: Clock = { now: () => Date.now() }

export const SECOND_MS = 1000
export const MINUTE_MS = 60 * SECOND_MS
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS
