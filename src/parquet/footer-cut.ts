/**
 * A footer without some of its row groups, by cutting their bytes out: everything else stays as the writer put it, also
 * what this package does not know.
 *
 * Source: Thrift compact protocol; Parquet, FileMetaData (field 3 `num_rows`, field 4 `row_groups`), RowGroup (field 3
 * `num_rows`).
 */
import { concatBytes } from '../support/index.ts'

const LIST = 9
const STRUCT = 12
const I64 = 6
const NUM_ROWS = 3
const ROW_GROUPS = 4
const MAX_DEPTH = 32

interface Span {
  readonly start: number
  readonly end: number
}

/**
 * @param keep places of row groups, ascending
 * @throws RangeError where the bytes are no such footer
 */
export function cutRowGroups(footer: Uint8Array, keep: readonly number[]): Uint8Array {
  const walker = new Walker(footer)
  const fields = walker.fieldsOfStruct()
  const list = fields.get(ROW_GROUPS)
  const numRows = fields.get(NUM_ROWS)
  if (list?.type !== LIST || numRows?.type !== I64 || numRows.start > list.start) {
    throw new RangeError('its footer has its fields in another order')
  }
  const groups = elementsOf(footer, list.start)
  const kept = keep.map((index) => groups[index]!)
  const rows = kept.reduce((sum, group) => sum + rowsOf(footer, group), 0n)
  return concatBytes([
    footer.subarray(0, numRows.start),
    Uint8Array.from(varint(rows << 1n)),
    footer.subarray(numRows.end, list.start),
    Uint8Array.from(listHeader(kept.length)),
    ...kept.map(({ start, end }) => footer.subarray(start, end)),
    footer.subarray(list.end),
  ])
}

function elementsOf(footer: Uint8Array, listStart: number): readonly Span[] {
  const walker = new Walker(footer, listStart)
  const { size, type } = walker.listHeader()
  if (type !== STRUCT) throw new RangeError('its footer has row groups of another type')
  const spans: Span[] = []
  for (let i = 0; i < size; i++) {
    const start = walker.at
    walker.skip(STRUCT)
    spans.push({ start, end: walker.at })
  }
  return spans
}

function rowsOf(footer: Uint8Array, group: Span): bigint {
  const field = new Walker(footer, group.start).fieldsOfStruct().get(NUM_ROWS)
  if (field?.type !== I64) throw new RangeError('a row group in its footer has no number of rows')
  return new Walker(footer, field.start).varint() >> 1n
}

function listHeader(size: number): number[] {
  return size < 15 ? [(size << 4) | STRUCT] : [0xf0 | STRUCT, ...varint(BigInt(size))]
}

function varint(value: bigint): number[] {
  const bytes: number[] = []
  let rest = value
  for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80)
  bytes.push(Number(rest))
  return bytes
}

/** Steps over values of the compact protocol. */
class Walker {
  at: number
  private readonly bytes: Uint8Array
  private depth = 0

  constructor(bytes: Uint8Array, at = 0) {
    this.bytes = bytes
    this.at = at
  }

  /** Where the value of each field stands; the walker is behind the struct afterwards. */
  fieldsOfStruct(): Map<number, Span & { readonly type: number }> {
    const fields = new Map<number, Span & { readonly type: number }>()
    let id = 0
    for (let header = this.byte(); header !== 0; header = this.byte()) {
      const type = header & 0x0f
      const step = header >> 4
      id = step === 0 ? Number(unzigzag(this.varint())) : id + step
      const start = this.at
      // a boolean field is its type
      if (type > 2) this.skip(type)
      fields.set(id, { type, start, end: this.at })
    }
    return fields
  }

  listHeader(): { readonly size: number; readonly type: number } {
    const header = this.byte()
    const size = header >> 4
    return { size: size === 15 ? Number(this.varint()) : size, type: header & 0x0f }
  }

  varint(): bigint {
    let value = 0n
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.byte()
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
    throw new RangeError('its footer holds a number that does not end')
  }

  skip(type: number): void {
    if (++this.depth > MAX_DEPTH) throw new RangeError('its footer is nested too deeply')
    if (type <= 3) this.advance(1)
    else if (type <= 6) this.varint()
    else if (type === 7) this.advance(8)
    else if (type === 8) this.advance(Number(this.varint()))
    else if (type === LIST || type === 10) this.skipList()
    else if (type === 11) this.skipMap()
    else if (type === STRUCT) this.fieldsOfStruct()
    else throw new RangeError(`its footer holds a value of the unknown type ${type}`)
    this.depth--
  }

  private skipList(): void {
    const { size, type } = this.listHeader()
    for (let i = 0; i < size; i++) this.skip(type)
  }

  private skipMap(): void {
    const size = Number(this.varint())
    if (size === 0) return
    const types = this.byte()
    for (let i = 0; i < size; i++) {
      this.skip(types >> 4)
      this.skip(types & 0x0f)
    }
  }

  private byte(): number {
    this.advance(1)
    return this.bytes[this.at - 1]!
  }

  private advance(count: number): void {
    if (count > this.bytes.length - this.at) throw new RangeError('its footer ends too early')
    this.at += count
  }
}

function unzigzag(value: bigint): bigint {
  return (value >> 1n) ^ -(value & 1n)
}
