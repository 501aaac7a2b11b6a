/** DuckLake catalogs and frozen repositories, read and written without the extension. */

export type { OpenStore } from './catalog/file-access.ts'
export { READ_FORMATS, WRITE_FORMATS, type WriteFormat } from './catalog/formats.ts'
export {
  ENGINE_STORAGE,
  fileKind,
  opensStorage,
  readStorageHeader,
  type StorageHeader,
  storageName,
  storageNumber,
} from './catalog/storage-header.ts'
export { type DeltaSourceOptions, deltaSource } from './delta/delta-source.ts'
export { Lake, type OpenLakeOptions } from './lake.ts'
export { type LakeQueryResult, queryLake } from './query.ts'
export * from './repository/index.ts'
export { type ChangeOptions, LakeChanges } from './scan/change-feed.ts'
export type { DataFile, DeleteFile } from './scan/data-files.ts'
export { LakeScan, type LakeScanOptions } from './scan/table-scan.ts'
export { concernsTable, type LakeChange, parseChanges, printChanges } from './snapshot/changes-made.ts'
export { columnSqlType, columnTypeText, type LakeColumn } from './snapshot/columns.ts'
export {
  type LakeMacro,
  type LakeSchema,
  LakeSnapshot,
  type LakeTable,
  type LakeView,
} from './snapshot/lake-snapshot.ts'
export { parseName, printName } from './snapshot/names.ts'
export type { LakePoint, SnapshotInfo } from './snapshot/snapshots.ts'
