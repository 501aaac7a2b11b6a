/** Spark's `hash` (Murmur3, 32 bits) and `xxhash64`, both with the seed 42, a value's hash being the seed of the next. */
import { decimalType, type Row, type Value } from '../../schema/index.ts'
import { type Decimal, encodeUtf8 } from '../../support/index.ts'
import { type ExpressionType, isInterval } from '../expression.ts'
import { unsupported } from '../unsupported.ts'

/** The three shapes of data a hash is made of. */
export interface HashKernel<S> {
  ofInt(value: number, seed: S): S
  ofLong(value: bigint, seed: S): S
  ofBytes(bytes: Uint8Array, seed: S): S
}

/** The hash of values of a type; NULL leaves the seed as it is. */
export function hasher<S>(type: ExpressionType, kernel: HashKernel<S>): (value: Value, seed: S) => S {
  const hash = hashOf(type, kernel)
  return (value, seed) => (value === null ? seed : hash(value, seed))
}

function hashOf<S>(type: ExpressionType, kernel: HashKernel<S>): (value: Exclude<Value, null>, seed: S) => S {
  if (isInterval(type)) {
    if (type.kind === 'interval_year_month') return (value, seed) => kernel.ofInt(value as number, seed)
    return (value, seed) => kernel.ofLong(value as bigint, seed)
  }
  switch (type.kind) {
    case 'boolean':
      return (value, seed) => kernel.ofInt(value === true ? 1 : 0, seed)
    case 'byte':
    case 'short':
    case 'integer':
    case 'date':
      return (value, seed) => kernel.ofInt(value as number, seed)
    case 'long':
    case 'timestamp':
    case 'timestamp_ntz':
      return (value, seed) => kernel.ofLong(value as bigint, seed)
    case 'float':
      return (value, seed) => kernel.ofInt(floatBits(value as number), seed)
    case 'double':
      return (value, seed) => kernel.ofLong(doubleBits(value as number), seed)
    case 'decimal':
      return decimalHash(type.precision, kernel)
    case 'string':
      return (value, seed) => kernel.ofBytes(encodeUtf8(value as string), seed)
    case 'binary':
      return (value, seed) => kernel.ofBytes(value as Uint8Array, seed)
    case 'array': {
      const element = hasher(type.element, kernel)
      return (value, seed) => (value as readonly Value[]).reduce((sum: S, item) => element(item, sum), seed)
    }
    case 'struct': {
      const fields = type.fields.map((f) => hasher(f.type, kernel))
      return (value, seed) => fields.reduce((sum, field, i) => field((value as Row)[i] ?? null, sum), seed)
    }
    case 'void':
      return (_value, seed) => seed
    default:
      throw unsupported(`the hash of the type ${type.kind}`, 'hash its parts')
  }
}

const view = new DataView(new ArrayBuffer(8))

function floatBits(value: number): number {
  view.setFloat32(0, Number.isNaN(value) ? Number.NaN : value + 0)
  return view.getInt32(0)
}

function doubleBits(value: number): bigint {
  view.setFloat64(0, Number.isNaN(value) ? Number.NaN : value + 0)
  return view.getBigInt64(0)
}

const LONG_DECIMAL = decimalType(18, 0).precision

function decimalHash<S>(precision: number, kernel: HashKernel<S>): (value: Exclude<Value, null>, seed: S) => S {
  if (precision <= LONG_DECIMAL) return (value, seed) => kernel.ofLong((value as Decimal).unscaled, seed)
  return (value, seed) => kernel.ofBytes(twosComplement((value as Decimal).unscaled), seed)
}

/** The fewest big-endian bytes that hold a number with its sign, as Java's BigInteger gives them. */
function twosComplement(value: bigint): Uint8Array {
  let length = 1
  while (BigInt.asIntN(length * 8, value) !== value) length++
  const unsigned = BigInt.asUintN(length * 8, value)
  return Uint8Array.from({ length }, (_, i) => Number((unsigned >> BigInt((length - 1 - i) * 8)) & 0xffn))
}

function rotate(value: number, by: number): number {
  return (value << by) | (value >>> (32 - by))
}

function mixWord(word: number): number {
  return Math.imul(rotate(Math.imul(word, 0xcc9e2d51), 15), 0x1b873593)
}

function mixHash(hash: number, word: number): number {
  return (Math.imul(rotate(hash ^ mixWord(word), 13), 5) + 0xe6546b64) | 0
}

function finish(hash: number, length: number): number {
  let h = hash ^ length
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return h ^ (h >>> 16)
}

/** Murmur3 as Spark has it: bytes past the last whole word are mixed one by one, each with its sign. */
export const murmur3: HashKernel<number> = {
  ofInt: (value, seed) => finish(mixHash(seed, value), 4),
  ofLong(value, seed) {
    const low = Number(BigInt.asIntN(32, value))
    const high = Number(BigInt.asIntN(32, value >> 32n))
    return finish(mixHash(mixHash(seed, low), high), 8)
  },
  ofBytes(bytes, seed) {
    const data = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
    const whole = bytes.length - (bytes.length % 4)
    let hash = seed
    for (let i = 0; i < whole; i += 4) hash = mixHash(hash, data.getInt32(i, true))
    for (let i = whole; i < bytes.length; i++) hash = mixHash(hash, data.getInt8(i))
    return finish(hash, bytes.length)
  },
}

const P1 = 0x9e3779b185ebca87n
const P2 = 0xc2b2ae3d27d4eb4fn
const P3 = 0x165667b19e3779f9n
const P4 = 0x85ebca77c2b2ae63n
const P5 = 0x27d4eb2f165667c5n

const u64 = (value: bigint): bigint => BigInt.asUintN(64, value)
const rotate64 = (value: bigint, by: bigint): bigint => u64((value << by) | (value >> (64n - by)))
const round = (sum: bigint, input: bigint): bigint => u64(rotate64(u64(sum + input * P2), 31n) * P1)

function avalanche(value: bigint): bigint {
  let h = u64((value ^ (value >> 33n)) * P2)
  h = u64((h ^ (h >> 29n)) * P3)
  return BigInt.asIntN(64, h ^ (h >> 32n))
}

/** The four lanes of 8 bytes, joined. */
function longStart(data: DataView, length: number, seed: bigint): bigint {
  const lanes = [u64(seed + P1 + P2), u64(seed + P2), seed, u64(seed - P1)]
  for (let at = 0; at + 32 <= length; at += 32) {
    for (let lane = 0; lane < 4; lane++) lanes[lane] = round(lanes[lane]!, data.getBigUint64(at + lane * 8, true))
  }
  const [a, b, c, d] = lanes as [bigint, bigint, bigint, bigint]
  const sum = u64(rotate64(a, 1n) + rotate64(b, 7n) + rotate64(c, 12n) + rotate64(d, 18n))
  return lanes.reduce((hash, lane) => u64((hash ^ round(0n, lane)) * P1 + P4), sum)
}

/** XXH64; values of 4 and 8 bytes are hashed as that many little-endian bytes. */
export const xxHash64: HashKernel<bigint> = {
  ofInt(value, seed) {
    const start = u64(u64(seed) + P5 + 4n) ^ u64(BigInt.asUintN(32, BigInt(value)) * P1)
    return avalanche(u64(rotate64(start, 23n) * P2 + P3))
  },
  ofLong(value, seed) {
    const start = u64(u64(seed) + P5 + 8n) ^ round(0n, u64(value))
    return avalanche(u64(rotate64(start, 27n) * P1 + P4))
  },
  ofBytes(bytes, seed) {
    const data = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
    const { length } = bytes
    let hash = length >= 32 ? longStart(data, length, u64(seed)) : u64(u64(seed) + P5)
    hash = u64(hash + BigInt(length))
    let at = length - (length % 32)
    for (; at + 8 <= length; at += 8) {
      hash = u64(rotate64(hash ^ round(0n, data.getBigUint64(at, true)), 27n) * P1 + P4)
    }
    if (at + 4 <= length) {
      hash = u64(rotate64(hash ^ u64(BigInt(data.getUint32(at, true)) * P1), 23n) * P2 + P3)
      at += 4
    }
    for (; at < length; at++) hash = u64(rotate64(hash ^ u64(BigInt(bytes[at]!) * P5), 11n) * P1)
    return avalanche(hash)
  },
}
