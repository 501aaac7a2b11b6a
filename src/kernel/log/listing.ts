/**
 * What lies in the log folder, from a version on.
 *
 * Strays, sub-folders and names of no known form are passed over. Source: Delta protocol, "Delta Log Entries", "Checkpoints".
 */
import { deltaError } from '../../errors/index.ts'
import type { ObjectMeta, ObjectStore } from '../../storage/index.ts'
import { type CheckpointForm, LOG_PREFIX, parseLogName, versionKey } from '../paths/index.ts'

export interface LogFile {
  readonly version: number
  readonly key: string
  readonly size: number
  readonly modifiedMs: number
}

export interface CheckpointPart extends LogFile {
  readonly form: CheckpointForm
}

export interface CompactionFile extends LogFile {
  /** it stands for the commits from here to `version` */
  readonly from: number
}

/** Everything ascending by version, one commit a version. */
export interface LogListing {
  /** versions below it were not looked for */
  readonly from: number
  readonly commits: readonly LogFile[]
  readonly checkpoints: readonly CheckpointPart[]
  readonly compactions: readonly CompactionFile[]
  readonly checksums: readonly LogFile[]
}

export interface ListLogOptions {
  readonly from: number
  /** nothing above it is wanted; listing may stop there */
  readonly to?: number
  readonly signal?: AbortSignal
}

/**
 * Lists the log folder of a store that can list.
 *
 * A folder that others write to while it is read may show a commit and not the one before it: a gap is looked at again,
 * up to the newest commit seen, and stays only where a commit is missing indeed.
 */
export async function listLog(store: ObjectStore, options: ListLogOptions): Promise<LogListing> {
  const collected = new ListingBuilder(options.from)
  await collect(store, collected, options)
  const listing = collected.finish()
  if (!hasGap(listing)) return listing
  await collect(store, collected, { ...options, newest: listing.commits.at(-1)!.version })
  return collected.finish()
}

async function collect(
  store: ObjectStore,
  collected: ListingBuilder,
  { from, to, signal, newest }: ListLogOptions & { readonly newest?: number },
): Promise<void> {
  const start = from === 0 ? {} : { startAfter: versionKey(from) }
  const pages = store.list({ prefix: LOG_PREFIX, shallow: true, ...start, ...(signal && { signal }) })
  for await (const page of pages) {
    let passed = false
    for (const object of page) passed = collected.add(object, newest) > (to ?? Number.POSITIVE_INFINITY) || passed
    if (passed) break
  }
}

/** Whether a commit is missing between the newest checkpoint, else the beginning, and the newest commit. */
function hasGap({ from, commits, checkpoints }: LogListing): boolean {
  const newest = commits.at(-1)?.version ?? -1
  const checkpoint = checkpoints.findLast(({ version }) => version <= newest)?.version
  const first = checkpoint === undefined ? from : checkpoint + 1
  let present = 0
  for (let i = commits.length - 1; i >= 0 && commits[i]!.version >= first; i--) present++
  return newest >= first && present < newest - first + 1
}

/** Takes objects of the log folder in any order. */
export class ListingBuilder {
  private readonly from: number
  private readonly commits: LogFile[] = []
  private readonly checkpoints: CheckpointPart[] = []
  private readonly compactions: CompactionFile[] = []
  private readonly checksums: LogFile[] = []

  constructor(from: number) {
    this.from = from
  }

  /**
   * @param newest only commits up to it are taken
   * @returns the version of the file, or -1 where the object is no part of the log
   */
  add({ key, size, modifiedMs }: ObjectMeta, newest?: number): number {
    const name = key.startsWith(LOG_PREFIX) ? parseLogName(key.slice(LOG_PREFIX.length)) : undefined
    if (name === undefined || name.version < this.from) return -1
    if (newest !== undefined && (name.kind !== 'commit' || name.version > newest)) return name.version
    const file = { version: name.version, key, size, modifiedMs }
    if (name.kind === 'commit') this.commits.push(file)
    else if (name.kind === 'checkpoint') this.checkpoints.push({ ...file, form: name.form })
    else if (name.kind === 'compaction') this.compactions.push({ ...file, from: name.from })
    else this.checksums.push(file)
    return name.kind === 'compaction' ? name.from : name.version
  }

  /** Stores may give pages out of order, so everything is sorted here. */
  finish(): LogListing {
    const byVersion = (a: LogFile, b: LogFile) => a.version - b.version
    return {
      from: this.from,
      commits: onceEach(this.commits),
      checkpoints: this.checkpoints.sort(byVersion),
      compactions: this.compactions.sort(byVersion),
      checksums: this.checksums.sort(byVersion),
    }
  }
}

/** Ascending by version; of a version that was seen twice the later sight counts. */
function onceEach(commits: readonly LogFile[]): readonly LogFile[] {
  if (commits.every(({ version }, i) => i === 0 || version > commits[i - 1]!.version)) return [...commits]
  const byVersion = new Map(commits.map((file) => [file.version, file]))
  return [...byVersion.values()].sort((a, b) => a.version - b.version)
}

/** The newest version of the log, from commits and checkpoints. */
export function newestVersion(listing: LogListing): number | undefined {
  const commit = listing.commits.at(-1)?.version ?? -1
  const checkpoint = listing.checkpoints.at(-1)?.version ?? -1
  const newest = Math.max(commit, checkpoint)
  return newest < 0 ? undefined : newest
}

/** @throws DeltaError `DELTA_TABLE_NOT_FOUND` */
export function tableNotFound(store: ObjectStore): never {
  const reason = store.capabilities.list
    ? 'its _delta_log folder is missing or holds neither a commit nor a checkpoint'
    : 'it answers neither with a checkpoint hint nor with commit 0'
  throw deltaError('DELTA_TABLE_NOT_FOUND', { path: store.location, reason })
}
