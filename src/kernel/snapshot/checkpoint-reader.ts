/**
 * A checkpoint read up to its files of file actions: the small actions, and which files the index takes over.
 *
 * Damage shows here or while the index reads; it is wrapped in `CheckpointFault`, so that the loader can tell it from a
 * damaged commit and start from an older checkpoint.
 */
import { causeText, type DeltaError, deltaError, isDeltaError } from '../../errors/index.ts'
import type { ObjectStore } from '../../storage/index.ts'
import type { Action, ActionKind } from '../actions/actions.ts'
import type { CheckpointCandidate } from '../log/index.ts'
import { decodePath, SIDECAR_PREFIX } from '../paths/index.ts'
import type { CheckpointFile, LogEngine } from './file-index.ts'
import { readJsonCheckpoint } from './json-checkpoint.ts'
import { sidecarsOf } from './small-state.ts'

/**
 * A checkpoint could not be read: the reason, and as cause the error for when nothing else gives the version; never
 * leaves this folder.
 */
export class CheckpointFault extends Error {
  constructor(file: unknown, reason: string, cause: unknown) {
    const details = { file, cause: reason, readable: 'nothing else in the log gives this version' }
    super(reason, { cause: deltaError('FAILED_READ_FILE.NO_HINT', details, { cause }) })
  }
}

/** What is no fault of a checkpoint's bytes: trying another one would not help. */
const NOT_THE_FILE = [
  'LAKE_CANCELLED',
  'LAKE_INTERNAL',
  'LAKE_STORAGE_UNAVAILABLE',
  'LAKE_STORAGE_ACCESS_DENIED',
] as const

/** @throws CheckpointFault around what says that the bytes are missing or wrong; everything else as it is */
export async function withCheckpointFault<T>(candidate: CheckpointCandidate, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof CheckpointFault || isDeltaError(error, ...NOT_THE_FILE)) throw error
    const { file, cause: reason } = isDeltaError(error, 'FAILED_READ_FILE.NO_HINT') ? error.details : {}
    if (typeof reason === 'string') throw new CheckpointFault(file, reason, (error as DeltaError).cause)
    throw new CheckpointFault(candidate.files[0]!.key, causeText(error), error)
  }
}

export interface CheckpointContent {
  readonly actions: readonly Action[]
  /** main files and sidecars */
  readonly files: readonly CheckpointFile[]
}

const SMALL_KINDS: readonly ActionKind[] = ['protocol', 'metaData', 'txn', 'domainMetadata', 'sidecar']

/** @throws CheckpointFault */
export async function readSmallActions(
  store: ObjectStore,
  log: LogEngine,
  candidate: CheckpointCandidate,
  signal?: AbortSignal,
): Promise<CheckpointContent> {
  return await withCheckpointFault(candidate, async () => {
    const options = signal === undefined ? {} : { signal }
    const actions: Action[] = []
    for (const file of candidate.files.filter(({ format }) => format === 'json')) {
      actions.push(...(await readJsonCheckpoint(store, file, SMALL_KINDS)))
    }
    const parquet = candidate.files.filter(({ format }) => format === 'parquet')
    if (parquet.length > 0) {
      for await (const page of log.readCheckpoint(store, parquet, SMALL_KINDS, options)) actions.push(...page)
    }
    const sidecars = sidecarsOf(actions).map(({ path, sizeInBytes }): CheckpointFile => {
      return { key: `${SIDECAR_PREFIX}${decodePath(path)}`, size: sizeInBytes, format: 'parquet' }
    })
    return { actions, files: [...candidate.files, ...sidecars] }
  })
}
