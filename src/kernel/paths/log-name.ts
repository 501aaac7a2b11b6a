/**
 * Names of the files in `_delta_log`: made for writing, recognised when listing.
 *
 * A name that is none of these is no part of the log and is passed over. Source: Delta protocol, "File Types".
 */
import { assert } from '../../errors/index.ts'

/** The folder of the log, with its slash: the prefix of every key below. */
export const LOG_PREFIX = '_delta_log/'
export const SIDECAR_PREFIX = `${LOG_PREFIX}_sidecars/`
export const STAGED_COMMIT_PREFIX = `${LOG_PREFIX}_staged_commits/`
export const LAST_CHECKPOINT_KEY = `${LOG_PREFIX}_last_checkpoint`

/** What a name in the log folder says. */
export type LogName =
  | { readonly kind: 'commit'; readonly version: number }
  | { readonly kind: 'checksum'; readonly version: number }
  /** versions `from` to `version`, both included */
  | { readonly kind: 'compaction'; readonly from: number; readonly version: number }
  | { readonly kind: 'checkpoint'; readonly version: number; readonly form: CheckpointForm }

export type CheckpointForm =
  | { readonly kind: 'classic' }
  /** 1-based `part` of `parts` */
  | { readonly kind: 'multi-part'; readonly part: number; readonly parts: number }
  | { readonly kind: 'uuid'; readonly uuid: string; readonly format: 'parquet' | 'json' }

const NAME =
  /^(\d{20})\.(?:(crc)|(\d{20})\.compacted\.json|checkpoint\.(?:(parquet)|(\d{10})\.(\d{10})\.parquet|([0-9a-fA-F-]{36})\.(parquet|json)))$/

/**
 * Reads the name of a file in the log folder.
 *
 * @param name without the folder
 * @returns undefined where the name is none of the log's, or its version cannot be held exactly
 */
export function parseLogName(name: string): LogName | undefined {
  const commit = commitVersion(name)
  if (commit >= 0) return { kind: 'commit', version: commit }
  const match = NAME.exec(name)
  if (match === null) return undefined
  const version = Number(match[1])
  if (!Number.isSafeInteger(version)) return undefined
  if (match[2] !== undefined) return { kind: 'checksum', version }
  if (match[3] !== undefined) return compactionName(version, Number(match[3]))
  return checkpointName(version, match)
}

const COMMIT_NAME_LENGTH = 25

/** The version of a commit's name, -1 where it is none: most names of a log are, so they are read by hand. */
function commitVersion(name: string): number {
  if (name.length !== COMMIT_NAME_LENGTH || !name.endsWith('.json')) return -1
  let version = 0
  for (let i = 0; i < 20; i++) {
    const digit = name.charCodeAt(i) - 48
    if (!(digit >= 0 && digit <= 9)) return -1
    version = version * 10 + digit
  }
  return Number.isSafeInteger(version) ? version : -1
}

function compactionName(from: number, to: number): LogName | undefined {
  return Number.isSafeInteger(to) && from < to ? { kind: 'compaction', from, version: to } : undefined
}

function checkpointName(version: number, match: RegExpExecArray): LogName | undefined {
  if (match[4] !== undefined) return { kind: 'checkpoint', version, form: { kind: 'classic' } }
  if (match[5] !== undefined) {
    const part = Number(match[5])
    const parts = Number(match[6])
    if (part < 1 || part > parts) return undefined
    return { kind: 'checkpoint', version, form: { kind: 'multi-part', part, parts } }
  }
  const format = match[8] === 'json' ? 'json' : 'parquet'
  return { kind: 'checkpoint', version, form: { kind: 'uuid', uuid: match[7]!.toLowerCase(), format } }
}

/** The key of a version's commit. */
export function commitKey(version: number): string {
  return `${versionKey(version)}.json`
}

/** The key of a version's classic checkpoint. */
export function checkpointKey(version: number): string {
  return `${versionKey(version)}.checkpoint.parquet`
}

/** The key of a V2 checkpoint's main file. */
export function uuidCheckpointKey(version: number, uuid: string, format: 'parquet' | 'json'): string {
  return `${versionKey(version)}.checkpoint.${uuid}.${format}`
}

/** The key of one part of a multi-part checkpoint; `part` counts from 1. */
export function checkpointPartKey(version: number, part: number, parts: number): string {
  const number = (n: number) => String(n).padStart(10, '0')
  return `${versionKey(version)}.checkpoint.${number(part)}.${number(parts)}.parquet`
}

/** The key of a version's checksum file. */
export function checksumKey(version: number): string {
  return `${versionKey(version)}.crc`
}

/** The key of the compacted file of the commits from one version to another, both included. */
export function compactionKey(from: number, to: number): string {
  return `${versionKey(from)}.${String(to).padStart(20, '0')}.compacted.json`
}

/** What every name of a version begins with; all of them sort behind it. */
export function versionKey(version: number): string {
  assert(Number.isSafeInteger(version) && version >= 0, `${version} is a table version`)
  return `${LOG_PREFIX}${String(version).padStart(20, '0')}`
}
