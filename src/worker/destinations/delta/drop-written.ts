/** The part of a batch behind a position. */
import { splitRecords } from '../../records/split.ts'
import type { SourceBatch } from '../../sources/source.ts'

/** @returns the batch, what is left of it, or undefined where nothing is */
export function dropWritten(batch: SourceBatch, position: bigint, format: 'ndjson' | 'csv'): SourceBatch | undefined {
  if (batch.end <= position) return undefined
  if (batch.start >= position) return batch
  const skipped = Number(position - batch.start)
  const offset = batch.unit === 'byte' ? skipped : offsetOfRecord(batch.bytes, skipped, format)
  return { ...batch, bytes: batch.bytes.subarray(offset), start: position }
}

function offsetOfRecord(bytes: Uint8Array, index: number, format: 'ndjson' | 'csv'): number {
  let count = 0
  for (const { start } of splitRecords(bytes, format)) if (count++ === index) return start
  return bytes.length
}
