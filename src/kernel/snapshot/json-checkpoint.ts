/**
 * Checkpoints whose main file is JSON, one action a line; engines need to know only Parquet.
 *
 * Source: Delta protocol, "V2 Spec".
 */
import { deltaError } from '../../errors/index.ts'
import type { ObjectStore } from '../../storage/index.ts'
import type { Action, ActionKind } from '../actions/actions.ts'
import { faultOfCommit, parseCommitText } from '../actions/commit-text.ts'
import type { CheckpointFile } from './file-index.ts'

/**
 * The actions of some kinds in one JSON checkpoint file.
 *
 * @throws DeltaError `FAILED_READ_FILE.NO_HINT`
 */
export async function readJsonCheckpoint(
  store: ObjectStore,
  file: CheckpointFile,
  kinds: readonly ActionKind[],
): Promise<Action[]> {
  const bytes = await store.get(file.key)
  try {
    return parseCommitText(bytes).filter((action) => kinds.some((kind) => kind in action))
  } catch (cause) {
    const details = { file: file.key, cause: faultOfCommit(cause), readable: 'an older checkpoint may be readable' }
    throw deltaError('FAILED_READ_FILE.NO_HINT', details, { cause })
  }
}
