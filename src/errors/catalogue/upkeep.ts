/** Errors of VACUUM, RESTORE, CLONE, CONVERT, GENERATE and FSCK. */
import type { ErrorSpec } from './spec.ts'

export const upkeepErrors = {
  DELTA_CANNOT_RESTORE_TABLE_VERSION: {
    message: 'version {version} of {path} cannot be restored; those that can be are {earliest} to {latest}',
    sqlState: '22003',
  },
  DELTA_CANNOT_RESTORE_TIMESTAMP_EARLIER: {
    message: '{path} cannot be restored to {timestamp}, which is before its oldest version {version} of {versionTime}',
    remedy: 'use a time after that',
    sqlState: '22003',
  },
  DELTA_CANNOT_RESTORE_TIMESTAMP_GREATER: {
    message: '{path} cannot be restored to {timestamp}, which is after its newest version {version} of {versionTime}',
    remedy: 'use a time before that',
    sqlState: '22003',
  },
  LAKE_RESTORE_MISSING_FILES: {
    message: 'version {version} of {path} cannot be restored: {count} of its files are gone, among them {files}',
    remedy: 'restore a newer version, or allow missing files',
    sqlState: '55000',
  },
  DELTA_VACUUM_RETENTION_PERIOD_TOO_SHORT: {
    message:
      'VACUUM of {path} would keep removed files for {hours} hours, and the table asks for {tableHours}: files that a writer or reader still uses may go',
    remedy:
      'retain {tableHours} hours or more; where nobody writes, switch spark.databricks.delta.retentionDurationCheck.enabled off',
    sqlState: '22003',
  },
  DELTA_VACUUM_RETENTION_PERIOD_NEGATIVE: {
    message: 'VACUUM cannot retain {hours} hours',
    remedy: 'give 0 hours or more',
    sqlState: '22003',
  },
  DELTA_CANNOT_VACUUM_LITE: {
    message:
      'VACUUM LITE of {path} goes by the log, which begins at version {earliest}; files removed before may remain',
    remedy: 'run VACUUM FULL',
    sqlState: '55000',
  },
  DELTA_INVALID_INVENTORY_SCHEMA: {
    message:
      'an inventory has the columns path STRING, length BIGINT, isDir BOOLEAN, modificationTime BIGINT; {problem}',
    sqlState: '42000',
  },
  DELTA_CREATE_TABLE_WITH_NON_EMPTY_LOCATION: {
    message: 'no table can be made at {path}, where something is already',
    remedy: 'use another place, or CREATE OR REPLACE',
    sqlState: '42601',
  },
  DELTA_UNSUPPORTED_NON_EMPTY_CLONE: {
    message: 'the table {path} holds rows, and a shallow clone goes into an empty one',
    remedy: 'delete its rows first, or make a deep clone',
    sqlState: '0AKDC',
  },
  LAKE_CLONE_UNREACHABLE: {
    message: 'a table at {path} cannot name files at {source}, which its store does not reach',
    remedy: 'make a deep clone',
    sqlState: '0A000',
    kind: 'unsupported',
  },
  LAKE_CLONE_OF_ITSELF: {
    message: '{path} cannot be cloned onto itself',
    remedy: 'name another place; an older version comes back by RESTORE',
    sqlState: '42000',
    kind: 'usage',
  },
  LAKE_CLONE_NAME_TAKEN: {
    message: 'the file {key} of the source cannot be copied: {path} has another file of that name',
    remedy: 'clone to another place',
    sqlState: '58030',
  },
  DELTA_EMPTY_DIRECTORY: {
    message: 'there is no file in {path} to make a table of',
    sqlState: '42K03',
  },
  DELTA_CONVERSION_UNSUPPORTED_COLUMN_MAPPING: {
    message: 'a folder of Parquet files is converted without column mapping, and delta.columnMapping.mode is {mode}',
    remedy: 'convert it first, then set the property',
    sqlState: '0AKDC',
    kind: 'unsupported',
  },
  DELTA_UNEXPECTED_NUM_PARTITION_COLUMNS_FROM_FILE_NAME: {
    message: 'the file {file} lies in folders of the partition columns {found}, and the table is to have {expected}',
    remedy: 'name the partition columns in PARTITIONED BY, all of them, with their types',
    sqlState: 'KD009',
  },
  DELTA_UNEXPECTED_PARTITION_COLUMN_FROM_FILE_NAME: {
    message: 'the file {file} lies in a folder of the partition column {found}, where {expected} is expected',
    sqlState: 'KD009',
  },
  DELTA_FAILED_CAST_PARTITION_VALUE: {
    message:
      'the folder of the file {file} says {value}, which is no value of the partition column {column} of the type {type}',
    sqlState: '22018',
  },
  DELTA_FAILED_MERGE_SCHEMA_FILE: {
    message: 'the columns of the file {file} do not go with those of the other files: {cause}',
    sqlState: '42KDA',
  },
  DELTA_MODE_NOT_SUPPORTED: {
    message: 'GENERATE knows no {mode}',
    remedy: 'symlink_format_manifest is what there is',
    sqlState: '0AKDC',
  },
  DELTA_UNSUPPORTED_GENERATE_WITH_DELETION_VECTORS: {
    message:
      'no manifest can be made of {path}: files of it have rows that are deleted by vectors, which its readers do not see',
    remedy: 'run REORG TABLE … APPLY (PURGE) first',
    sqlState: '0A000',
  },
  DELTA_UNSUPPORTED_MANIFEST_GENERATION_WITH_COLUMN_MAPPING: {
    message: 'no manifest can be made of {path}: its columns have other names in files',
    sqlState: '0AKDC',
  },
} as const satisfies Record<string, ErrorSpec>
