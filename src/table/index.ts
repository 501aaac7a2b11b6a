export { AlterableTable, type AlterOptions, type DropFeatureOptions } from './alterable-table.ts'
export type { ChangeOptions, ColumnValuesInput, UpdateChange } from './change.ts'
export { TableChanges } from './changes.ts'
export type { ColumnChangeInput, ColumnInput, NewColumnInput, NewColumnsInput } from './column-input.ts'
export type { ConvertOptions } from './convert.ts'
export { type ColumnOptions, DeltaTableBuilder, type IdentityOptions } from './create-builder.ts'
export { DeltaTable, type FilesOptions } from './delta-table.ts'
export { type DeltaTables, deltaTables } from './delta-tables.ts'
export type { DetailRecord, HistoryRecord } from './describe.ts'
export { MicroBatch } from './follow.ts'
export { type LocalBackendOptions, localBackend } from './local-backend.ts'
export type { CommitRecord, FileRecord } from './log-records.ts'
export {
  type CloneOptions,
  type FsckOptions,
  MaintainedTable,
  type RestoreOptions,
  type VacuumOptions,
} from './maintained-table.ts'
export { MergeBuilder, type MergeInsert, type MergeOptions, type MergeUpdate } from './merge-builder.ts'
export { type OpenTable, OpenTables } from './open-tables.ts'
export {
  type FileSizeInput,
  type LayoutOptions,
  OptimizeBuilder,
  type OptimizeOptions,
  type PurgeOptions,
} from './optimize-builder.ts'
export type {
  AppendOptions,
  ChangesOptions,
  FollowOptions,
  OverwriteOptions,
  Properties,
  ScanOptions,
  SchemaInput,
  TimestampInput,
  WriteOptions,
} from './options.ts'
export { TableScan } from './scan.ts'
export type { MergeInput, MergeRows, QueryRows, TableRows } from './table-rows.ts'
