/** Messages of a topic or stream, of one partition, as a batch of lines, each message one record. */
import { causeText } from '../../errors/index.ts'
import { concatBytes, decodeUtf8Strict, encodeUtf8, parseJson } from '../../support/index.ts'
import type { BatchOrigin, SourceBatch } from './source.ts'

export interface SourceMessage {
  readonly offset: bigint
  /** absent: the message has none, as one of Kafka that only tells that its key is deleted */
  readonly value: Uint8Array | null | undefined
}

const NEWLINE = 0x0a
const RETURN = 0x0d
const SPACE = 0x20
/** JSON, and no object: it is refused, for the reason kept beside it. */
const NO_RECORD = encodeUtf8('""')
const END = Uint8Array.of(NEWLINE)

interface Line {
  readonly bytes: Uint8Array
  readonly fault?: string
}

/**
 * A batch of one partition: a line a record, with its offset as its place. Where a message could not stand as a line, all
 * are kept as they came too.
 *
 * @param messages one or more, in the order of their offsets
 * @param isJson a message is a JSON value, which may stand on several lines; else one line
 */
export function batchOfMessages(
  partition: string,
  messages: readonly SourceMessage[],
  isJson: boolean,
): Omit<SourceBatch, 'settle'> {
  const lines = messages.map(({ value }) => lineOf(value ?? undefined, isJson))
  const places = messages.map(({ offset }) => offset)
  const isPlain = lines.every(({ bytes, fault }, i) => fault === undefined && bytes === messages[i]!.value)
  return {
    partition,
    bytes: concatBytes(lines.flatMap(({ bytes }) => [bytes, END])),
    start: places[0]!,
    end: places.at(-1)! + 1n,
    unit: 'record',
    places,
    ...(isPlain ? {} : { origin: originOf(messages, lines) }),
  }
}

function originOf(messages: readonly SourceMessage[], lines: readonly Line[]): BatchOrigin {
  const offsets: number[] = []
  let length = 0
  for (const { value } of messages) {
    offsets.push(length)
    length += (value?.length ?? 0) + 1
  }
  const faults = lines.flatMap(({ fault }, i) => (fault === undefined ? [] : [[i, fault] as const]))
  const bytes = concatBytes(messages.flatMap(({ value }) => (value ? [value, END] : [END])))
  return { bytes, offsets, faults: new Map(faults) }
}

function lineOf(value: Uint8Array | undefined, isJson: boolean): Line {
  if (value === undefined) return { bytes: NO_RECORD, fault: 'the message has no value' }
  const bytes = withoutEnd(value)
  if (bytes.every((byte) => byte === SPACE || byte === 0x09)) return { bytes: NO_RECORD, fault: 'the message is empty' }
  if (!bytes.includes(NEWLINE) && !bytes.includes(RETURN)) return { bytes }
  return isJson ? onOneLine(bytes) : { bytes: NO_RECORD, fault: 'the message holds more than one line' }
}

/** Newlines of JSON stand between its tokens only. */
function onOneLine(bytes: Uint8Array): Line {
  const text = decodeUtf8Strict(bytes)
  if (text === undefined) return { bytes: NO_RECORD, fault: 'the record is not UTF-8' }
  try {
    parseJson(text)
  } catch (error) {
    return { bytes: NO_RECORD, fault: `the record is ${causeText(error)}` }
  }
  return { bytes: bytes.map((byte) => (byte === NEWLINE || byte === RETURN ? SPACE : byte)) }
}

/** @returns the same bytes where no newline ends them */
function withoutEnd(value: Uint8Array): Uint8Array {
  let length = value.length
  while (length > 0 && (value[length - 1] === NEWLINE || value[length - 1] === RETURN)) length--
  return length === value.length ? value : value.subarray(0, length)
}
