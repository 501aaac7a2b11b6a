/** Errors of the table format: log, protocol, schema, commits. Codes and SQLSTATEs are Delta's where Delta has them. */
import type { ErrorSpec } from './spec.ts'

export const deltaErrors = {
  DELTA_TABLE_NOT_FOUND: {
    message: 'there is no Delta table at {path}: {reason}',
    remedy: 'check the path; a table is a folder with a _delta_log folder in it',
    sqlState: '42P01',
  },
  DELTA_VERSION_NOT_FOUND: {
    message: 'version {version} is not in the log of {path}; it holds {earliest} to {latest}',
    sqlState: '22003',
  },
  DELTA_VERSIONS_NOT_CONTIGUOUS: {
    message: 'the log of {path} has no commit {missing}, which versions {from} to {to} need; {readable}',
    sqlState: 'KD00C',
  },
  DELTA_TRUNCATED_TRANSACTION_LOG: {
    message: 'the log of {path} starts at version {first} and has no checkpoint to start from; {readable}',
    sqlState: '42K03',
  },
  DELTA_STATE_RECOVER_ERROR: {
    message: 'version {version} of {path} has no {what} action in its log',
    sqlState: 'XXKDS',
  },
  'FAILED_READ_FILE.NO_HINT': {
    message: '{file} cannot be read: {cause}; {readable}',
    sqlState: 'KD001',
  },
  'FAILED_READ_FILE.FILE_NOT_EXIST': {
    message: 'the data file {file}, which the log names, is not there',
    remedy: 'it may have been vacuumed; read a newer version, or run fsck',
    sqlState: 'KD001',
  },
  DELTA_INVALID_PROTOCOL_VERSION: {
    message:
      'the table needs reader version {reader} and writer version {writer}; this package knows 1 to 3 and 1 to 7',
    sqlState: 'KD004',
    kind: 'unsupported',
  },
  DELTA_UNSUPPORTED_FEATURES_FOR_READ: {
    message: 'reading {path} needs the table features {features}, which this version does not read',
    sqlState: '56038',
    kind: 'unsupported',
  },
  DELTA_UNSUPPORTED_FEATURES_FOR_WRITE: {
    message: 'writing to {path} needs the table features {features}, which this version does not write',
    sqlState: '56038',
    kind: 'unsupported',
  },
  DELTA_INVALID_SCHEMA: {
    message: 'the schema in the log cannot be read: {reason}',
    sqlState: '42K09',
  },
  DELTA_UNSUPPORTED_DATA_TYPE: {
    message: 'the column {column} has the type {type}, which this version does not know',
    sqlState: '0A000',
    kind: 'unsupported',
  },
  DELTA_UNKNOWN_CONFIGURATION: {
    message: 'there is no table property {property}',
    remedy: 'keys that begin with delta. are reserved; leave the prefix out for a key of your own',
    sqlState: 'F0000',
    kind: 'usage',
  },
  DELTA_VIOLATE_TABLE_PROPERTY_VALIDATION_FAILED: {
    message: 'the table property {property} cannot be {value}; it takes {allowed}',
    sqlState: '0A000',
    kind: 'usage',
  },
  COLUMN_ALREADY_EXISTS: {
    message: 'the column {column} is there twice; names are compared regardless of case',
    sqlState: '42711',
    kind: 'usage',
  },
  DELTA_INVALID_CHARACTERS_IN_COLUMN_NAMES: {
    message: 'the column name {column} is empty or holds one of the characters space , ; { } ( ) newline tab =',
    remedy: 'rename the column, or set delta.columnMapping.mode to name',
    sqlState: '42K05',
    kind: 'usage',
  },
  RESERVED_CDC_COLUMNS_ON_WRITE: {
    message: 'the columns {columns} belong to the change data feed of the table',
    remedy: 'rename them, or set delta.enableChangeDataFeed to false',
    sqlState: '42939',
    kind: 'usage',
  },
  LAKE_PARTITION_COLUMN_NOT_FOUND: {
    message: 'there is no column {column} to partition by; the table has {columns}',
    sqlState: '42703',
    kind: 'usage',
  },
  INVALID_PARTITION_COLUMN_DATA_TYPE: {
    message: 'the column {column} of type {type} cannot be partitioned by',
    sqlState: '0A000',
    kind: 'usage',
  },
  ALL_PARTITION_COLUMNS_NOT_ALLOWED: {
    message: 'the table is partitioned by all of its columns ({columns}), so that nothing is left for its files',
    sqlState: 'KD005',
    kind: 'usage',
  },
  DELTA_UNSUPPORTED_FEATURES_IN_CONFIG: {
    message: 'there is no table feature {feature}',
    sqlState: '56038',
    kind: 'unsupported',
  },
  DELTA_UNSUPPORTED_FEATURE_STATUS: {
    message: 'delta.feature.{feature} cannot be {value}; it takes supported',
    sqlState: '0AKDE',
    kind: 'usage',
  },
  DELTA_UNSUPPORTED_COLUMN_MAPPING_MODE_CHANGE: {
    message: 'the column mapping mode cannot go from {from} to {to}; none to name is the one change',
    sqlState: '0AKDC',
    kind: 'unsupported',
  },
  DELTA_FEATURES_REQUIRE_MANUAL_ENABLEMENT: {
    message: 'the change needs the table features {features}, which {path} does not have',
    remedy: 'set delta.feature.<name> to supported for each of them first',
    sqlState: '0AKDE',
    kind: 'usage',
  },
  DELTA_CANNOT_MODIFY_APPEND_ONLY: {
    message: 'the table at {path} takes appends only (delta.appendOnly is true), and this removes rows',
    remedy: 'set delta.appendOnly to false first',
    sqlState: '42809',
  },
  DELTA_PROTOCOL_CHANGED: {
    message: 'version {version} ({operation}) changed the protocol of {path} meanwhile',
    remedy: 'run the operation again',
    sqlState: '2D521',
    retryable: true,
    kind: 'conflict',
  },
  DELTA_METADATA_CHANGED: {
    message: 'version {version} ({operation}) changed the schema or the properties of {path} meanwhile',
    remedy: 'run the operation again',
    sqlState: '2D521',
    retryable: true,
    kind: 'conflict',
  },
  DELTA_CONCURRENT_TRANSACTION: {
    message: 'version {version} ({operation}) of {path} moved the application {appId}, which this commit moves too',
    remedy: 'read how far the application has come and go on from there',
    sqlState: '2D521',
    retryable: true,
    kind: 'conflict',
  },
  DELTA_CONCURRENT_DOMAIN_METADATA: {
    message: 'version {version} ({operation}) of {path} changed the metadata domain {domain} meanwhile',
    remedy: 'run the operation again',
    sqlState: '2D521',
    retryable: true,
    kind: 'conflict',
  },
  'DELTA_CONCURRENT_APPEND.WITHOUT_HINT': {
    message: 'version {version} ({operation}) added rows to {path} that this operation should have read',
    remedy: 'run the operation again',
    sqlState: '2D521',
    retryable: true,
    kind: 'conflict',
  },
  'DELTA_CONCURRENT_APPEND.WITH_PARTITION_HINT': {
    message:
      'version {version} ({operation}) added rows to {path}, in the partition {partition}, that this operation should have read',
    remedy: 'run the operation again',
    sqlState: '2D521',
    retryable: true,
    kind: 'conflict',
  },
  'DELTA_CONCURRENT_DELETE_READ.WITHOUT_HINT': {
    message: 'version {version} ({operation}) of {path} removed the file {file}, which this operation read',
    remedy: 'run the operation again',
    sqlState: '2D521',
    retryable: true,
    kind: 'conflict',
  },
  'DELTA_CONCURRENT_DELETE_DELETE.WITHOUT_HINT': {
    message: 'version {version} ({operation}) of {path} removed the file {file}, which this operation removes too',
    remedy: 'run the operation again',
    sqlState: '2D521',
    retryable: true,
    kind: 'conflict',
  },
  DELTA_MAX_COMMIT_RETRIES_EXCEEDED: {
    message: 'the commit to {path} was lost to other writers {losses} times, the last time at version {version}',
    remedy: 'run the operation again when fewer writers are at work',
    sqlState: '40000',
    retryable: true,
    kind: 'conflict',
  },
  LAKE_COMMIT_UNKNOWN: {
    message:
      'the store did not tell whether version {version} of {path} was written, and the log cannot be read: {cause}',
    remedy: 'look at the history before running it again, or its rows may be written twice',
    sqlState: '08007',
    kind: 'storage',
  },
  DELTA_INVALID_PARTITION_VALUE: {
    message: 'the partition value {value} of {column} is no {type}',
    sqlState: '22018',
  },
  MALFORMED_VARIANT: {
    message: 'a variant value is malformed',
    sqlState: '22023',
  },
  DELTA_TIMESTAMP_EARLIER_THAN_COMMIT_RETENTION: {
    message: 'the log of {path} has nothing as old as {timestamp}; its oldest version is {version} of {versionTime}',
    sqlState: '42816',
  },
  DELTA_TIMESTAMP_GREATER_THAN_COMMIT: {
    message: 'the time {timestamp} is after the last commit of {path}, version {version} of {versionTime}',
    sqlState: '42816',
  },
  DELTA_DELETION_VECTOR_CHECKSUM_MISMATCH: {
    message: 'the deletion vector {vector} is damaged: its checksum is {actual}, not {expected}',
    sqlState: 'XXKDS',
  },
  DELTA_DELETION_VECTOR_SIZE_MISMATCH: {
    message: 'the deletion vector {vector} is damaged: {reason}',
    sqlState: 'XXKDS',
  },
  DELTA_DELETION_VECTOR_CARDINALITY_MISMATCH: {
    message: 'the deletion vector {vector} is damaged: it holds {actual} rows, the log says {expected}',
    sqlState: 'XXKDS',
  },
  DELTA_DELETION_VECTOR_INVALID_ROW_INDEX: {
    message: 'the deletion vector {vector} is damaged: {reason}',
    sqlState: 'XXKDS',
  },
  LAKE_ACTION_MALFORMED: { message: 'the {kind} action is malformed: {reason}', sqlState: '22032' },
  LAKE_COMMIT_MALFORMED: { message: 'the commit cannot be read: {reason}', sqlState: '22032' },
  LAKE_PATH_OUTSIDE_TABLE: {
    message: 'the path {path} leads out of the table {table}',
    sqlState: '22023',
  },
  LAKE_PROTOCOL_MALFORMED: { message: 'the protocol of {path} is malformed: {reason}', sqlState: 'KD004' },
  LAKE_UNSUPPORTED_FORMAT: {
    message: 'the data files of {path} are in the format {provider}; only parquet is read',
    sqlState: '0A000',
    kind: 'unsupported',
  },
  DELTA_UNSUPPORTED_TYPE_CHANGE_IN_SCHEMA: {
    message: 'the column {column} of {path} was changed from {from} to {to}, which this version cannot follow',
    sqlState: '0AKDC',
    kind: 'unsupported',
  },
  DELTA_MISSING_CHANGE_DATA: {
    message: 'the changes of {path} from version {start} to {end} are incomplete: version {version} recorded none',
    remedy:
      'read a range in which delta.enableChangeDataFeed was true at every version; the history says when it was set',
    sqlState: 'KD002',
  },
  DELTA_CDC_START_VERSION_AFTER_LATEST: {
    message: 'changes from version {start} on were asked for, but the latest version of {path} is {latest}',
    sqlState: '22003',
  },
  DELTA_INVALID_CDC_RANGE: {
    message: 'changes of {path} from version {start} to {end} were asked for, which ends before it starts',
    sqlState: '22003',
  },
  DELTA_CHANGE_DATA_FEED_INCOMPATIBLE_SCHEMA_CHANGE: {
    message:
      'the changes of {path} from version {start} to {end} have no one schema, the rows of version {version} do not fit: {reason}',
    remedy: 'read the versions before that change and those from it on in two ranges',
    sqlState: '0AKDC',
    kind: 'unsupported',
  },
  DELTA_CHANGE_DATA_FEED_INCOMPATIBLE_DATA_SCHEMA: {
    message:
      'the changes of {path} from version {start} to {end} have no one schema, the one that version {version} begins it with does not fit: {reason}',
    remedy: 'read the versions before that change and those from it on in two ranges',
    sqlState: '0AKDC',
    kind: 'unsupported',
  },
  DELTA_TABLE_ALREADY_CONTAINS_CDC_COLUMNS: {
    message: 'the table has columns named {columns}, which the change data feed gives itself',
    remedy: 'rename them',
    sqlState: '42711',
  },
  DELTA_NO_START_FOR_CDC_READ: {
    message: 'changes were asked for without saying from where',
    remedy: 'give the first version, or a time',
    sqlState: '42601',
    kind: 'usage',
  },
  DELTA_MULTIPLE_CDC_BOUNDARY: {
    message: 'for one end of a range of changes, {name}, both a version and a time are given',
    remedy: 'give one of the two',
    sqlState: '42614',
    kind: 'usage',
  },
  DELTA_REMOVE_FILE_CDC_MISSING_EXTENDED_METADATA: {
    message: 'version {version} removed {file} without saying in which partition it was, so its rows cannot be told',
    sqlState: 'XXKDS',
  },
  DELTA_INVALID_SOURCE_OFFSET_FORMAT: {
    message: '{offset} is no offset of a table that is followed',
    remedy: 'give the offset of a batch as it came, or start without one',
    sqlState: 'XXKDS',
    kind: 'usage',
  },
  DIFFERENT_DELTA_TABLE_READ_BY_STREAMING_SOURCE: {
    message: 'the offset is of the table {oldId}, but at {path} is the table {newId}',
    remedy: 'start without an offset',
    sqlState: '55019',
  },
  DELTA_STARTING_VERSION_AND_TIMESTAMP_BOTH_SET: {
    message: 'the start of a streaming read is given more than once: {given}',
    remedy: 'give one of them',
    sqlState: '42613',
    kind: 'usage',
  },
  DELTA_SCHEMA_CHANGED_WITH_VERSION: {
    message: 'version {version} changed the schema of {path}, and rows of it cannot follow those before',
    remedy: 'start again from the last offset: rows come in the new schema from there',
    sqlState: 'KD007',
    retryable: true,
  },
  DELTA_STREAMING_METADATA_EVOLUTION: {
    message: 'version {version} changed the {what} of {path}, which is being followed',
    remedy: 'start again from the last offset',
    sqlState: '22000',
    retryable: true,
  },
  DELTA_STREAMING_INCOMPATIBLE_SCHEMA_CHANGE_USE_SCHEMA_LOG: {
    message: 'rows from before version {version} of {path} do not fit those from it on: {reason}',
    remedy: 'allow renamed and dropped columns when starting from the last offset, or start anew',
    sqlState: '42KD4',
    kind: 'unsupported',
  },
  DELTA_SOURCE_IGNORE_DELETE: {
    message: 'version {version} of {path}, which is being followed, deleted rows, such as those of {file}',
    remedy: 'follow with ignoreDeletes or skipChangeCommits to pass over it, or read the change data feed',
    sqlState: '0A000',
  },
  DELTA_SOURCE_TABLE_IGNORE_CHANGES: {
    message: 'version {version} of {path}, which is being followed, changed rows, such as those of {file}',
    remedy: 'follow with skipChangeCommits to pass over it, or read the change data feed',
    sqlState: '0A000',
  },
  LAKE_CATALOG_COMMITS_NEEDED: {
    message: 'the table at {path} is managed by a catalog, which alone knows its commits',
    remedy: 'open it through its catalog',
    sqlState: '0AKDC',
    kind: 'unsupported',
  },
  LAKE_CATALOG_COMMITS_INVALID: {
    message: 'a catalog gives {file} for version {version}, its latest being {latest}; that is no staged commit of it',
    sqlState: '22023',
    kind: 'usage',
  },
  DELTA_READ_TABLE_WITHOUT_COLUMNS: {
    message: 'the table at {path} has no columns, so there is nothing to read',
    remedy: 'append rows with a schema that may grow',
    sqlState: '428GU',
  },
  DELTA_ROW_ID_ASSIGNMENT_WITHOUT_STATS: {
    message: 'the rows of {file} cannot be given ids: its statistics do not say how many there are',
    remedy: 'write the file again with numRecords',
    sqlState: '22000',
    kind: 'usage',
  },
  DELTA_ROW_TRACKING_ILLEGAL_PROPERTY_COMBINATION: {
    message: 'delta.enableRowTracking and delta.rowTrackingSuspended are both true',
    remedy: 'set one of them to false',
    sqlState: '55000',
    kind: 'usage',
  },
  LAKE_ROW_IDS_EXHAUSTED: {
    message: 'the rows of {file} cannot be given ids behind {mark}, the highest one given out: there are none left',
    sqlState: '22003',
  },
} as const satisfies Record<string, ErrorSpec>
