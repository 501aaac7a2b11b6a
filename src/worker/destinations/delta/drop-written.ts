/** The part of a batch behind a position. */
import { splitRecords } from '../../records/split.ts'
import type { BatchOrigin, SourceBatch } from '../../sources/source.ts'

/** @returns the batch, what is left of it, or undefined where nothing is */
export function dropWritten(batch: SourceBatch, position: bigint, format: 'ndjson' | 'csv'): SourceBatch | undefined {
  if (batch.end <= position) return undefined
  if (batch.start >= position) return batch
  const skipped = Number(position - batch.start)
  if (batch.origin !== undefined && batch.unit === 'byte') return dropTranslated(batch, batch.origin, skipped)
  const offset = batch.unit === 'byte' ? skipped : offsetOfRecord(batch.bytes, skipped, format)
  return { ...batch, bytes: batch.bytes.subarray(offset), start: position }
}

/** Positions count the bytes that were translated. */
function dropTranslated(batch: SourceBatch, { bytes, offsets, faults }: BatchOrigin, skipped: number): SourceBatch {
  const gone = offsets.filter((offset) => offset < skipped).length
  return {
    ...batch,
    start: batch.start + BigInt(skipped),
    bytes: batch.bytes.subarray(offsetOfRecord(batch.bytes, gone, 'ndjson')),
    origin: {
      bytes: bytes.subarray(skipped),
      offsets: offsets.slice(gone).map((offset) => offset - skipped),
      faults: new Map([...faults].flatMap(([index, fault]) => (index < gone ? [] : [[index - gone, fault] as const]))),
    },
  }
}

function offsetOfRecord(bytes: Uint8Array, index: number, format: 'ndjson' | 'csv'): number {
  let count = 0
  for (const { start } of splitRecords(bytes, format)) if (count++ === index) return start
  return bytes.length
}
