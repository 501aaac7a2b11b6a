/** Times as statements write them. */
import { parseTimestamp } from '../support/index.ts'

/** A time without a zone is UTC. A commit has milliseconds; a part of one is cut off. */
export function millisOf(text: string): number | undefined {
  const parsed = parseTimestamp(text)
  return parsed === undefined
    ? undefined
    : Math.floor(Number(parsed.micros / 1000n)) - (parsed.offsetMinutes ?? 0) * 60_000
}
