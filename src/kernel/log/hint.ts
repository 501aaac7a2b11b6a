/**
 * `_last_checkpoint`: where to begin listing. A hint only, it never changes the answer.
 *
 * Source: Delta protocol, "Last Checkpoint File".
 */
import { isDeltaError } from '../../errors/index.ts'
import type { ObjectStore } from '../../storage/index.ts'
import { decodeUtf8, isJsonObject, type JsonValue, parseJson } from '../../support/index.ts'
import { LAST_CHECKPOINT_KEY, parseLogName } from '../paths/index.ts'
import { hintChecksum } from './hint-checksum.ts'
import type { WarningList } from './warnings.ts'

export interface CheckpointHint {
  readonly version: number
  /** number of files of a multi-part checkpoint */
  readonly parts?: number
  /** file name of the main file of a V2 checkpoint */
  readonly v2Path?: string
}

/** More parts than this are no checkpoint that anyone wrote. */
const MAX_PARTS = 100_000

/**
 * Reads the hint.
 *
 * @returns undefined where there is none, or none that can be used; the latter with a warning
 * @throws StorageError what the store throws, other than for a missing or forbidden object
 */
export async function readHint(
  store: ObjectStore,
  warnings: WarningList,
  signal?: AbortSignal,
): Promise<CheckpointHint | undefined> {
  let bytes: Uint8Array
  try {
    bytes = await store.get(LAST_CHECKPOINT_KEY, { ...(signal && { signal }) })
  } catch (error) {
    if (isDeltaError(error, 'LAKE_OBJECT_NOT_FOUND', 'LAKE_STORAGE_ACCESS_DENIED')) return undefined
    throw error
  }
  const hint = parseHint(decodeUtf8(bytes))
  if (hint === undefined) warnings.add(`${LAST_CHECKPOINT_KEY} is not a checkpoint hint and was passed over`)
  return hint
}

/** @returns undefined where the text is no hint, or its checksum says that it is damaged */
export function parseHint(text: string): CheckpointHint | undefined {
  let json: JsonValue
  try {
    json = parseJson(text)
  } catch {
    return undefined
  }
  if (!isJsonObject(json) || !isCount(json.version)) return undefined
  const { version, parts, checksum } = json
  if (typeof checksum === 'string' && checksum.toLowerCase() !== hintChecksum(json)) return undefined
  const v2Path = checkpointName(json.v2Checkpoint)
  return {
    version,
    ...(isCount(parts) && parts > 0 && parts <= MAX_PARTS && { parts }),
    ...(v2Path !== undefined && { v2Path }),
  }
}

/** The name of a V2 checkpoint's main file; whatever is no such name is no path to follow. */
function checkpointName(v2: JsonValue | undefined): string | undefined {
  if (!isJsonObject(v2) || typeof v2.path !== 'string') return undefined
  return parseLogName(v2.path)?.kind === 'checkpoint' ? v2.path : undefined
}

function isCount(value: JsonValue | undefined): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}
