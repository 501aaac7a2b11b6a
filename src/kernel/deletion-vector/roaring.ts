/**
 * The payload of a deletion vector: 64-bit Roaring bitmaps in the two forms that occur.
 *
 * Ordinary: magic 1681511377, a count, then buckets of (high word, 32-bit bitmap), all little-endian. The example
 * printed in the protocol has another: magic 1681511376, a count and sizes big-endian, bitmap n holding the values with
 * high word n. Source: Delta protocol, "Deletion Vector Format"; Roaring, "RoaringFormatSpec".
 */
import { type DeltaError, deltaError } from '../../errors/index.ts'

const PORTABLE_MAGIC = 1681511377
const NATIVE_MAGIC = 1681511376
const COOKIE_WITHOUT_RUNS = 12346
const COOKIE_WITH_RUNS = 12347
/** bitmaps with runs have an offset header only from this many containers on */
const OFFSETS_FROM = 4
const ARRAY_MAX = 4096
const BITMAP_BYTES = 8192
/** more positions than any data file has rows; refused before memory is taken for them */
const MAX_POSITIONS = 2 ** 31

/** One container: up to 65,536 positions that share their upper 48 bits. */
interface Container {
  readonly kind: 'array' | 'bitmap' | 'run'
  readonly high: number
  /** bits 16 to 31 of its positions, in place */
  readonly base: number
  readonly cardinality: number
  /** where its body begins, and for runs how many there are */
  readonly offset: number
  readonly runs: number
}

export interface RoaringExpectation {
  /** for messages */
  readonly vector: string
  readonly cardinality: number
  readonly numRecords: number | undefined
}

/**
 * The positions of a payload.
 *
 * @param bytes without size and checksum
 * @returns ascending, each once
 * @throws DeltaError `DELTA_DELETION_VECTOR_SIZE_MISMATCH` where the bytes end early or are not of either form,
 * `DELTA_DELETION_VECTOR_CARDINALITY_MISMATCH`, `DELTA_DELETION_VECTOR_INVALID_ROW_INDEX`
 */
export function decodePositions(bytes: Uint8Array, expected: RoaringExpectation): BigUint64Array<ArrayBuffer> {
  const reader = new PayloadReader(bytes, expected.vector)
  const containers = reader.containers()
  const total = containers.reduce((sum, container) => sum + container.cardinality, 0)
  if (total !== expected.cardinality) {
    const details = { vector: expected.vector, actual: total, expected: expected.cardinality }
    throw deltaError('DELTA_DELETION_VECTOR_CARDINALITY_MISMATCH', details)
  }
  if (total > MAX_POSITIONS) throw badRow(expected.vector, `${total} rows are more than a file can hold`)
  const positions = new BigUint64Array(total)
  fill(reader.view, containers, new PositionSink(positions, expected))
  return positions
}

function badRow(vector: string, reason: string): DeltaError {
  return deltaError('DELTA_DELETION_VECTOR_INVALID_ROW_INDEX', { vector, reason })
}

class PayloadReader {
  readonly view: DataView
  private readonly vector: string
  private position = 0

  constructor(bytes: Uint8Array, vector: string) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.vector = vector
  }

  containers(): readonly Container[] {
    const start = this.take(4)
    if (this.view.getUint32(start, true) === PORTABLE_MAGIC) return this.portableContainers()
    if (this.view.getUint32(start, false) === NATIVE_MAGIC) return this.nativeContainers()
    return this.fail('it begins with no known magic number')
  }

  private portableContainers(): Container[] {
    const count = this.view.getBigUint64(this.take(8), true)
    const containers: Container[] = []
    let lastHigh = -1
    for (let i = 0n; i < count; i++) {
      const high = this.view.getUint32(this.take(4), true)
      if (high <= lastHigh) this.fail('its buckets are not in order')
      lastHigh = high
      this.bitmap(high, containers)
    }
    return containers
  }

  private nativeContainers(): Container[] {
    const count = this.view.getInt32(this.take(4), false)
    const containers: Container[] = []
    for (let high = 0; high < count; high++) {
      const end = this.view.getInt32(this.take(4), false) + this.position
      this.bitmap(high, containers)
      if (this.position > end) this.fail('a bitmap is longer than its size')
      this.position = end
    }
    return containers
  }

  /** One standard 32-bit bitmap. */
  private bitmap(high: number, into: Container[]): void {
    const cookie = this.view.getUint32(this.take(4), true)
    const withRuns = (cookie & 0xffff) === COOKIE_WITH_RUNS
    if (!withRuns && cookie !== COOKIE_WITHOUT_RUNS) this.fail('a bitmap begins with no known cookie')
    const count = withRuns ? (cookie >>> 16) + 1 : this.view.getUint32(this.take(4), true)
    if (count > 65536) this.fail(`a bitmap has ${count} containers`)
    const runFlags = withRuns ? this.take((count + 7) >> 3) : undefined
    const header = this.take(count * 4)
    if (!withRuns || count >= OFFSETS_FROM) this.take(count * 4)
    for (let i = 0; i < count; i++) {
      const key = this.view.getUint16(header + i * 4, true)
      const cardinality = this.view.getUint16(header + i * 4 + 2, true) + 1
      const isRun = runFlags !== undefined && (this.view.getUint8(runFlags + (i >> 3)) & (1 << (i & 7))) !== 0
      into.push(this.container({ high, base: key * 65536, cardinality, isRun }))
    }
  }

  private container(head: { high: number; base: number; cardinality: number; isRun: boolean }): Container {
    const { isRun, ...rest } = head
    if (isRun) {
      const runs = this.view.getUint16(this.take(2), true)
      return { kind: 'run', ...rest, runs, offset: this.take(runs * 4) }
    }
    const kind = rest.cardinality <= ARRAY_MAX ? 'array' : 'bitmap'
    return { kind, ...rest, runs: 0, offset: this.take(kind === 'array' ? rest.cardinality * 2 : BITMAP_BYTES) }
  }

  private take(length: number): number {
    const start = this.position
    if (start + length > this.view.byteLength) this.fail('it ends too early')
    this.position += length
    return start
  }

  private fail(reason: string): never {
    throw deltaError('DELTA_DELETION_VECTOR_SIZE_MISMATCH', { vector: this.vector, reason })
  }
}

/** Takes positions in order and refuses those that are not. */
class PositionSink {
  private readonly positions: BigUint64Array
  /** the same memory as pairs of low and high word: a position is never made a bigint here */
  private readonly words: Uint32Array
  private readonly expected: RoaringExpectation
  private count = 0
  private last = -1

  constructor(positions: BigUint64Array<ArrayBuffer>, expected: RoaringExpectation) {
    this.positions = positions
    this.words = new Uint32Array(positions.buffer)
    this.expected = expected
  }

  push(high: number, low: number): void {
    const position = high * 2 ** 32 + low
    const { numRecords, vector } = this.expected
    if (position <= this.last) throw badRow(vector, `row ${position} is not in order`)
    if (this.count >= this.positions.length) throw this.countMismatch('more')
    if (numRecords !== undefined && position >= numRecords) {
      throw badRow(vector, `row ${position} is past the end of the file, which holds ${numRecords}`)
    }
    this.last = position
    this.words[this.count * 2] = low
    this.words[this.count * 2 + 1] = high
    this.count++
  }

  finish(): void {
    if (this.count !== this.positions.length) throw this.countMismatch(String(this.count))
  }

  private countMismatch(actual: string): DeltaError {
    const details = { vector: this.expected.vector, actual, expected: this.positions.length }
    return deltaError('DELTA_DELETION_VECTOR_CARDINALITY_MISMATCH', details)
  }
}

function fill(view: DataView, containers: readonly Container[], sink: PositionSink): void {
  for (const container of containers) {
    if (container.kind === 'array') fillArray(view, container, sink)
    else if (container.kind === 'bitmap') fillBitmap(view, container, sink)
    else fillRuns(view, container, sink)
  }
  sink.finish()
}

function fillArray(view: DataView, { high, base, cardinality, offset }: Container, sink: PositionSink): void {
  for (let i = 0; i < cardinality; i++) sink.push(high, base + view.getUint16(offset + i * 2, true))
}

function fillBitmap(view: DataView, { high, base, offset }: Container, sink: PositionSink): void {
  for (let word = 0; word < BITMAP_BYTES / 4; word++) {
    let bits = view.getUint32(offset + word * 4, true)
    while (bits !== 0) {
      const bit = 31 - Math.clz32(bits & -bits)
      sink.push(high, base + word * 32 + bit)
      bits &= bits - 1
    }
  }
}

function fillRuns(view: DataView, { high, base, runs, offset }: Container, sink: PositionSink): void {
  for (let run = 0; run < runs; run++) {
    const start = view.getUint16(offset + run * 4, true)
    const length = view.getUint16(offset + run * 4 + 2, true)
    for (let i = 0; i <= length; i++) sink.push(high, base + start + i)
  }
}
