/** The hint `_last_checkpoint`: where the newest checkpoint is, so that a reader need not list the whole log. */
import { isDeltaError } from '../../errors/index.ts'
import type { ObjectStore } from '../../storage/index.ts'
import { decodeUtf8, encodeUtf8, isJsonObject, type JsonObject, parseJson, printJson } from '../../support/index.ts'
import type { SidecarFile } from '../actions/actions.ts'
import { hintChecksum } from '../log/index.ts'
import { LAST_CHECKPOINT_KEY, LOG_PREFIX } from '../paths/index.ts'

export interface CheckpointHint {
  readonly version: number
  /** actions in the checkpoint, sidecars included */
  readonly size: number
  readonly sizeInBytes: number
  readonly numOfAddFiles: number
  /** present where the checkpoint has the v2 form */
  readonly v2Checkpoint?: V2CheckpointHint
}

export interface V2CheckpointHint {
  /** of the main file */
  readonly key: string
  readonly sizeInBytes: number
  readonly modificationTime: number
  readonly sidecars: readonly SidecarFile[]
}

/** A hint with more sidecars than this would be longer than what it saves. */
const MAX_SIDECARS = 30

/**
 * Points the hint at a checkpoint, unless it points at a newer one already.
 *
 * A hint that is wrong or missing changes no answer, so two writers need not agree here.
 */
export async function writeLastCheckpoint(store: ObjectStore, hint: CheckpointHint): Promise<void> {
  if ((await hintedVersion(store)) > hint.version) return
  const { version, size, sizeInBytes, numOfAddFiles, v2Checkpoint } = hint
  const v2 = v2Checkpoint && { v2Checkpoint: v2Json(v2Checkpoint) }
  const body: JsonObject = { version, size, sizeInBytes, numOfAddFiles, ...v2 }
  await store.put(LAST_CHECKPOINT_KEY, encodeUtf8(printJson({ ...body, checksum: hintChecksum(body) })))
}

function v2Json({ key, sizeInBytes, modificationTime, sidecars }: V2CheckpointHint): JsonObject {
  const path = key.slice(LOG_PREFIX.length)
  const files = sidecars.map((file) => ({
    path: file.path,
    sizeInBytes: file.sizeInBytes,
    modificationTime: file.modificationTime,
  }))
  return { path, sizeInBytes, modificationTime, ...(sidecars.length <= MAX_SIDECARS && { sidecarFiles: files }) }
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
