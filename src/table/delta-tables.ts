/** What `DeltaTable` offers before there is a handle, over a backend that is opened on first use. */
import { deltaError } from '../errors/index.ts'
import type { Backend, WriteCommandResult } from '../operations/index.ts'
import { type ConvertOptions, convertCommand } from './convert.ts'
import { createBuilder, type DeltaTableBuilder } from './create-builder.ts'
import { DeltaTable } from './delta-table.ts'
import { runOptions, type WriteOptions } from './options.ts'
import type { TableRows } from './table-rows.ts'
import { writeCommand } from './write.ts'

export interface DeltaTables {
  /**
   * The handle of a table; its log is looked at, no row is read.
   *
   * @throws DeltaError `DELTA_TABLE_NOT_FOUND`, `LAKE_INVALID_LOCATION`, a `LAKE_STORAGE_…` code
   */
  forPath(path: string): Promise<DeltaTable>

  /** Whether a log lies at a path. */
  isDeltaTable(path: string): Promise<boolean>

  create(): DeltaTableBuilder

  createIfNotExists(): DeltaTableBuilder

  /** Puts a new table where one is: schema, partitioning and properties are new, its history is kept. */
  replace(): DeltaTableBuilder

  createOrReplace(): DeltaTableBuilder

  /**
   * Makes a table of a folder of Parquet files, where it lies; a folder that is a table already stays as it is.
   *
   * @param path the folder, or as SQL writes it: ``parquet.`/lake/orders` ``
   * @throws DeltaError `DELTA_EMPTY_DIRECTORY`, `DELTA_FAILED_MERGE_SCHEMA_FILE`,
   * `DELTA_UNEXPECTED_NUM_PARTITION_COLUMNS_FROM_FILE_NAME`, `DELTA_UNEXPECTED_PARTITION_COLUMN_FROM_FILE_NAME`,
   * `DELTA_FAILED_CAST_PARTITION_VALUE`
   */
  convertToDelta(path: string, options?: ConvertOptions): Promise<DeltaTable>

  /**
   * Writes rows to a path, making the table where there is none.
   *
   * A new table's columns come from `schema`, else from the rows: whole numbers and bigint give long, other numbers
   * double, `Date` timestamp; a column of nothing but null is left out.
   *
   * @throws what `append` throws; DeltaError `DELTA_PATH_EXISTS` with the mode `error`, which is the default
   */
  write(path: string, rows: TableRows, options?: WriteOptions): Promise<WriteCommandResult>
}

/** @param backend called when it is first needed */
export function deltaTables(backend: () => Backend): DeltaTables {
  return {
    async forPath(path) {
      const table = { location: path }
      if (await backend().execute({ kind: 'exists', table })) return new DeltaTable(backend(), table)
      throw deltaError('DELTA_TABLE_NOT_FOUND', { path, reason: 'no log is there' })
    },
    isDeltaTable: async (path) => await backend().execute({ kind: 'exists', table: { location: path } }),
    create: () => createBuilder(backend(), 'error'),
    createIfNotExists: () => createBuilder(backend(), 'ignore'),
    replace: () => createBuilder(backend(), 'replace', true),
    createOrReplace: () => createBuilder(backend(), 'replace'),
    async convertToDelta(path, options = {}) {
      const table = { location: /^parquet\.`(.+)`$/s.exec(path)?.[1] ?? path }
      await backend().execute(convertCommand(table, options), runOptions(options))
      return new DeltaTable(backend(), table)
    },
    async write(path, rows, options = {}) {
      const command = writeCommand({ table: { location: path }, rows, options })
      return await backend().execute(command, runOptions(options))
    },
  }
}
