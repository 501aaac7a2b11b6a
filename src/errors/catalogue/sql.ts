/** Errors of statements: what a text that reads well may still not say. Codes are Spark's where Spark has one. */
import type { ErrorSpec } from './spec.ts'

export const sqlErrors = {
  PARSE_EMPTY_STATEMENT: { message: 'there is no statement here', sqlState: '42617' },
  LAKE_SETTING_UNKNOWN: {
    message: 'there is no setting {key}',
    remedy: 'set one of {known}',
    sqlState: '42K0I',
    kind: 'usage',
  },
  'INVALID_INLINE_TABLE.NUM_COLUMNS_MISMATCH': {
    message: 'row {row} of VALUES has {found} values, the first has {width}',
    sqlState: '42000',
  },
  'INVALID_INLINE_TABLE.INCOMPATIBLE_TYPES_IN_INLINE_TABLE': {
    message: 'the values of {column} in VALUES are of types that do not meet',
    remedy: 'write them alike, or cast them',
    sqlState: '42000',
  },
  PATH_NOT_FOUND: {
    message: 'there is no table at {path}',
    remedy: 'check the path',
    sqlState: '42K03',
  },
  DELTA_MISSING_DELTA_TABLE: {
    message: '{path} is not a Delta table',
    remedy: 'check the path',
    sqlState: '42P01',
  },
  DELTA_TABLE_ONLY_OPERATION: {
    message: '{path} is not a Delta table, and {operation} is for Delta tables alone',
    remedy: 'check the path',
    sqlState: '0AKDD',
  },
  DELTA_TRUNCATE_TABLE_PARTITION_NOT_SUPPORTED: {
    message: 'TRUNCATE TABLE takes whole tables alone',
    remedy: 'write DELETE FROM … WHERE',
    sqlState: '0AKDC',
  },
  DELTA_TIMESTAMP_INVALID: {
    message: '{timestamp} is no timestamp',
    remedy: "write a time such as '2024-02-29 12:00:00'",
    sqlState: '42816',
  },
  'INVALID_TIME_TRAVEL_TIMESTAMP_EXPR.INPUT': {
    message: 'the time {expression} is no timestamp',
    remedy: "write a time such as '2024-02-29 12:00:00'",
    sqlState: '42K0E',
  },
  UNSUPPORTED_DATASOURCE_FOR_DIRECT_QUERY: {
    message: 'delta.`…` names no path',
    remedy: 'put the path of a table between the backticks',
    sqlState: '0A000',
  },
  TABLE_OR_VIEW_ALREADY_EXISTS: {
    message: '{table} is there already; write CREATE TABLE IF NOT EXISTS, or CREATE OR REPLACE TABLE',
    sqlState: '42P07',
  },
  'UNSUPPORTED_FEATURE.TABLE_OPERATION': {
    message: 'CREATE TABLE takes no constraints',
    remedy: 'add them with ALTER TABLE … ADD CONSTRAINT',
    sqlState: '0A000',
  },
  DELTA_SCHEMA_NOT_PROVIDED: {
    message: 'a table that is put in the place of another needs columns, or AS SELECT',
    sqlState: '42908',
  },
  DELTA_CREATE_TABLE_SCHEME_MISMATCH: {
    message:
      'the table at {path} has other columns than the statement; replace it under a name with LOCATION, or alter it',
    sqlState: '42KD7',
  },
  DELTA_CREATE_TABLE_WITH_DIFFERENT_PARTITIONING: {
    message: 'the table at {path} is partitioned by {found}, not by {given}',
    sqlState: '42KD7',
  },
  DELTA_CREATE_TABLE_WITH_DIFFERENT_CLUSTERING: {
    message: 'the table at {path} is clustered by {found}, not by {given}',
    sqlState: '42KD7',
  },
  DELTA_CREATE_TABLE_WITH_DIFFERENT_PROPERTY: {
    message: 'the table at {path} has the properties {found}, not {given}',
    sqlState: '42KD7',
  },
  DELTA_UNSUPPORTED_DATA_TYPES: {
    message: 'a Delta table keeps no values of the types of {columns}; choose other types',
    sqlState: '0AKDC',
  },
  NUM_COLUMNS_MISMATCH: {
    message: '{operator} puts {other} columns under {first}; give each query as many columns as the first',
    sqlState: '42826',
  },
  NON_PARTITION_COLUMN: {
    message: '{column} is no partition column; those are: {columns}',
    sqlState: '42000',
  },
  DELTA_SHOW_PARTITION_IN_NON_PARTITIONED_TABLE: {
    message: 'SHOW PARTITIONS is for partitioned tables; {table} has no partition columns',
    sqlState: '42809',
  },
  UNBOUND_SQL_PARAMETER: {
    message: 'the parameter {name} has no value',
    remedy: 'give it one with the statement',
    sqlState: '42P02',
  },
  UNEXPECTED_USE_OF_PARAMETER_MARKER: {
    message: 'the parameter {name} (line {line}, column {column}) stands where only a value written out may',
    sqlState: 'XX000',
  },
  'UNSUPPORTED_FEATURE.PARAMETER_MARKER_IN_UNEXPECTED_STATEMENT': {
    message: 'the parameter {name} (line {line}, column {column}) stands in {statement}, which is kept as text',
    remedy: 'write the value itself',
    sqlState: '0A000',
  },
  MERGE_WITHOUT_WHEN: { message: 'a MERGE has at least one WHEN clause', sqlState: '42601' },
  NON_LAST_MATCHED_CLAUSE_OMIT_CONDITION: {
    message: 'of several WHEN MATCHED clauses only the last may be without a condition (line {line}, column {column})',
    sqlState: '42613',
  },
  NON_LAST_NOT_MATCHED_BY_TARGET_CLAUSE_OMIT_CONDITION: {
    message:
      'of several WHEN NOT MATCHED clauses only the last may be without a condition (line {line}, column {column})',
    sqlState: '42613',
  },
  NON_LAST_NOT_MATCHED_BY_SOURCE_CLAUSE_OMIT_CONDITION: {
    message:
      'of several WHEN NOT MATCHED BY SOURCE clauses only the last may be without a condition (line {line}, column {column})',
    sqlState: '42613',
  },
  COLUMN_ALIASES_NOT_ALLOWED: {
    message: 'names of columns behind an alias are not allowed in {statement} (line {line}, column {column})',
    remedy: 'name the columns inside the query',
    sqlState: '42601',
  },
  ALTER_TABLE_COLUMN_DESCRIPTOR_DUPLICATE: {
    message: '{clause} is given twice for the column {name} (line {line}, column {column})',
    sqlState: '42710',
  },
  DUPLICATE_KEY: { message: 'the key {key} is given twice (line {line}, column {column})', sqlState: '23505' },
  DUPLICATE_CLAUSES: {
    message: '{clause} is given twice or against another (line {line}, column {column})',
    sqlState: '42614',
  },
  INVALID_STATEMENT_OR_CLAUSE: {
    message: '{what} is not a statement or clause (line {line}, column {column})',
    sqlState: '42601',
  },
  INVALID_SET_SYNTAX: {
    message: 'SET takes KEY = VALUE (line {line}, column {column})',
    remedy: 'put a key or value with a semicolon or a quote in backticks',
    sqlState: '42000',
  },
  _LEGACY_ERROR_TEMP_0006: {
    message: 'an INSERT of a MERGE has as many values as columns (line {line}, column {column})',
    sqlState: '42601',
  },
  _LEGACY_ERROR_TEMP_0034: {
    message: '{what} is not supported for {statement} (line {line}, column {column})',
    sqlState: '42601',
  },
  _LEGACY_ERROR_TEMP_1060: {
    message: 'DESCRIBE tells of columns, and {column} is a member of one',
    remedy: 'DESCRIBE the column around it',
    sqlState: '42601',
  },
  _LEGACY_ERROR_TEMP_0035: { message: 'not allowed: {what} (line {line}, column {column})', sqlState: '42601' },
} as const satisfies Record<string, ErrorSpec>
