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
  DUCKLAKE_FORMAT_LIMIT: {
    message: 'the catalog cannot be written in DuckLake format {format}: {reason}',
    remedy: 'publish it in a newer format, or leave out what the older one cannot say',
    sqlState: '0A000',
    kind: 'unsupported',
  },
  DUCKLAKE_REPOSITORY_NOT_FOUND: {
    message: 'there is no repository at {root}: it has no fdl.json',
    remedy: 'make one with bayou repo init',
    sqlState: '58P01',
  },
  DUCKLAKE_REPOSITORY_EXISTS: {
    message: 'there is a repository at {root} already',
    remedy: 'publish into it, or choose another place',
    sqlState: '42710',
  },
  DUCKLAKE_REPOSITORY_INVALID: {
    message: '{object} of the repository {root} cannot be read: {reason}',
    remedy: 'nothing was changed; restore the object from a copy of the repository',
    sqlState: 'XX001',
  },
  DUCKLAKE_REPOSITORY_NEWER: {
    message: '{object} of the repository {root} was made by a newer layout ({format}); this version reads layout 1',
    remedy: 'update this package',
    sqlState: '0A000',
    kind: 'unsupported',
  },
  DUCKLAKE_REF_NOT_FOUND: {
    message: 'the repository {root} has no branch, tag or version {ref}',
    remedy: 'bayou repo log lists the versions of a branch, bayou repo show the refs',
    sqlState: '42704',
  },
  DUCKLAKE_REF_DANGLING: {
    message: '{ref} of the repository {root} names the version {version}, which is not there',
    remedy: 'nothing was changed; point the ref at a version that exists, or restore the version from a copy',
    sqlState: 'XX001',
  },
  DUCKLAKE_VERSION_WITHDRAWN: {
    message: 'the version {version} of {root} was withdrawn on {date}{reason}',
    remedy: 'open another version',
    sqlState: '55000',
  },
  DUCKLAKE_NO_CATALOG: {
    message: 'the version {version} of {root} offers {offered}; {reader} opens {opens}',
    remedy: '{advice}',
    sqlState: '0A000',
    kind: 'unsupported',
  },
  DUCKLAKE_CHECKSUM: {
    message: '{object} of the repository {root} is not what its version says: {reason}',
    remedy: 'nothing was changed; fetch it again, or restore it from a copy of the repository',
    sqlState: 'XX001',
  },
  DUCKLAKE_PUBLISH_CONFLICT: {
    message: '{ref} of {root} moved from {parent} to {head} while this version was made, and both changed {tables}',
    remedy: 'open the new head, make the change again on top of it, and publish',
    sqlState: '40001',
    kind: 'conflict',
  },
  DUCKLAKE_FILE_CONFLICT: {
    message: 'the repository {root} holds another file under {object}',
    remedy: 'files of a repository are never rewritten: publish the new content under another name',
    sqlState: '42710',
  },
  DUCKLAKE_TAG_EXISTS: {
    message: 'the tag {tag} of {root} names {version} already',
    remedy: 'choose another name, or move it with --force',
    sqlState: '42710',
  },
  DUCKLAKE_STORE_NO_SWAP: {
    message: 'the store {root} cannot replace a ref only if it is unchanged',
    remedy: 'publish into a local folder or an S3-compatible store with conditional writes',
    sqlState: '0A000',
    kind: 'unsupported',
  },
  DUCKLAKE_SOURCE_UNSUPPORTED: {
    message: '{source} cannot be published: {reason}',
    remedy: '{advice}',
    sqlState: '0A000',
    kind: 'unsupported',
  },
} as const satisfies Record<string, ErrorSpec>
