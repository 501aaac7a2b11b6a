/** The bytes of refused records whose text does not hold them: those that are not UTF-8. */
import { decodeUtf8Strict } from '../../support/index.ts'
import type { Delivery } from '../destinations/destination.ts'
import { type RecordSpan, splitRecords } from '../records/split.ts'
import type { DeadLetter } from './dead-letters.ts'

/** What decoding puts where bytes are no text; a record may hold it itself. */
const REPLACEMENT = '\ufffd'

/** The letters; those of records that are not UTF-8 with their bytes, as they came and without the newline. */
export function withExactBytes(letters: readonly DeadLetter[], round: readonly Delivery[]): readonly DeadLetter[] {
  if (!letters.some(isSuspect)) return letters
  const spansOf = spansOnce()
  return letters.map((letter) => {
    const delivery = isSuspect(letter) ? deliveryOf(letter, round) : undefined
    const bytes = delivery && bytesAt(delivery, letter.position, spansOf)
    if (bytes === undefined || decodeUtf8Strict(bytes) !== undefined) return letter
    return { ...letter, recordBase64: Buffer.from(bytes).toString('base64') }
  })
}

function isSuspect({ record }: DeadLetter): boolean {
  return record.includes(REPLACEMENT)
}

function deliveryOf({ source, partition, position }: DeadLetter, round: readonly Delivery[]): Delivery | undefined {
  return round.find(
    (delivery) =>
      delivery.source === source &&
      delivery.batch.partition === partition &&
      delivery.batch.start <= position &&
      position < delivery.batch.end,
  )
}

type SpansOf = (delivery: Delivery) => readonly RecordSpan[]

/** Splits each batch once, however many of its records were refused. */
function spansOnce(): SpansOf {
  const known = new Map<Delivery, readonly RecordSpan[]>()
  return (delivery) => {
    const spans = known.get(delivery) ?? [...splitRecords(delivery.batch.bytes, delivery.format.format)]
    known.set(delivery, spans)
    return spans
  }
}

function bytesAt(delivery: Delivery, position: bigint, spansOf: SpansOf): Uint8Array | undefined {
  const { batch, format } = delivery
  const place = Number(position - batch.start)
  if (batch.unit === 'record') {
    const index = batch.places?.indexOf(position) ?? place
    const { origin } = batch
    if (origin !== undefined)
      return withoutNewline(origin.bytes.subarray(origin.offsets[index], origin.offsets[index + 1]))
    const span = spansOf(delivery)[index]
    return span && batch.bytes.subarray(span.start, span.stop)
  }
  const from = (batch.origin?.bytes ?? batch.bytes).subarray(place)
  for (const { start, stop } of splitRecords(from, format.format)) return from.subarray(start, stop)
  return undefined
}

function withoutNewline(bytes: Uint8Array): Uint8Array {
  return bytes.at(-1) === 0x0a ? bytes.subarray(0, -1) : bytes
}
