/** MD5, SHA-1, SHA-2 and CRC-32, all at once and synchronous, which the platform's own digests are not. */

/** The message with its bit length behind it, filled up to whole blocks. */
function paddedMessage(bytes: Uint8Array, block: number, littleEndian: boolean): DataView {
  const lengthBytes = block / 8
  const total = Math.ceil((bytes.length + 1 + lengthBytes) / block) * block
  const data = new Uint8Array(total)
  data.set(bytes)
  data[bytes.length] = 0x80
  const view = new DataView(data.buffer)
  view.setBigUint64(total - 8, BigInt(bytes.length) * 8n, littleEndian)
  return view
}

function rotateLeft(value: number, by: number): number {
  return (value << by) | (value >>> (32 - by))
}

function hexOfWords(words: readonly number[], littleEndian: boolean): string {
  const view = new DataView(new ArrayBuffer(words.length * 4))
  words.forEach((word, i) => {
    view.setInt32(i * 4, word, littleEndian)
  })
  return Array.from(new Uint8Array(view.buffer), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

const MD5_SHIFTS = [7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21]
const MD5_SINES = Array.from({ length: 64 }, (_, i) => Math.floor(Math.abs(Math.sin(i + 1)) * 2 ** 32) | 0)

/** @returns 32 hex digits */
export function md5(bytes: Uint8Array): string {
  const message = paddedMessage(bytes, 64, true)
  let state: [number, number, number, number] = [0x67452301, 0xefcdab89 | 0, 0x98badcfe | 0, 0x10325476]
  for (let block = 0; block < message.byteLength; block += 64) {
    let [a, b, c, d] = state
    for (let i = 0; i < 64; i++) {
      const [mixed, word] = md5Step(i, b, c, d)
      const sum = (a + mixed + MD5_SINES[i]! + message.getInt32(block + word * 4, true)) | 0
      const next = (b + rotateLeft(sum, MD5_SHIFTS[(i >> 4) * 4 + (i % 4)]!)) | 0
      ;[a, b, c, d] = [d, next, b, c]
    }
    state = [(state[0] + a) | 0, (state[1] + b) | 0, (state[2] + c) | 0, (state[3] + d) | 0]
  }
  return hexOfWords(state, true)
}

function md5Step(i: number, b: number, c: number, d: number): [number, number] {
  if (i < 16) return [(b & c) | (~b & d), i]
  if (i < 32) return [(d & b) | (~d & c), (5 * i + 1) % 16]
  if (i < 48) return [b ^ c ^ d, (3 * i + 5) % 16]
  return [c ^ (b | ~d), (7 * i) % 16]
}

/** @returns 40 hex digits */
export function sha1(bytes: Uint8Array): string {
  const message = paddedMessage(bytes, 64, false)
  const state = [0x67452301, 0xefcdab89 | 0, 0x98badcfe | 0, 0x10325476, 0xc3d2e1f0 | 0]
  for (let block = 0; block < message.byteLength; block += 64) {
    const words = Array.from({ length: 16 }, (_, i) => message.getInt32(block + i * 4))
    for (let i = 16; i < 80; i++) {
      words.push(rotateLeft(words[i - 3]! ^ words[i - 8]! ^ words[i - 14]! ^ words[i - 16]!, 1))
    }
    let [a, b, c, d, e] = state as [number, number, number, number, number]
    for (let i = 0; i < 80; i++) {
      const [mixed, constant] = sha1Step(i, b, c, d)
      const next = (rotateLeft(a, 5) + mixed + e + constant + words[i]!) | 0
      ;[a, b, c, d, e] = [next, a, rotateLeft(b, 30), c, d]
    }
    for (const [i, value] of [a, b, c, d, e].entries()) state[i] = (state[i]! + value) | 0
  }
  return hexOfWords(state, false)
}

function sha1Step(i: number, b: number, c: number, d: number): [number, number] {
  if (i < 20) return [(b & c) | (~b & d), 0x5a827999]
  if (i < 40) return [b ^ c ^ d, 0x6ed9eba1]
  if (i < 60) return [(b & c) | (b & d) | (c & d), 0x8f1bbcdc | 0]
  return [b ^ c ^ d, 0xca62c1d6 | 0]
}

function firstPrimes(count: number): bigint[] {
  const primes: bigint[] = []
  for (let n = 2n; primes.length < count; n++) if (primes.every((prime) => n % prime !== 0n)) primes.push(n)
  return primes
}

/** The largest number whose power is not above a value. */
function integerRoot(value: bigint, power: bigint): bigint {
  let low = 0n
  let high = 1n << (BigInt(value.toString(2).length) / power + 1n)
  while (low < high) {
    const middle = (low + high + 1n) / 2n
    if (middle ** power <= value) low = middle
    else high = middle - 1n
  }
  return low
}

/** The first 64 bits of the fraction of a root: where SHA-2 takes its constants from. */
function rootFraction(prime: bigint, power: bigint): bigint {
  return BigInt.asUintN(64, integerRoot(prime << (64n * power), power))
}

interface Sha2 {
  readonly bits: number
  readonly rounds: number
  readonly constants: readonly bigint[]
  readonly start: readonly bigint[]
  /** rotations of the two big sums, and rotations and shift of the two small ones */
  readonly turns: readonly (readonly [bigint, bigint, bigint])[]
}

const SMALL_TURNS = [
  [2n, 13n, 22n],
  [6n, 11n, 25n],
  [7n, 18n, 3n],
  [17n, 19n, 10n],
] as const
const LARGE_TURNS = [
  [28n, 34n, 39n],
  [14n, 18n, 41n],
  [1n, 8n, 7n],
  [19n, 61n, 6n],
] as const

function sha2Variants(): ReadonlyMap<number, Sha2> {
  const primes = firstPrimes(80)
  const cubeRoots = primes.map((prime) => rootFraction(prime, 3n))
  const squareRoots = primes.slice(0, 16).map((prime) => rootFraction(prime, 2n))
  const small = { bits: 32, rounds: 64, constants: cubeRoots.map((root) => root >> 32n), turns: SMALL_TURNS }
  const large = { bits: 64, rounds: 80, constants: cubeRoots, turns: LARGE_TURNS }
  return new Map<number, Sha2>([
    [224, { ...small, start: squareRoots.slice(8).map((root) => BigInt.asUintN(32, root)) }],
    [256, { ...small, start: squareRoots.slice(0, 8).map((root) => root >> 32n) }],
    [384, { ...large, start: squareRoots.slice(8) }],
    [512, { ...large, start: squareRoots.slice(0, 8) }],
  ])
}

/** Made at the first digest: the roots take longer than the rest of loading this layer. */
let variants: ReadonlyMap<number, Sha2> | undefined

/** @returns hex digits, or undefined where there is no SHA-2 of that many bits */
export function sha2(bytes: Uint8Array, bits: number): string | undefined {
  variants ??= sha2Variants()
  const variant = variants.get(bits)
  if (variant === undefined) return undefined
  const block = variant.bits * 2
  const message = paddedMessage(bytes, block, false)
  let state = [...variant.start]
  for (let at = 0; at < message.byteLength; at += block)
    state = sha2Block(variant, state, schedule(variant, message, at))
  return state
    .map((word) => word.toString(16).padStart(variant.bits / 4, '0'))
    .join('')
    .slice(0, bits / 4)
}

function turned(value: bigint, by: bigint, bits: number): bigint {
  return BigInt.asUintN(bits, (value >> by) | (value << (BigInt(bits) - by)))
}

function schedule({ bits, rounds, turns }: Sha2, message: DataView, at: number): bigint[] {
  const small = (value: bigint, [a, b, shift]: readonly [bigint, bigint, bigint]): bigint =>
    turned(value, a, bits) ^ turned(value, b, bits) ^ (value >> shift)
  const words = Array.from({ length: 16 }, (_, i) =>
    bits === 32 ? BigInt(message.getUint32(at + i * 4)) : message.getBigUint64(at + i * 8),
  )
  for (let i = 16; i < rounds; i++) {
    const sum = words[i - 16]! + small(words[i - 15]!, turns[2]!) + words[i - 7]! + small(words[i - 2]!, turns[3]!)
    words.push(BigInt.asUintN(bits, sum))
  }
  return words
}

function sha2Block({ bits, constants, turns }: Sha2, state: readonly bigint[], words: readonly bigint[]): bigint[] {
  const big = (value: bigint, [x, y, z]: readonly [bigint, bigint, bigint]): bigint =>
    turned(value, x, bits) ^ turned(value, y, bits) ^ turned(value, z, bits)
  let [a, b, c, d, e, f, g, h] = state as [bigint, bigint, bigint, bigint, bigint, bigint, bigint, bigint]
  for (const [i, word] of words.entries()) {
    const first = h + big(e, turns[1]!) + ((e & f) ^ (~e & g)) + constants[i]! + word
    const second = big(a, turns[0]!) + ((a & b) ^ (a & c) ^ (b & c))
    ;[h, g, f, e, d, c, b, a] = [
      g,
      f,
      e,
      BigInt.asUintN(bits, d + first),
      c,
      b,
      a,
      BigInt.asUintN(bits, first + second),
    ]
  }
  return [a, b, c, d, e, f, g, h].map((value, i) => BigInt.asUintN(bits, state[i]! + value))
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte
  for (let i = 0; i < 8; i++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1
  return value
})

/** @returns 0 to 2^32 - 1 */
export function crc32(bytes: Uint8Array): number {
  let value = 0xffffffff
  for (const byte of bytes) value = CRC_TABLE[(value ^ byte) & 0xff]! ^ (value >>> 8)
  return (value ^ 0xffffffff) >>> 0
}
