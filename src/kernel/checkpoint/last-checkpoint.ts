/** The hint `_last_checkpoint`: where the newest checkpoint is, so that a reader need not list the whole log. */
import { isDeltaError } from '../../errors/index.ts'
import type { ObjectStore } from '../../storage/index.ts'
import { decodeUtf8, encodeUtf8, isJsonObject, parseJson, printJson } from '../../support/index.ts'
import { hintChecksum } from '../log/index.ts'
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
