/** What the explorer's server tells its page of a frozen repository: plain data. */

export interface RepositoryView {
  readonly root: string
  /** the branch that HEAD names */
  readonly head: string
  /** formats new versions are published in */
  readonly formats: readonly { readonly ducklake: string; readonly until: string | null }[]
  readonly refs: readonly { readonly name: string; readonly kind: 'branch' | 'tag'; readonly version: string }[]
  /** newest first */
  readonly versions: readonly RepositoryVersion[]
  /** older versions are not among them */
  readonly more: boolean
}

export interface RepositoryVersion {
  readonly id: string
  readonly parents: readonly string[]
  readonly author: string
  readonly message: string
  readonly createdAt: string
  /** formats of its catalogs, newest first */
  readonly formats: readonly string[]
  /** why and when it was withdrawn */
  readonly withdrawn: string | null
}

export interface RepositoryCatalog {
  readonly ducklake: string
  /** the oldest DuckDB storage it opens with; empty where it is not told */
  readonly storage: string
  readonly path: string
  readonly bytes: number | null
}

/** What one reader opens of a version. */
export interface RepositoryReader {
  readonly name: string
  /** null: none of the version's catalogs */
  readonly ducklake: string | null
  /** the statement that attaches it */
  readonly sql: string | null
  /** the format that bayou repo backfill could write for it; null: none */
  readonly backfill: string | null
}

export interface VersionView {
  readonly version: RepositoryVersion
  readonly main: RepositoryCatalog
  readonly catalogs: readonly RepositoryCatalog[]
  /** formats it was not written in, and why */
  readonly skipped: readonly { readonly ducklake: string; readonly reason: string }[]
  readonly readers: readonly RepositoryReader[]
  /** null where the version does not list its files */
  readonly files: VersionFiles | null
}

export interface VersionFiles {
  /** the first ones; those the parent does not have come first */
  readonly list: readonly VersionFile[]
  readonly count: number
  readonly bytes: number
  /** those of the first parent among them */
  readonly sharedCount: number
  readonly sharedBytes: number
}

export interface VersionFile {
  readonly path: string
  readonly bytes: number
  /** whether the first parent has it too */
  readonly shared: boolean
  /** versions of the repository that hold it, of those looked at */
  readonly versions: number
}

export interface SnapshotLine {
  readonly id: number
  readonly time: string
  /** the catalog's own words */
  readonly changes: string
  readonly author: string | null
  readonly message: string | null
}

/** What the catalog of a version holds at a snapshot. */
export interface LakeView {
  /** the catalog that was opened */
  readonly ducklake: string
  /** newest first */
  readonly snapshots: readonly SnapshotLine[]
  readonly snapshot: number
  readonly tables: readonly LakeTableLine[]
}

export interface LakeTableLine {
  readonly name: string
  readonly columns: number
  readonly rows: number
  readonly files: number
  readonly bytes: number
}
