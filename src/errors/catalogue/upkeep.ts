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
} as const satisfies Record<string, ErrorSpec>
