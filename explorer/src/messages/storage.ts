/** What lies in the folder of a table, as the page and its engine tell it each other. */

/**
 * What an object of the folder is to a version: read by it; kept for other versions, or too young for VACUUM; named by
 * other versions alone and older than the retention; named by no commit; never looked at by VACUUM.
 */
export const STORED_STATES = ['live', 'kept', 'removable', 'orphaned', 'hidden'] as const
export type StoredState = (typeof STORED_STATES)[number]

export interface StoredSum {
  readonly files: number
  readonly bytes: number
}

export interface StoredFolder {
  /** `country=DE/month=2024-01`; empty for the table's root */
  readonly path: string
  /** folders below it included */
  readonly sums: Readonly<Record<StoredState, StoredSum>>
}

export interface StoredFile {
  readonly path: string
  readonly size: number
  readonly modifiedMs: number
  readonly state: StoredState
}

export interface StorageQuery {
  /** the files below it; empty for all */
  readonly folder: string
  readonly state: StoredState | null
  readonly offset: number
  readonly limit: number
}

/** What lies in the folder of a table beside its log. */
export interface StorageView {
  readonly version: number
  /** removed files are kept so long, milliseconds */
  readonly retentionMs: number
  /** in the order of a tree, the root first */
  readonly folders: readonly StoredFolder[]
  /** those the query asks for */
  readonly files: readonly StoredFile[]
  readonly total: number
  /** files of the version that are not there: the first ones, and how many */
  readonly missing: readonly string[]
  readonly numMissing: number
  /** what was not looked at, in words */
  readonly notes: readonly string[]
}
