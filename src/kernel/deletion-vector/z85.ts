/** Base85 in the alphabet of ZeroMQ RFC 32, in which the log writes uuids and inline deletion vectors. */

const ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#'
const VALUE_OF: ReadonlyMap<string, number> = new Map(Array.from(ALPHABET, (character, value) => [character, value]))

/**
 * Five characters become four bytes, big-endian.
 *
 * @returns undefined where the length is no multiple of five, a character is not in the alphabet, or a group is above
 * 2^32 − 1
 */
export function decodeZ85(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (text.length % 5 !== 0) return undefined
  const bytes = new Uint8Array((text.length / 5) * 4)
  const view = new DataView(bytes.buffer)
  for (let group = 0; group * 5 < text.length; group++) {
    let value = 0
    for (let i = 0; i < 5; i++) value = value * 85 + (VALUE_OF.get(text[group * 5 + i]!) ?? Number.NaN)
    if (!(value <= 0xffffffff)) return undefined
    view.setUint32(group * 4, value)
  }
  return bytes
}

/** The other way; `bytes` has a multiple of four. */
export function encodeZ85(bytes: Uint8Array): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let text = ''
  for (let offset = 0; offset < bytes.length; offset += 4) {
    const value = view.getUint32(offset)
    for (let power = 4; power >= 0; power--) text += ALPHABET[Math.floor(value / 85 ** power) % 85]
  }
  return text
}
