/** Plain objects whose keys come from a table. */
import { formatTimestamp } from '../support/index.ts'

export type TextRecord = Record<string, string | null>

/** An object with the entries of a map; a key `__proto__` becomes a member like any other. */
export function textRecord(map: ReadonlyMap<string, string | null>): TextRecord {
  const record: TextRecord = {}
  for (const [key, value] of map) {
    Object.defineProperty(record, key, { value, enumerable: true, writable: true, configurable: true })
  }
  return record
}

/** Milliseconds since 1970 as ISO text in UTC. */
export function isoTime(ms: number): string
export function isoTime(ms: number | null): string | null
export function isoTime(ms: number | null): string | null {
  return ms === null ? null : `${formatTimestamp(BigInt(ms) * 1000n)}Z`
}
