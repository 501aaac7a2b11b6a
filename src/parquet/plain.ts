/** Values of one page by their encoding, as the physical type has them. */
import { deltaBinaryUnpack, deltaByteArray, deltaLengthByteArray } from 'hyparquet/src/delta.js'
import { byteStreamSplit } from 'hyparquet/src/encoding.js'
import { readPlain } from 'hyparquet/src/plain.js'
import { floorDiv } from '../support/index.ts'
import { viewOf } from './footer.ts'
import { type Cursor, readHybrid } from './levels.ts'
import type { SchemaNode } from './schema-tree.ts'

/**
 * Physical values: boolean, number (INT32, FLOAT, DOUBLE), bigint (INT64; INT96 as microseconds since 1970), bytes.
 *
 * Bytes are views of the page.
 */
export type PhysicalValue = boolean | number | bigint | Uint8Array
export type PhysicalValues = ArrayLike<PhysicalValue>

/** An encoding this reader does not know; the caller names the file. */
export class UnknownEncoding extends Error {}

/**
 * Reads the values of a page.
 *
 * @throws RangeError when they do not lie in the page
 */
export function readValues(encoding: string, page: Cursor, count: number, leaf: SchemaNode): PhysicalValues {
  if (count === 0) return []
  switch (encoding) {
    case 'PLAIN':
      return readPlainValues(page, count, leaf)
    case 'RLE':
      return readRleBooleans(page, count, leaf)
    case 'DELTA_BINARY_PACKED':
    case 'DELTA_LENGTH_BYTE_ARRAY':
    case 'DELTA_BYTE_ARRAY':
    case 'BYTE_STREAM_SPLIT':
      return insidePage(page, (reader) => readPacked(encoding, reader, count, leaf))
    default:
      throw new UnknownEncoding(encoding)
  }
}

/** hyparquet reads views of the buffer behind the page, so what it took is checked against the page's own end. */
function insidePage<T>(page: Cursor, read: (reader: { view: DataView; offset: number }) => T): T {
  const reader = { view: viewOf(page.bytes), offset: page.at }
  const values = read(reader)
  if (reader.offset > page.bytes.length) throw new RangeError('values reach past the end of their page')
  page.at = reader.offset
  return values
}

function readPlainValues(page: Cursor, count: number, leaf: SchemaNode): PhysicalValues {
  const least = { BOOLEAN: 1 / 8, INT32: 4, INT64: 8, INT96: 12, FLOAT: 4, DOUBLE: 8, BYTE_ARRAY: 4 } as const
  const width = leaf.physical === 'FIXED_LEN_BYTE_ARRAY' ? leaf.typeLength : least[leaf.physical!]
  if (page.at + Math.ceil(count * width) > page.bytes.length) throw new RangeError('a page ends inside its values')
  if (leaf.physical === 'INT96') return readInt96(page, count)
  if (width === 0) return Array.from({ length: count }, () => new Uint8Array(0))
  return insidePage(page, (reader) => readPlain(reader, leaf.physical!, count, leaf.typeLength)) as PhysicalValues
}

const JULIAN_EPOCH = 2_440_588n
const MICROS_PER_DAY = 86_400_000_000n

/** Nanoseconds of the day, then the Julian day; as microseconds since 1970. */
function readInt96(page: Cursor, count: number): bigint[] {
  const view = viewOf(page.bytes)
  const values = Array.from({ length: count }, (_, i) => {
    const nanos = view.getBigInt64(page.at + i * 12, true)
    const day = BigInt(view.getInt32(page.at + i * 12 + 8, true))
    return (day - JULIAN_EPOCH) * MICROS_PER_DAY + floorDiv(nanos, 1000n)
  })
  page.at += count * 12
  return values
}

function readRleBooleans(page: Cursor, count: number, leaf: SchemaNode): boolean[] {
  if (leaf.physical !== 'BOOLEAN') throw new RangeError('run lengths where values are no booleans')
  const bits = new Uint8Array(count)
  const length = viewOf(page.bytes).getUint32(page.at, true)
  page.at += 4
  readHybrid(page, page.at + length, 1, bits)
  return Array.from(bits, (bit) => bit === 1)
}

function readPacked(
  encoding: string,
  reader: { view: DataView; offset: number },
  count: number,
  leaf: SchemaNode,
): PhysicalValues {
  if (encoding === 'BYTE_STREAM_SPLIT') {
    return byteStreamSplit(reader, count, leaf.physical!, leaf.typeLength) as PhysicalValues
  }
  if (encoding === 'DELTA_BINARY_PACKED') {
    const numbers = leaf.physical === 'INT32' ? new Int32Array(count) : new BigInt64Array(count)
    deltaBinaryUnpack(reader, count, numbers)
    return numbers
  }
  const values: Uint8Array[] = new Array(count)
  if (encoding === 'DELTA_BYTE_ARRAY') deltaByteArray(reader, count, values)
  else deltaLengthByteArray(reader, count, values)
  return values
}
