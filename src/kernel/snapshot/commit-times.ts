/**
 * When a version was committed.
 *
 * The in-commit timestamp where the table has them at that version, else the modification time of the commit file.
 * Source: Delta protocol, "In-Commit Timestamps".
 */
import { deltaError } from '../../errors/index.ts'
import type { ObjectStore } from '../../storage/index.ts'
import { decodeUtf8, JsonNumber } from '../../support/index.ts'
import type { CommitInfo, Metadata } from '../actions/actions.ts'
import { faultOfCommit, parseCommitText } from '../actions/commit-text.ts'
import type { LoadedCommit, LogFile } from '../log/index.ts'
import { property } from '../properties/index.ts'
import { commitInfoOf } from './small-state.ts'

/** Since when a table has in-commit timestamps. */
export interface InCommitTimestamps {
  readonly fromVersion: number
  /** undefined: from the first version on */
  readonly fromMs: number | undefined
}

/** @returns undefined where the table has none now */
export function inCommitTimestamps({ configuration }: Metadata): InCommitTimestamps | undefined {
  if (!property(configuration, 'enableInCommitTimestamps')) return undefined
  return {
    fromVersion: property(configuration, 'inCommitTimestampEnablementVersion') ?? 0,
    fromMs: property(configuration, 'inCommitTimestampEnablementTimestamp'),
  }
}

/** @returns undefined where the commit has none */
export function inCommitTimestampOf(info: CommitInfo | undefined): number | undefined {
  const value = info?.inCommitTimestamp
  const number = value instanceof JsonNumber ? Number(value.text) : value
  return typeof number === 'number' && Number.isSafeInteger(number) ? number : undefined
}

export interface CommitTimeSource {
  readonly version: number
  /** the commit, where it has been read */
  readonly commit: LoadedCommit | undefined
  /** its file, where it is there */
  readonly file: LogFile | undefined
  /** the time of a checkpoint, for a version whose commit is gone */
  readonly otherwiseMs: number
}

export async function commitTimestampMs(
  store: ObjectStore,
  metadata: Metadata,
  { version, commit, file, otherwiseMs }: CommitTimeSource,
): Promise<number> {
  const timestamps = inCommitTimestamps(metadata)
  if (timestamps !== undefined && version >= timestamps.fromVersion) {
    const info = commit === undefined ? file && (await readCommitInfo(store, file)) : commitInfoOf(commit.small)
    const inCommit = inCommitTimestampOf(info)
    if (inCommit !== undefined) return inCommit
  }
  return file?.modifiedMs ?? otherwiseMs
}

/** a commitInfo that stands first is found without reading the rest of a commit */
const FIRST_BYTES = 64 * 1024
const COMMIT_INFO = /^\s*\{\s*"commitInfo"/

/**
 * The commitInfo of a commit, wherever it stands.
 *
 * @throws DeltaError `FAILED_READ_FILE.NO_HINT`
 */
export async function readCommitInfo(
  store: ObjectStore,
  file: LogFile,
  signal?: AbortSignal,
): Promise<CommitInfo | undefined> {
  const options = signal === undefined ? {} : { signal }
  const head = await store.getRange(file.key, { start: 0, end: FIRST_BYTES }, options)
  const whole = head.length < FIRST_BYTES
  try {
    const lines = decodeUtf8(head).split('\n')
    if (!whole) lines.pop()
    const found = lines.find((line) => COMMIT_INFO.test(line))
    if (found !== undefined) return commitInfoOf(parseCommitText(new TextEncoder().encode(found)))
    return commitInfoOf(parseCommitText(whole ? head : await store.get(file.key, options)))
  } catch (cause) {
    const details = { file: file.key, cause: faultOfCommit(cause), readable: 'other versions may be readable' }
    throw deltaError('FAILED_READ_FILE.NO_HINT', details, { cause })
  }
}
