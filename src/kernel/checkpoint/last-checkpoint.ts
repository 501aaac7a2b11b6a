/** The hint `_last_checkpoint`: where the newest checkpoint is, so that a reader need not list the whole log. */
import { isDeltaError } from '../../errors/index.ts'
import type { ObjectStore } from '../../storage/index.ts'
import {
  compareBytes,
  decodeUtf8,
  encodeUtf8,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  md5Hex,
  parseJson,
  printJson,
} from '../../support/index.ts'
import { LAST_CHECKPOINT_KEY } from '../paths/index.ts'

export interface CheckpointHint {
  readonly version: number
  /** actions in the checkpoint */
  readonly size: number
  readonly sizeInBytes: number
  readonly numOfAddFiles: number
}

/**
 * Points the hint at a checkpoint, unless it points at a newer one already.
 *
 * A hint that is wrong or missing changes no answer, so two writers need not agree here.
 */
export async function writeLastCheckpoint(store: ObjectStore, hint: CheckpointHint): Promise<void> {
  if ((await hintedVersion(store)) > hint.version) return
  const { version, size, sizeInBytes, numOfAddFiles } = hint
  const body = { version, size, sizeInBytes, numOfAddFiles }
  await store.put(LAST_CHECKPOINT_KEY, encodeUtf8(printJson({ ...body, checksum: hintChecksum(body) })))
}

/** @returns −1 where there is no hint that can be read */
async function hintedVersion(store: ObjectStore): Promise<number> {
  try {
    const json = parseJson(decodeUtf8(await store.get(LAST_CHECKPOINT_KEY)))
    return isJsonObject(json) && typeof json.version === 'number' ? json.version : -1
  } catch (error) {
    if (isDeltaError(error, 'LAKE_OBJECT_NOT_FOUND', 'LAKE_JSON_MALFORMED')) return -1
    throw error
  }
}

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
