/** The checksum that `_last_checkpoint` carries of itself. Source: Delta protocol, "JSON checksum". */
import {
  compareBytes,
  encodeUtf8,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  md5Hex,
  printJson,
} from '../../support/index.ts'

/**
 * The checksum of a hint: MD5 of its canonical form, `checksum` itself left out.
 *
 * Source: Delta protocol, "Last Checkpoint File Schema", "JSON checksum"
 */
export function hintChecksum(hint: JsonObject): string {
  return md5Hex(encodeUtf8(canonicalHint(hint)))
}

/** Every leaf as `path=value`, sorted by bytes and joined by commas. */
export function canonicalHint(hint: JsonObject): string {
  const { checksum: _, ...rest } = hint
  const leaves: string[] = []
  collectLeaves(rest, [], leaves)
  return leaves.sort((a, b) => compareBytes(encodeUtf8(a), encodeUtf8(b))).join(',')
}

function collectLeaves(value: JsonValue | undefined, path: readonly string[], leaves: string[]): void {
  if (Array.isArray(value)) {
    const items = value as readonly JsonValue[]
    for (const [i, item] of items.entries()) collectLeaves(item, [...path, String(i)], leaves)
  } else if (isJsonObject(value)) {
    for (const [key, member] of Object.entries(value)) {
      if (member !== undefined) collectLeaves(member, [...path, quoted(key)], leaves)
    }
  } else {
    leaves.push(`${path.join('+')}=${typeof value === 'string' ? quoted(value) : printJson(value)}`)
  }
}

/** In double quotes, every byte percent-encoded but letters, digits and `-._~`. */
function quoted(text: string): string {
  let result = ''
  for (const byte of encodeUtf8(text)) {
    const character = String.fromCharCode(byte)
    result += /[A-Za-z0-9\-._~]/.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
  }
  return `"${result}"`
}
