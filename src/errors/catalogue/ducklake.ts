/** Errors of DuckLake catalogs and of frozen repositories. */
import type { ErrorSpec } from './spec.ts'

export const ducklakeErrors = {
  DUCKLAKE_CATALOG_NOT_FOUND: {
    message: 'there is no catalog at {catalog}',
    remedy: 'give the path of a DuckLake catalog: a DuckDB or a SQLite file',
    sqlState: '58P01',
  },
  DUCKLAKE_CATALOG_CORRUPT: {
    message: 'the catalog {catalog} cannot be read: {reason}',
    remedy: 'fetch it again, or take it from a backup; its data files are not touched by this',
    sqlState: 'XX001',
  },
  DUCKLAKE_FORMAT_UNSUPPORTED: {
    message: 'the catalog {catalog} has DuckLake format {format}; this version reads the formats {known}',
    remedy: 'update this package, or read a catalog of an older format of the same lake',
    sqlState: '0A000',
    kind: 'unsupported',
  },
  DUCKLAKE_STORAGE_UNSUPPORTED: {
    message: 'the file {catalog} needs DuckDB {needs}; the DuckDB in this version opens files up to {opens}',
    remedy:
      "copy it with a DuckDB that opens it: ATTACH 'older.duckdb' AS dst (STORAGE_VERSION '{opens}'); COPY FROM DATABASE src TO dst",
    sqlState: '0A000',
    kind: 'unsupported',
  },
  DUCKLAKE_ENCRYPTED: {
    message: 'the data files of {catalog} are encrypted; its tables can be listed, their rows cannot be read',
    remedy: 'copy the tables into a lake without ENCRYPTED by the extension that wrote it',
    sqlState: '0A000',
    kind: 'unsupported',
  },
  DUCKLAKE_SNAPSHOT_NOT_FOUND: {
    message: 'snapshot {snapshot} is not in {catalog}; it holds {held}',
    sqlState: '22023',
  },
  DUCKLAKE_NO_SNAPSHOT_AT_TIME: {
    message: '{catalog} has no snapshot of {timestamp} or before; its first is of {earliest}',
    sqlState: '22023',
  },
  DUCKLAKE_TABLE_NOT_FOUND: {
    message: 'there is no table {table} in {catalog} at snapshot {snapshot}; its tables are: {tables}',
    sqlState: '42P01',
  },
  DUCKLAKE_COLUMN_NOT_FOUND: {
    message: 'the table {table} has no column {column}; its columns are: {columns}',
    sqlState: '42703',
  },
  DUCKLAKE_TYPE_UNSUPPORTED: {
    message: 'the column {column} of {table} has the type {type}, which this version does not read',
    remedy: 'update this package, or select the other columns',
    sqlState: '0A000',
    kind: 'unsupported',
  },
  DUCKLAKE_FILE_MISSING: {
    message: 'the file {file} of {table} is named by the catalog and is not there',
    remedy: 'check the data path (--data-path), or fetch the file again',
    sqlState: '58P01',
  },
  DUCKLAKE_FILE_CORRUPT: {
    message: 'the file {file} of {table} cannot be read: {reason}',
    remedy: 'fetch it again, or take it from a backup; other files are not touched by this',
    sqlState: 'XX001',
  },
  DUCKLAKE_PATH_ESCAPES: {
    message: 'the catalog names the file {path}, which lies outside of {root}',
    remedy: 'nothing was read; a catalog that names such paths was not made by a DuckLake writer for this folder',
    sqlState: '42501',
  },
  DUCKLAKE_MAPPING_NOT_FOUND: {
    message: 'the file {file} of {table} uses the name mapping {mapping}, which the catalog does not hold',
    remedy: 'the catalog is damaged; take it from a backup',
    sqlState: 'XX001',
  },
  DUCKLAKE_PARTITION_PATH: {
    message: 'the column {column} is to be read from the folders of {file}, and none is called {name}=…',
    remedy: 'register the file with its partition folders',
    sqlState: 'XX001',
  },
  DUCKLAKE_VIEW_UNSUPPORTED: {
    message: 'the view {view} is written in {dialect}; this version runs views in duckdb',
    sqlState: '0A000',
    kind: 'unsupported',
  },
} as const satisfies Record<string, ErrorSpec>
