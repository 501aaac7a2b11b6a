/** MD5, which the log's hint is signed with and which the platform's own crypto does not offer. RFC 1321. */
import { encodeHex } from './text.ts'

const SHIFTS = [7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21]
const SINES = Uint32Array.from({ length: 64 }, (_, i) => Math.floor(Math.abs(Math.sin(i + 1)) * 2 ** 32))

/** Against faults, not against people. */
export function md5Hex(bytes: Uint8Array): string {
  const view = padded(bytes)
  const state = Uint32Array.of(0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476)
  for (let at = 0; at < view.byteLength; at += 64) mixBlock(state, view, at)
  const out = new DataView(new ArrayBuffer(16))
  for (const [i, word] of state.entries()) out.setUint32(4 * i, word, true)
  return encodeHex(new Uint8Array(out.buffer))
}

function padded(bytes: Uint8Array): DataView {
  const result = new Uint8Array(((bytes.length + 72) >> 6) << 6)
  result.set(bytes)
  result[bytes.length] = 0x80
  const view = new DataView(result.buffer)
  view.setBigUint64(result.length - 8, BigInt(bytes.length) * 8n, true)
  return view
}

function mixBlock(state: Uint32Array, view: DataView, at: number): void {
  let [a = 0, b = 0, c = 0, d = 0] = state
  for (let i = 0; i < 64; i++) {
    const { mixed, word } = round(i, b, c, d)
    const sum = (a + mixed + SINES[i]! + view.getUint32(at + 4 * word, true)) | 0
    const shift = SHIFTS[(i >> 4) * 4 + (i & 3)]!
    a = d
    d = c
    c = b
    b = (b + ((sum << shift) | (sum >>> (32 - shift)))) | 0
  }
  state[0]! += a
  state[1]! += b
  state[2]! += c
  state[3]! += d
}

function round(i: number, b: number, c: number, d: number): { mixed: number; word: number } {
  if (i < 16) return { mixed: (b & c) | (~b & d), word: i }
  if (i < 32) return { mixed: (d & b) | (~d & c), word: (5 * i + 1) & 15 }
  if (i < 48) return { mixed: b ^ c ^ d, word: (3 * i + 5) & 15 }
  return { mixed: c ^ (b | ~d), word: (7 * i) & 15 }
}
