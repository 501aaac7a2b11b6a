/**
 * Commits read from the store, in parallel, split into small actions and the lines of file actions.
 *
 * The small ones are wanted at once (the protocol is checked before anything else); file actions are parsed only when
 * the index takes them in, so that a long log is never a heap of objects.
 */
import { deltaError, isDeltaError } from '../../errors/index.ts'
import type { ObjectStore } from '../../storage/index.ts'
import { mapParallel } from '../../support/index.ts'
import type { Action, Commit } from '../actions/actions.ts'
import {
  type CommitLine,
  faultOfCommit,
  parseCommitText,
  parseLines,
  splitCommit,
  validateCommit,
} from '../actions/commit-text.ts'
import { canonicalPath, commitKey } from '../paths/index.ts'
import type { FileActions } from '../snapshot/file-index.ts'
import type { KnownCommits } from './known-commits.ts'
import type { LogFile } from './listing.ts'
import type { WarningList } from './warnings.ts'

const PARALLEL_READS = 8
/** text of file actions held between the two passes; what is beyond it is read again */
const HELD_BYTES = 256 * 1024 * 1024

/** A commit whose small actions are known and whose file actions can be had. */
export interface LoadedCommit {
  readonly version: number
  readonly modifiedMs: number
  /** all actions but add, remove and cdc */
  readonly small: readonly Action[]
  fileActions(): Promise<FileActions>
  /** adds, removes and cdc actions */
  fileLines(): Promise<readonly Action[]>
}

export interface CommitReadOptions {
  readonly warnings: WarningList
  readonly signal?: AbortSignal
  /** commits that need not be read */
  readonly known?: KnownCommits | undefined
}

/**
 * Reads commits.
 *
 * @returns in the order of `files`
 * @throws DeltaError `FAILED_READ_FILE.NO_HINT` naming the file and the last version that can be read
 */
export async function loadCommits(
  store: ObjectStore,
  files: readonly LogFile[],
  options: CommitReadOptions,
): Promise<LoadedCommit[]> {
  let heldBytes = 0
  return await mapParallel(files, PARALLEL_READS, async (file) => {
    const { small, lines, size } = await readLines(store, file, options)
    heldBytes += size
    return new CommitOnDisk(store, file, options, small, heldBytes <= HELD_BYTES ? lines : undefined)
  })
}

class CommitOnDisk implements LoadedCommit {
  readonly version: number
  readonly modifiedMs: number
  readonly small: readonly Action[]
  private readonly store: ObjectStore
  private readonly file: LogFile
  private readonly options: CommitReadOptions
  private lines: readonly CommitLine[] | undefined

  constructor(
    store: ObjectStore,
    file: LogFile,
    options: CommitReadOptions,
    small: readonly Action[],
    lines: readonly CommitLine[] | undefined,
  ) {
    this.version = file.version
    this.modifiedMs = file.modifiedMs
    this.store = store
    this.file = file
    this.options = options
    this.small = small
    this.lines = lines
  }

  async fileActions(): Promise<FileActions> {
    return fileActionsOf(this.version, await this.fileLines())
  }

  async fileLines(): Promise<readonly Action[]> {
    const lines = this.lines ?? (await readLines(this.store, this.file, this.options)).lines
    return guarded(this.file, () => {
      const actions = parseLines(lines, strayLine(this.file, this.options.warnings))
      refuseRepeatedAdds(fileActionsOf(this.version, actions).adds)
      return actions
    })
  }
}

/**
 * Refuses a commit that adds one path twice: under two deletion vectors its rows would come twice.
 *
 * @throws DeltaError `LAKE_COMMIT_MALFORMED`
 */
function refuseRepeatedAdds(adds: readonly { readonly path: string }[]): void {
  if (adds.length < 2) return
  const seen = new Set<string>()
  for (const { path } of adds) {
    const canonical = canonicalPath(path)
    if (seen.has(canonical)) throw deltaError('LAKE_COMMIT_MALFORMED', { reason: `it adds ${path} twice` })
    seen.add(canonical)
  }
}

/** The adds and removes among actions. */
export function fileActionsOf(version: number, actions: readonly Action[]): FileActions {
  return {
    version,
    adds: actions.flatMap((action) => ('add' in action ? [action.add] : [])),
    removes: actions.flatMap((action) => ('remove' in action ? [action.remove] : [])),
  }
}

async function readLines(
  store: ObjectStore,
  file: LogFile,
  options: CommitReadOptions,
): Promise<{ small: Action[]; lines: readonly CommitLine[]; size: number }> {
  const bytes = options.known?.get(file.version)?.bytes ?? (await readBytes(store, file, options.signal))
  return guarded(file, () => {
    const { small, files } = splitCommit(bytes)
    const actions = parseLines(small, strayLine(file, options.warnings))
    validateCommit(actions)
    // a line that begins in an unusual way may hold a file action all the same
    const odd = small.filter((_, i) => isFileAction(actions[i]!))
    return { small: actions.filter((action) => !isFileAction(action)), lines: [...files, ...odd], size: bytes.length }
  })
}

function isFileAction(action: Action): boolean {
  return 'add' in action || 'remove' in action || 'cdc' in action
}

/**
 * Reads a commit whole and keeps its text for whoever asks for it next.
 *
 * @throws DeltaError `FAILED_READ_FILE.NO_HINT`
 */
export async function readKnownCommit(
  store: ObjectStore,
  file: LogFile,
  { known, ...options }: CommitReadOptions & { readonly known: KnownCommits },
): Promise<Commit> {
  const { version, modifiedMs } = file
  const bytes = known.get(version)?.bytes ?? (await readBytes(store, file, options.signal))
  known.add({ version, bytes, modifiedMs })
  const actions = guarded(file, () => parseCommitText(bytes, strayLine(file, options.warnings)))
  return { version, modifiedMs, actions }
}

/**
 * All actions of one commit file, in the order of its lines.
 *
 * @throws DeltaError `FAILED_READ_FILE.NO_HINT`
 */
export async function readCommitActions(
  store: ObjectStore,
  file: LogFile,
  options: CommitReadOptions,
): Promise<Action[]> {
  const bytes = await readBytes(store, file, options.signal)
  return guarded(file, () => parseCommitText(bytes, strayLine(file, options.warnings)))
}

async function readBytes(store: ObjectStore, file: LogFile, signal: AbortSignal | undefined): Promise<Uint8Array> {
  try {
    return await store.get(file.key, { ...(signal && { signal }) })
  } catch (error) {
    if (isDeltaError(error, 'LAKE_OBJECT_NOT_FOUND')) throw unreadable(file, error)
    throw error
  }
}

function strayLine(file: LogFile, warnings: WarningList): (line: number) => void {
  return (line) => warnings.add(`${file.key} has text behind the action of line ${line}; it was passed over`)
}

function guarded<T>(file: LogFile, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw unreadable(file, error)
  }
}

function unreadable(file: LogFile, cause: unknown): Error {
  const readable = file.version === 0 ? 'no version can be read' : `version ${file.version - 1} may still be readable`
  return deltaError('FAILED_READ_FILE.NO_HINT', { file: file.key, cause: faultOfCommit(cause), readable }, { cause })
}

/** Where a commit lies, for those who know its version and have no listing. */
export function commitFile(version: number): LogFile {
  return { version, key: commitKey(version), size: 0, modifiedMs: 0 }
}
