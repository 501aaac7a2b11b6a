/** What `DeltaTable` offers before there is a handle, over a backend that is opened on first use. */
import { deltaError } from '../errors/index.ts'
import type { Backend, WriteCommandResult } from '../operations/index.ts'
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
    async write(path, rows, options = {}) {
      const command = writeCommand({ table: { location: path }, rows, options })
      return await backend().execute(command, runOptions(options))
    },
  }
}
