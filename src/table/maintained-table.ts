/** The methods of a table that keep it, bring an older version back, or make another table of it. */
import type {
  CloneResult,
  CommandOptions,
  FsckResult,
  GenerateResult,
  MergeSource,
  OptimizeResult,
  ReadPoint,
  RestoreResult,
  VacuumResult,
} from '../operations/index.ts'
import { HOUR_MS } from '../support/index.ts'
import { AlterableTable } from './alterable-table.ts'
import { layoutSizes, OptimizeBuilder, type OptimizeOptions, type PurgeOptions } from './optimize-builder.ts'
import { type Properties, propertyMap, readPointOf, runOptions, type TimestampInput } from './options.ts'
import { type MergeRows, mergeSourceOf } from './table-rows.ts'

export interface VacuumOptions extends CommandOptions {
  /** how long removed files are kept; the table's `delta.deletedFileRetentionDuration` when absent, which is 168 hours */
  readonly retentionHours?: number
  /** true: says what would be deleted and does nothing */
  readonly dryRun?: boolean
  /** `lite` goes by the log alone and leaves files that were never in the table; `full` when absent */
  readonly type?: 'full' | 'lite'
  /** false: less than the table's own retention is taken. For tables that nobody reads or writes meanwhile */
  readonly retentionCheck?: boolean
  /** files to look at instead of a listing: rows with path, length, isDir, modificationTime */
  readonly inventory?: MergeRows
}

export interface RestoreOptions extends CommandOptions {
  /** true: files that are gone are no reason to refuse */
  readonly ignoreMissingFiles?: boolean
  /** true: says what would be done and does nothing */
  readonly dryRun?: boolean
  readonly userMetadata?: string
}

export interface CloneOptions extends CommandOptions {
  /** true: the clone names the files where they lie; false, the default, copies them */
  readonly shallow?: boolean
  /** true: a table that is there becomes what this one is; it is refused when absent */
  readonly replace?: boolean
  /** set over those of this table */
  readonly properties?: Properties
  readonly userMetadata?: string
}

export interface FsckOptions extends CommandOptions {
  /** true: what can be put right is */
  readonly repair?: boolean
  /** true: every data file is read whole, and its pages are held against the checksums their writer stored */
  readonly deep?: boolean
  /** told what will be put right, before it is */
  readonly onPlan?: (plan: FsckResult) => void
}

export abstract class MaintainedTable extends AlterableTable {
  protected abstract readonly pinnedAt: ReadPoint | undefined

  /**
   * Makes larger files of small ones, sorted where that is asked for; nothing happens before `execute…`.
   *
   * ```ts
   * await orders.optimize().where("country = 'DE'").executeZOrderBy('order_id')
   * ```
   */
  optimize(options: OptimizeOptions = {}): OptimizeBuilder {
    this.refusePinned('is for reading', 'optimize')
    const { userMetadata } = options
    const wishes = { ...layoutSizes(options), ...(userMetadata !== undefined && { userMetadata }) }
    return new OptimizeBuilder((command) => this.execute(command, runOptions(options)), {
      kind: 'optimize',
      table: this.table,
      ...wishes,
    })
  }

  /**
   * Writes files anew that hold deleted rows or dropped columns, without these (REORG … APPLY (PURGE)). Older versions
   * keep their files until `vacuum` deletes them.
   *
   * @throws DeltaError `DELTA_NON_PARTITION_COLUMN_REFERENCE`, `DELTA_CLUSTERING_WITH_PARTITION_PREDICATE`,
   * `DELTA_CONCURRENT_DELETE_READ.…` and other conflict codes, `LAKE_USAGE`
   */
  async purge(options: PurgeOptions = {}): Promise<OptimizeResult> {
    this.refusePinned('is for reading', 'purge')
    const { where, planOnly, userMetadata } = options
    const command = {
      kind: 'reorg',
      table: this.table,
      ...layoutSizes(options),
      ...(where !== undefined && { where }),
      ...(planOnly !== undefined && { planOnly }),
      ...(userMetadata !== undefined && { userMetadata }),
    } as const
    return await this.execute(command, runOptions(options))
  }

  /**
   * Deletes files that no version within the retention needs: of the table only what the log names stays readable.
   *
   * Files younger than the retention stay whatever they are, and so do hidden ones, and all outside of the table's folder.
   * Two commits tell of it. A run that was stopped is finished by the next one.
   *
   * @throws DeltaError `DELTA_VACUUM_RETENTION_PERIOD_TOO_SHORT`, `DELTA_CANNOT_VACUUM_LITE`,
   * `DELTA_INVALID_INVENTORY_SCHEMA`, `LAKE_CANCELLED`
   */
  async vacuum(options: VacuumOptions = {}): Promise<VacuumResult> {
    this.refusePinned('is for reading', 'vacuum')
    const { retentionHours, dryRun, type, retentionCheck, inventory } = options
    return await this.execute(
      {
        kind: 'vacuum',
        table: this.table,
        ...(type !== undefined && { type }),
        ...(retentionHours !== undefined && { retentionMs: retentionHours * HOUR_MS }),
        ...(retentionCheck !== undefined && { checkRetention: retentionCheck }),
        ...(dryRun !== undefined && { dryRun }),
        ...(inventory !== undefined && { inventory: mergeSourceOf(inventory) satisfies MergeSource }),
      },
      runOptions(options),
    )
  }

  /**
   * Makes the table what it was at an older version: rows, columns, properties. That is a new version; none is lost.
   *
   * @throws DeltaError `DELTA_CANNOT_RESTORE_TABLE_VERSION`, `LAKE_RESTORE_MISSING_FILES`, conflict codes
   */
  async restoreToVersion(version: number, options: RestoreOptions = {}): Promise<RestoreResult> {
    return await this.restore(readPointOf({ version })!, options)
  }

  /**
   * The same, to the newest version committed at or before a time.
   *
   * @throws DeltaError `DELTA_CANNOT_RESTORE_TIMESTAMP_EARLIER`, `DELTA_CANNOT_RESTORE_TIMESTAMP_GREATER`,
   * `LAKE_RESTORE_MISSING_FILES`, conflict codes
   */
  async restoreToTimestamp(timestamp: TimestampInput, options: RestoreOptions = {}): Promise<RestoreResult> {
    return await this.restore(readPointOf({ timestamp })!, options)
  }

  private async restore(to: ReadPoint, options: RestoreOptions): Promise<RestoreResult> {
    this.refusePinned('is for reading', 'restore')
    const { ignoreMissingFiles, dryRun, userMetadata } = options
    return await this.execute(
      {
        kind: 'restore',
        table: this.table,
        to,
        ...(ignoreMissingFiles !== undefined && { ignoreMissingFiles }),
        ...(dryRun !== undefined && { dryRun }),
        ...(userMetadata !== undefined && { userMetadata }),
      },
      runOptions(options),
    )
  }

  /**
   * Makes another table of this one, as it is now or at the version of a pinned handle.
   *
   * A deep clone copies files, and over an earlier clone only those that differ: cloning again and again keeps a copy. A
   * shallow one names the files where they lie; VACUUM of this table may take files that it still needs.
   *
   * @param target where the clone lies
   * @throws DeltaError `DELTA_CREATE_TABLE_WITH_NON_EMPTY_LOCATION`, `DELTA_UNSUPPORTED_NON_EMPTY_CLONE`,
   * `LAKE_CLONE_UNREACHABLE`, `LAKE_CLONE_OF_ITSELF`, `LAKE_CLONE_NAME_TAKEN`, `LAKE_OBJECT_NOT_FOUND`
   */
  async clone(target: string, options: CloneOptions = {}): Promise<CloneResult> {
    return await this.cloneAt(this.pinnedAt, target, options)
  }

  /** Makes another table of a version of this one; see `clone`. */
  async cloneAtVersion(version: number, target: string, options: CloneOptions = {}): Promise<CloneResult> {
    return await this.cloneAt(readPointOf({ version }), target, options)
  }

  /** Makes another table of the newest version committed at or before a time; see `clone`. */
  async cloneAtTimestamp(timestamp: TimestampInput, target: string, options: CloneOptions = {}): Promise<CloneResult> {
    return await this.cloneAt(readPointOf({ timestamp }), target, options)
  }

  private async cloneAt(at: ReadPoint | undefined, target: string, options: CloneOptions): Promise<CloneResult> {
    const { shallow = false, replace = false, properties, userMetadata } = options
    return await this.execute(
      {
        kind: 'clone',
        table: { location: target },
        source: this.table,
        depth: shallow ? 'shallow' : 'deep',
        ifExists: replace ? 'replace' : 'error',
        ...(at !== undefined && { at }),
        ...(properties !== undefined && { properties: propertyMap(properties) }),
        ...(userMetadata !== undefined && { userMetadata }),
      },
      runOptions(options),
    )
  }

  /**
   * Writes lists of the paths of the live files for engines that read such lists: `_symlink_format_manifest/manifest`, one
   * a partition. A table with `delta.compatibility.symlinkFormatManifest.enabled` renews them after each commit.
   *
   * @throws DeltaError `DELTA_MODE_NOT_SUPPORTED`, `DELTA_UNSUPPORTED_GENERATE_WITH_DELETION_VECTORS`,
   * `DELTA_UNSUPPORTED_MANIFEST_GENERATION_WITH_COLUMN_MAPPING`
   */
  async generate(mode = 'symlink_format_manifest', options: CommandOptions = {}): Promise<GenerateResult> {
    this.refusePinned('is for reading', 'generate')
    return await this.execute({ kind: 'generate', table: this.table, mode }, runOptions(options))
  }

  /**
   * Looks at the table: gaps of the log, commits, the checkpoint against the commits, checksums, whether files are there,
   * whole and what statistics say of them, deletion vectors, files that are in no version.
   *
   * With `deep` data files are read whole, for the checksums of their pages.
   * With `repair` files that are gone leave the table and wrong statistics are made anew, in one commit; nothing is deleted.
   *
   * @throws DeltaError `DELTA_TABLE_NOT_FOUND`, a `LAKE_STORAGE_…` code, `LAKE_CANCELLED`
   */
  async fsck(options: FsckOptions = {}): Promise<FsckResult> {
    this.refusePinned('is for reading', 'fsck')
    const { repair = false, deep = false, onPlan } = options
    const command = { kind: 'fsck', table: this.table, repair, deep, ...(onPlan !== undefined && { onPlan }) } as const
    return await this.execute(command, runOptions(options))
  }
}
