/** Messages of protocol buffers as the JSON that stands for them, and back, by a table of their fields. */
import {
  concatBytes,
  decodeUtf8Strict,
  encodeBase64,
  encodeHex,
  encodeUtf8,
  type JsonValue,
} from '../../../support/index.ts'

/** What cannot be read as the message it should be. */
export class MessageFault extends Error {}

/** A field: its name in JSON, its type, and whether it is repeated. */
export type FieldSpec = readonly [name: string, type: ScalarType | MessageSpec, repeated?: 'repeated']
/** `hex` and `base64` are bytes, spelled so. */
export type ScalarType = 'text' | 'bool' | 'int64' | 'uint32' | 'double' | 'fixed64' | 'fixed32' | 'hex' | 'base64'
/** Fields by their numbers; a function, for messages hold each other. */
export type MessageSpec = () => Readonly<Record<number, FieldSpec>>

type Message = Record<string, JsonValue>

const MAX_DEPTH = 64

/**
 * Reads a message; fields that are not in the table are passed over.
 *
 * @throws MessageFault
 */
export function decodeMessage(bytes: Uint8Array, spec: MessageSpec): Message {
  return readMessage(bytes, spec, {}, 0)
}

/** Into a message, of which a part may have come before. */
function readMessage(bytes: Uint8Array, spec: MessageSpec, message: Message, depth: number): Message {
  if (depth > MAX_DEPTH) throw new MessageFault(`messages are nested more than ${MAX_DEPTH} deep`)
  const fields = spec()
  const reader = new Reader(bytes)
  while (!reader.isAtEnd) {
    const tag = reader.varint()
    const wireType = Number(tag & 7n)
    const number = Number(tag >> 3n)
    const field = fields[number]
    if (number === 0) throw new MessageFault('a field has the number 0')
    if (field === undefined) reader.skip(wireType)
    else readField(reader, wireType, field, message, depth)
  }
  return message
}

/** A repeated field grows, a message that comes in parts is put together, of anything else the last counts. */
function readField(reader: Reader, wireType: number, field: FieldSpec, message: Message, depth: number): void {
  const [name, type, repeated] = field
  const wanted = typeof type === 'function' ? 2 : WIRE_TYPES[type]
  if (wireType !== wanted) throw new MessageFault(`${name} has the wire type ${wireType}, not ${wanted}`)
  const before = message[name]
  const held = repeated === undefined ? ((before ?? {}) as Message) : {}
  const value =
    typeof type === 'function' ? readMessage(reader.bytes(), type, held, depth + 1) : readScalar(reader, name, type)
  if (repeated === undefined) message[name] = value
  else if (before === undefined) message[name] = [value]
  else (before as JsonValue[]).push(value)
}

const WIRE_TYPES: Readonly<Record<ScalarType, number>> = {
  text: 2,
  hex: 2,
  base64: 2,
  bool: 0,
  int64: 0,
  uint32: 0,
  double: 1,
  fixed64: 1,
  fixed32: 5,
}

function readScalar(reader: Reader, name: string, type: ScalarType): JsonValue {
  switch (type) {
    case 'text': {
      const text = decodeUtf8Strict(reader.bytes())
      if (text === undefined) throw new MessageFault(`${name} is not UTF-8`)
      return text
    }
    case 'hex':
      return encodeHex(reader.bytes())
    case 'base64':
      return encodeBase64(reader.bytes())
    case 'bool':
      return reader.varint() !== 0n
    case 'int64':
      return BigInt.asIntN(64, reader.varint())
    case 'uint32':
      return Number(BigInt.asUintN(32, reader.varint()))
    case 'fixed64':
      return reader.view(8).getBigUint64(0, true)
    case 'fixed32':
      return reader.view(4).getUint32(0, true)
    case 'double': {
      const value = reader.view(8).getFloat64(0, true)
      return Number.isFinite(value) ? value : String(value)
    }
  }
}

class Reader {
  private readonly held: Uint8Array
  private at = 0

  constructor(bytes: Uint8Array) {
    this.held = bytes
  }

  get isAtEnd(): boolean {
    return this.at >= this.held.length
  }

  varint(): bigint {
    let value = 0n
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.held[this.at++]
      if (byte === undefined) throw new MessageFault('the message ends inside of a number')
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return BigInt.asUintN(64, value)
    }
    throw new MessageFault('a number has more than ten bytes')
  }

  bytes(): Uint8Array {
    return this.take(this.varint())
  }

  view(length: number): DataView {
    const bytes = this.take(BigInt(length))
    return new DataView(bytes.buffer, bytes.byteOffset, length)
  }

  skip(wireType: number): void {
    if (wireType === 0) this.varint()
    else if (wireType === 1) this.take(8n)
    else if (wireType === 2) this.bytes()
    else if (wireType === 5) this.take(4n)
    else throw new MessageFault(`a field has the wire type ${wireType}`)
  }

  private take(length: bigint): Uint8Array {
    if (length > BigInt(this.held.length - this.at)) throw new MessageFault('the message ends inside of a field')
    const start = this.at
    this.at += Number(length)
    return this.held.subarray(start, this.at)
  }
}

/** One field: a number that is not negative, a text, or a message. */
export function encodeField(field: number, value: number | string | Uint8Array): Uint8Array {
  if (typeof value === 'number') return concatBytes([varint(field << 3), varint(value)])
  const bytes = typeof value === 'string' ? encodeUtf8(value) : value
  return concatBytes([varint((field << 3) | 2), varint(bytes.length), bytes])
}

function varint(value: number): Uint8Array {
  const bytes: number[] = []
  let left = value
  for (; left >= 0x80; left = Math.floor(left / 0x80)) bytes.push((left % 0x80) | 0x80)
  return Uint8Array.from([...bytes, left])
}
