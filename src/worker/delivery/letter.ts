/** The letter about a refused record: its place in its source, its text as it came, and why. */
import { decodeUtf8 } from '../../support/index.ts'
import type { Delivery } from '../destinations/destination.ts'
import type { SourceBatch } from '../sources/source.ts'
import type { DeadLetter } from './dead-letters.ts'

export interface Refusal {
  /** which record of the batch, from 0 */
  readonly index: number
  /** of its first byte in the batch */
  readonly offset: number
  readonly text: string
  readonly reason: string
}

/** @param route its id */
export function letterOf({ source, batch }: Delivery, route: string, refusal: Refusal): DeadLetter {
  const { index, reason, text } = refusal
  const fault = batch.origin?.faults.get(index)
  return {
    source,
    partition: batch.partition,
    position: positionOf(batch, refusal),
    route,
    reason: fault ?? reason,
    record: originalText(batch, index) ?? text,
  }
}

function positionOf({ start, unit, origin, places }: SourceBatch, { index, offset }: Refusal): bigint {
  if (unit === 'record') return places?.[index] ?? start + BigInt(index)
  return start + BigInt(origin === undefined ? offset : origin.offsets[index]!)
}

/** What a translated record was before; undefined for any other. */
function originalText({ origin }: SourceBatch, index: number): string | undefined {
  const text = origin?.bytes.subarray(origin.offsets[index]!, origin.offsets[index + 1])
  return text && decodeUtf8(text).replace(/\s*$/, '')
}
