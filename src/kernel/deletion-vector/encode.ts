/**
 * The payload of a deletion vector, written in the ordinary form: 64-bit Roaring bitmaps, portable, little-endian.
 *
 * Of an array, a bitmap and runs each container takes what is smallest. Source: Delta protocol, "Deletion Vector
 * Format"; Roaring, "RoaringFormatSpec".
 */
import { assert } from '../../errors/index.ts'
import { BLOCK_BYTES, type KeptBlock, LIST_MAX, popCount, type RowSet, rowsOf } from './row-set.ts'

const MAGIC = 1681511377
const COOKIE_WITHOUT_RUNS = 12346
const COOKIE_WITH_RUNS = 12347
/** bitmaps with runs have an offset header only from this many containers on */
const OFFSETS_FROM = 4
/** containers of one 32-bit bitmap */
const CONTAINERS = 65_536

/** A block in the form it is written in. */
interface Container {
  /** bits 16 to 31 of its positions */
  readonly key: number
  readonly cardinality: number
  readonly isRun: boolean
  readonly body: Uint8Array
}

/** @returns without size and checksum */
export function encodePositions(rows: RowSet): Uint8Array<ArrayBuffer> {
  const bitmaps = new Map<number, Container[]>()
  for (const [number, block] of rows.kept) {
    const high = Math.floor(number / CONTAINERS)
    assert(high < 2 ** 32, 'a position of a deletion vector is below 2^64')
    const containers = bitmaps.get(high)
    if (containers === undefined) bitmaps.set(high, [containerOf(number % CONTAINERS, block)])
    else containers.push(containerOf(number % CONTAINERS, block))
  }
  const parts = Array.from(bitmaps, ([high, containers]) => ({ high, containers, size: bitmapSize(containers) }))
  const writer = new ByteWriter(12 + parts.reduce((sum, { size }) => sum + 4 + size, 0))
  writer.uint32(MAGIC)
  writer.uint32(parts.length)
  writer.uint32(0)
  for (const { high, containers } of parts) {
    writer.uint32(high)
    writeBitmap(writer, containers)
  }
  return writer.bytes
}

function containerOf(key: number, block: KeptBlock): Container {
  const cardinality = popCount(block)
  const plainSize = cardinality <= LIST_MAX ? cardinality * 2 : BLOCK_BYTES
  const runs = runsOf(block)
  if (2 + runs.length * 2 < plainSize) {
    return { key, cardinality, isRun: true, body: bytesOf([runs.length / 2, ...runs]) }
  }
  const body = block instanceof Uint16Array ? bytesOf(block) : block
  return { key, cardinality, isRun: false, body }
}

/** First row and length less one of each run, one behind the other. */
function runsOf(block: KeptBlock): number[] {
  const runs: number[] = []
  let last = -2
  for (const row of rowsOf(block)) {
    if (row === last + 1) runs[runs.length - 1]!++
    else runs.push(row, 0)
    last = row
  }
  return runs
}

function bytesOf(values: readonly number[] | Uint16Array): Uint8Array {
  const writer = new ByteWriter(values.length * 2)
  for (const value of values) writer.uint16(value)
  return writer.bytes
}

function headerSize(containers: readonly Container[]): number {
  const count = containers.length
  if (!containers.some(({ isRun }) => isRun)) return 8 + count * 8
  return 4 + ((count + 7) >> 3) + count * (count >= OFFSETS_FROM ? 8 : 4)
}

function bitmapSize(containers: readonly Container[]): number {
  return containers.reduce((sum, { body }) => sum + body.length, headerSize(containers))
}

/** One standard 32-bit bitmap. */
function writeBitmap(writer: ByteWriter, containers: readonly Container[]): void {
  const withRuns = containers.some(({ isRun }) => isRun)
  if (withRuns) {
    writer.uint32(COOKIE_WITH_RUNS | ((containers.length - 1) << 16))
    writer.raw(runFlags(containers))
  } else {
    writer.uint32(COOKIE_WITHOUT_RUNS)
    writer.uint32(containers.length)
  }
  for (const { key, cardinality } of containers) {
    writer.uint16(key)
    writer.uint16(cardinality - 1)
  }
  if (!withRuns || containers.length >= OFFSETS_FROM) {
    let offset = headerSize(containers)
    for (const { body } of containers) {
      writer.uint32(offset)
      offset += body.length
    }
  }
  for (const { body } of containers) writer.raw(body)
}

function runFlags(containers: readonly Container[]): Uint8Array {
  const flags = new Uint8Array((containers.length + 7) >> 3)
  for (const [i, { isRun }] of containers.entries()) if (isRun) flags[i >> 3]! |= 1 << (i & 7)
  return flags
}

/** Little-endian values one behind the other. */
class ByteWriter {
  readonly bytes: Uint8Array<ArrayBuffer>
  private readonly view: DataView
  private position = 0

  constructor(size: number) {
    this.bytes = new Uint8Array(size)
    this.view = new DataView(this.bytes.buffer)
  }

  uint16(value: number): void {
    this.view.setUint16(this.position, value, true)
    this.position += 2
  }

  uint32(value: number): void {
    this.view.setUint32(this.position, value >>> 0, true)
    this.position += 4
  }

  raw(bytes: Uint8Array): void {
    this.bytes.set(bytes, this.position)
    this.position += bytes.length
  }
}
