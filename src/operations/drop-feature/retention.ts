/** How much history a drop leaves, and spans and points of time as messages tell them. */
import { property, type Snapshot } from '../../kernel/index.ts'
import { DAY_MS, formatTimestamp, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../support/index.ts'

const UNITS: readonly (readonly [string, number])[] = [
  ['day', DAY_MS],
  ['hour', HOUR_MS],
  ['minute', MINUTE_MS],
  ['second', SECOND_MS],
  ['millisecond', 1],
]

/** `24 hours`, `7 days`, `90 minutes`: in the largest unit of which it is a whole number, days from two on. */
export function retentionText(ms: number): string {
  const [name, unit] = UNITS.find(([, size]) => ms % size === 0 && (size < DAY_MS || ms > DAY_MS)) ?? ['millisecond', 1]
  const count = ms / unit
  return `${count} ${name}${count === 1 ? '' : 's'}`
}

/** ISO text, UTC. */
export function timeText(ms: number): string {
  return `${formatTimestamp(BigInt(Math.ceil(ms)) * 1000n)}Z`
}

/** Milliseconds of history that stay where a drop cuts it. */
export function keepMsOf({ configuration }: Pick<Snapshot, 'configuration'>): number {
  return property(configuration, 'dropFeatureTruncateHistory.retentionDuration')
}
