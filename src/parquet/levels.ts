/**
 * The RLE / bit-packing hybrid that levels and dictionary indexes are stored in.
 *
 * hyparquet's reader trusts run lengths; here no run can grow past the values asked for, so that a damaged page is an
 * error and not an endless loop. Source: Parquet format, "Run Length Encoding / Bit-Packing Hybrid".
 */

/** Where the next byte of a page is read. */
export interface Cursor {
  readonly bytes: Uint8Array
  at: number
}

/**
 * Reads `output.length` values of `width` bits from the bytes up to `end`, and moves the cursor to `end`.
 *
 * @throws RangeError when the bytes end before the values do
 */
export function readHybrid(cursor: Cursor, end: number, width: number, output: Uint8Array | Int32Array): void {
  if (width > 32 || end > cursor.bytes.length) throw new RangeError('a page ends inside its levels')
  let seen = 0
  while (seen < output.length) {
    if (cursor.at >= end) throw new RangeError('a page holds fewer values than it says')
    const header = readVarint(cursor, end)
    const packed = header % 2 === 1
    const count = Math.min(packed ? ((header - 1) / 2) * 8 : header / 2, output.length - seen)
    if (packed) readPacked(cursor, end, width, output.subarray(seen, seen + count), ((header - 1) / 2) * width)
    else output.fill(readRunValue(cursor, end, width), seen, seen + count)
    seen += count
  }
  cursor.at = end
}

function readVarint(cursor: Cursor, end: number): number {
  let result = 0
  for (let scale = 1; scale <= 2 ** 28; scale *= 128) {
    if (cursor.at >= end) throw new RangeError('a page ends inside a run')
    const byte = cursor.bytes[cursor.at++]!
    result += (byte & 0x7f) * scale
    if (byte < 0x80) return result
  }
  throw new RangeError('a run of a page is too long')
}

function readRunValue(cursor: Cursor, end: number, width: number): number {
  const length = (width + 7) >> 3
  if (cursor.at + length > end) throw new RangeError('a page ends inside a run')
  let value = 0
  for (let i = 0; i < length; i++) value |= cursor.bytes[cursor.at++]! << (8 * i)
  return value
}

/** @param length bytes of the whole run; some writers leave out the padding of the last one */
function readPacked(cursor: Cursor, end: number, width: number, output: Uint8Array | Int32Array, length: number): void {
  const { bytes, at } = cursor
  if (at + Math.ceil((output.length * width) / 8) > end) throw new RangeError('a page ends inside a run')
  let bit = at * 8
  for (let i = 0; i < output.length; i++) {
    let value = 0
    for (let got = 0; got < width; ) {
      const shift = bit & 7
      const take = Math.min(8 - shift, width - got)
      value |= ((bytes[bit >>> 3]! >>> shift) & ((1 << take) - 1)) << got
      got += take
      bit += take
    }
    output[i] = value
  }
  cursor.at = Math.min(at + length, end)
}

/** Bits that hold the numbers 0 to `max`. */
export function bitWidth(max: number): number {
  return 32 - Math.clz32(max)
}
