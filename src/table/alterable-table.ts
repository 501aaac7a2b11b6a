/** The methods of a table that change what it is, not its rows: columns, properties, constraints, features. */
import type {
  AlterAction,
  AlterResult,
  Command,
  CommandOptions,
  CommandResult,
  DropFeaturePlan,
  DropFeatureResult,
  TableRef,
} from '../operations/index.ts'
import {
  type ColumnChangeInput,
  type ColumnInput,
  columnChangeOf,
  columnPathOf,
  type NewColumnsInput,
  newColumnsOf,
} from './column-input.ts'
import { type Properties, propertyMap, runOptions } from './options.ts'

export interface AlterOptions extends CommandOptions {
  readonly userMetadata?: string
}

export interface DropFeatureOptions extends CommandOptions {
  /** true: history that needs the feature goes, instead of being protected; false when absent */
  readonly truncateHistory?: boolean
}

/**
 * Each call makes one version, or none where the table is that way already; a call that is refused makes none.
 * Columns are named by their paths: `address.city`, `tags.element`, `prices.value`.
 */
export abstract class AlterableTable {
  protected abstract alter(action: AlterAction, options: AlterOptions): Promise<AlterResult>
  protected abstract readonly table: TableRef
  /** @throws DeltaError `LAKE_USAGE` for a handle that is pinned to a version */
  protected abstract refusePinned(fact: string, verb: string): void
  protected abstract execute<C extends Command>(command: C, options: CommandOptions): Promise<CommandResult<C>>

  /**
   * Adds columns, at any depth; rows that are there hold null in them.
   *
   * @param columns `'note STRING, price DECIMAL(10,2)'`, or a list with places:
   * `[{ name: 'address.zip', type: 'STRING', position: 'first' }]`
   * @throws DeltaError `FIELD_ALREADY_EXISTS`, `DELTA_OPERATION_NOT_ALLOWED` for NOT NULL,
   * `DELTA_FEATURES_REQUIRE_MANUAL_ENABLEMENT`, `DELTA_INVALID_CHARACTERS_IN_COLUMN_NAMES`
   */
  async addColumns(columns: NewColumnsInput, options: AlterOptions = {}): Promise<AlterResult> {
    return await this.alter({ kind: 'add columns', columns: newColumnsOf(columns) }, options)
  }

  /**
   * Drops columns of a table that maps its columns (`delta.columnMapping.mode`); their values stay in files.
   *
   * @throws DeltaError `DELTA_UNSUPPORTED_DROP_COLUMN`, `DELTA_UNSUPPORTED_DROP_PARTITION_COLUMN`,
   * `DELTA_CONSTRAINT_DEPENDENT_COLUMN_CHANGE`, `DELTA_GENERATED_COLUMNS_DEPENDENT_COLUMN_CHANGE`
   */
  async dropColumns(
    columns: readonly ColumnInput[],
    options: AlterOptions & { readonly ifExists?: boolean } = {},
  ): Promise<AlterResult> {
    const { ifExists = false } = options
    return await this.alter({ kind: 'drop columns', columns: columns.map(columnPathOf), ifExists }, options)
  }

  /** Drops one column; see `dropColumns`. */
  async dropColumn(column: ColumnInput, options: AlterOptions & { readonly ifExists?: boolean } = {}) {
    return await this.dropColumns([column], options)
  }

  /**
   * Gives a column of a table that maps its columns another name; no file is written.
   *
   * @param to the new name of the last part of the path
   * @throws DeltaError `DELTA_UNSUPPORTED_RENAME_COLUMN`, `FIELD_ALREADY_EXISTS`
   */
  async renameColumn(column: ColumnInput, to: string, options: AlterOptions = {}): Promise<AlterResult> {
    return await this.alter({ kind: 'rename column', column: columnPathOf(column), to }, options)
  }

  /**
   * Changes the type, comment, nullability, default or place of a column.
   *
   * Types grow only, and only where `delta.enableTypeWidening` is true.
   *
   * @throws DeltaError `NOT_SUPPORTED_CHANGE_COLUMN`, `DELTA_UNSUPPORTED_ALTER_TABLE_CHANGE_COL_OP`,
   * `_LEGACY_ERROR_TEMP_2330` for a column that would become NOT NULL, `INVALID_DEFAULT_VALUE.DATA_TYPE`
   */
  async changeColumn(column: ColumnInput, change: ColumnChangeInput, options: AlterOptions = {}): Promise<AlterResult> {
    return await this.alter({ kind: 'change columns', changes: [columnChangeOf(column, change)] }, options)
  }

  /**
   * Puts the columns into another order, with new ones among them.
   *
   * @throws DeltaError `DELTA_UNSUPPORTED_ALTER_TABLE_REPLACE_COL_OP`
   */
  async replaceColumns(columns: NewColumnsInput, options: AlterOptions = {}): Promise<AlterResult> {
    return await this.alter({ kind: 'replace columns', columns: newColumnsOf(columns) }, options)
  }

  /**
   * Sets properties; the features they stand for are listed with them.
   *
   * @throws DeltaError `DELTA_UNKNOWN_CONFIGURATION`, `_LEGACY_ERROR_TEMP_2045`, `DELTA_ADD_CONSTRAINTS`,
   * `DELTA_UNSUPPORTED_COLUMN_MAPPING_MODE_CHANGE`, `DELTA_UNSUPPORTED_FEATURES_IN_CONFIG`
   */
  async setProperties(properties: Properties, options: AlterOptions = {}): Promise<AlterResult> {
    return await this.alter({ kind: 'set properties', properties: propertyMap(properties) }, options)
  }

  /** Takes properties away; one that is not set passes. */
  async unsetProperties(keys: readonly string[], options: AlterOptions = {}): Promise<AlterResult> {
    return await this.alter({ kind: 'unset properties', keys }, options)
  }

  /**
   * Adds a CHECK constraint, which every row must satisfy: those that are there are looked at first.
   *
   * @throws DeltaError `DELTA_NEW_CHECK_CONSTRAINT_VIOLATION`, `DELTA_CONSTRAINT_ALREADY_EXISTS`,
   * `DELTA_NON_BOOLEAN_CHECK_CONSTRAINT`
   */
  async addConstraint(name: string, expression: string, options: AlterOptions = {}): Promise<AlterResult> {
    return await this.alter({ kind: 'add constraint', name, expression }, options)
  }

  /** @throws DeltaError `DELTA_CONSTRAINT_DOES_NOT_EXIST` */
  async dropConstraint(
    name: string,
    options: AlterOptions & { readonly ifExists?: boolean } = {},
  ): Promise<AlterResult> {
    return await this.alter({ kind: 'drop constraint', name, ifExists: options.ifExists ?? false }, options)
  }

  /**
   * Says by which columns rows are laid out from now on; without columns, by none.
   *
   * @throws DeltaError `DELTA_ALTER_TABLE_CLUSTER_BY_ON_PARTITIONED_TABLE_NOT_ALLOWED`,
   * `DELTA_CLUSTERING_COLUMNS_DATATYPE_NOT_SUPPORTED`, `DELTA_CLUSTER_BY_INVALID_NUM_COLUMNS`
   */
  async clusterBy(columns: readonly ColumnInput[], options: AlterOptions = {}): Promise<AlterResult> {
    return await this.alter({ kind: 'cluster by', columns: columns.map(columnPathOf) }, options)
  }

  /**
   * Lists a table feature in the protocol.
   *
   * @throws DeltaError `DELTA_UNSUPPORTED_FEATURES_IN_CONFIG`, `DELTA_UNSUPPORTED_FEATURES_FOR_WRITE`
   */
  async addFeatureSupport(feature: string, options: AlterOptions = {}): Promise<AlterResult> {
    return await this.alter({ kind: 'add feature', feature }, options)
  }

  /**
   * Asks for the features that protocol versions stand for. The protocol becomes the lowest that holds what the table
   * then has.
   *
   * @throws DeltaError `DELTA_INVALID_PROTOCOL_DOWNGRADE`
   */
  async upgradeTableProtocol(
    minReaderVersion: number,
    minWriterVersion: number,
    options: AlterOptions = {},
  ): Promise<AlterResult> {
    return await this.alter({ kind: 'upgrade protocol', minReaderVersion, minWriterVersion }, options)
  }

  /**
   * Takes a table feature out of the table: what uses it is rewritten, and the protocol becomes the lowest that holds the
   * rest. It conflicts with every write that goes on meanwhile; begun again, it goes on where it was interrupted.
   *
   * Old versions stay readable by those who know the feature, and where they need it, the table gets the feature
   * `checkpointProtection`. With `truncateHistory` there is no such feature: history older than 24 hours
   * (`delta.dropFeatureTruncateHistory.retentionDuration`) is deleted for good, which takes two calls, so far apart; the
   * first ends with an error whose `time` says when the second succeeds.
   *
   * @param feature its name as the protocol lists it
   * @throws DeltaError `DELTA_FEATURE_DROP_…` codes; `DELTA_FEATURE_DROP_WAIT_FOR_RETENTION_PERIOD` behind the first call
   */
  async dropFeatureSupport(feature: string, options: DropFeatureOptions = {}): Promise<DropFeatureResult> {
    this.refusePinned('is for reading', 'change the table')
    const { truncateHistory = false } = options
    const command = { kind: 'dropFeature', table: this.table, feature, truncateHistory } as const
    return await this.execute(command, runOptions(options))
  }

  /**
   * What dropping a feature would do, without doing it: commits, files written anew, who can open the table then, and
   * whether history has to grow older first.
   *
   * @throws DeltaError the refusals that `dropFeatureSupport` would end with at once
   */
  async planDropFeature(feature: string, options: DropFeatureOptions = {}): Promise<DropFeaturePlan> {
    const { truncateHistory = false } = options
    const command = { kind: 'planDropFeature', table: this.table, feature, truncateHistory } as const
    return await this.execute(command, runOptions(options))
  }

  /** Sets the mark of an identity column to the last number its rows hold. */
  async syncIdentity(column: ColumnInput, options: AlterOptions = {}): Promise<AlterResult> {
    return await this.alter({ kind: 'sync identity', column: columnPathOf(column) }, options)
  }

  /** Sets the table's description; null takes it away. */
  async setComment(comment: string | null, options: AlterOptions = {}): Promise<AlterResult> {
    return await this.alter({ kind: 'set comment', comment }, options)
  }
}
