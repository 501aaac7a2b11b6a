/** The part of a batch behind a position. */
import { splitRecords } from '../../records/split.ts'
import type { BatchOrigin, SourceBatch } from '../../sources/source.ts'

/** @returns the batch, what is left of it, or undefined where nothing is */
export function dropWritten(batch: SourceBatch, position: bigint, format: 'ndjson' | 'csv'): SourceBatch | undefined {
  if (batch.end <= position) return undefined
  if (batch.start >= position) return batch
  const skipped = Number(position - batch.start)
  if (batch.unit === 'record') return dropRecords(batch, position, format)
  if (batch.origin !== undefined) return dropTranslated(batch, batch.origin, skipped)
  return { ...batch, bytes: batch.bytes.subarray(skipped), start: position }
}

function dropRecords(batch: SourceBatch, position: bigint, format: 'ndjson' | 'csv'): SourceBatch {
  const { places, origin, bytes } = batch
  const gone = places === undefined ? Number(position - batch.start) : places.filter((place) => place < position).length
  return {
    ...batch,
    start: position,
    bytes: bytes.subarray(offsetOfRecord(bytes, gone, format)),
    ...(places && { places: places.slice(gone) }),
    ...(origin && { origin: originBehind(origin, gone, origin.offsets[gone] ?? origin.bytes.length) }),
  }
}

/** Positions count the bytes that were translated. */
function dropTranslated(batch: SourceBatch, origin: BatchOrigin, skipped: number): SourceBatch {
  const gone = origin.offsets.filter((offset) => offset < skipped).length
  return {
    ...batch,
    start: batch.start + BigInt(skipped),
    bytes: batch.bytes.subarray(offsetOfRecord(batch.bytes, gone, 'ndjson')),
    origin: originBehind(origin, gone, skipped),
  }
}

/** @param gone records left out, and @param skipped their bytes */
function originBehind({ bytes, offsets, faults }: BatchOrigin, gone: number, skipped: number): BatchOrigin {
  return {
    bytes: bytes.subarray(skipped),
    offsets: offsets.slice(gone).map((offset) => offset - skipped),
    faults: new Map([...faults].flatMap(([index, fault]) => (index < gone ? [] : [[index - gone, fault] as const]))),
  }
}

function offsetOfRecord(bytes: Uint8Array, index: number, format: 'ndjson' | 'csv'): number {
  let count = 0
  for (const { start } of splitRecords(bytes, format)) if (count++ === index) return start
  return bytes.length
}
