/** Errors of the row engines: unreadable data files, limits, failed writes. */
import type { ErrorSpec } from './spec.ts'

export const engineErrors = {
  LAKE_PARQUET_UNSUPPORTED: {
    message: 'the Parquet file {file} uses {feature}, which this reader does not read',
    remedy: 'read it with the DuckDB engine, or rewrite the file',
    sqlState: '0A000',
    kind: 'unsupported',
  },
  'FAILED_READ_FILE.PARQUET_COLUMN_DATA_TYPE_MISMATCH': {
    message: 'the column {column} of {file} is {actual}, which cannot be read as {expected}',
    sqlState: 'KD001',
  },
  'INCONSISTENT_BEHAVIOR_CROSS_VERSION.READ_ANCIENT_DATETIME': {
    message:
      'the column {column} of {file} holds dates or times of the calendar in use before 1582, as writers before Spark 3 left them',
    remedy: 'rewrite the file with the Spark that wrote it, in corrected mode',
    sqlState: '42K0B',
    kind: 'unsupported',
  },
  LAKE_ENGINE_HAS_NO_SQL: {
    message: 'the engine {engine} runs no SQL',
    remedy: 'use the DuckDB engine',
    sqlState: '0A000',
    kind: 'unsupported',
  },
  LAKE_STATEMENT_UNSUPPORTED: {
    message: '{statement} is not something this version runs',
    remedy: 'see the list of statements in the documentation, or use the command or the method for the change',
    sqlState: '0A000',
    kind: 'unsupported',
  },
  LAKE_QUERY_FAILED: {
    message: 'the query cannot be run: {reason}',
    sqlState: '42000',
  },
  LAKE_LOSSY_WRITE: {
    message: 'the column {column} is {type}, which cannot take {what} without losing something',
    remedy: 'cast it before it is written',
    sqlState: '22005',
  },
  LAKE_EXPRESSION_NOT_COMPILED: {
    message: '{what} has no SQL form with the meaning it has here',
    remedy: 'evaluate the expression row by row',
    sqlState: '0A000',
    kind: 'unsupported',
  },
} as const satisfies Record<string, ErrorSpec>
