/** The index of live files in TypeScript arrays. */
import { deltaError } from '../../errors/index.ts'
import type { ObjectStore } from '../../storage/index.ts'
import type { Action, ActionKind } from '../actions/actions.ts'
import type { CheckpointFile, FileIndex, FileIndexSource } from './file-index.ts'

/** `LogEngine.readCheckpoint`. */
export type CheckpointReader = (
  store: ObjectStore,
  files: readonly CheckpointFile[],
  kinds: readonly ActionKind[],
) => AsyncIterable<readonly Action[]>

/**
 * Builds the index from a checkpoint's files and the commits after it.
 *
 * Entries carry the versions between which they live, so that `advance` costs what the commit costs and older indexes
 * of the chain stay valid.
 */
export async function arrayFileIndex(source: FileIndexSource, _readCheckpoint: CheckpointReader): Promise<FileIndex> {
  throw deltaError('LAKE_INTERNAL', { what: `an index of version ${source.version} can be built` })
}
