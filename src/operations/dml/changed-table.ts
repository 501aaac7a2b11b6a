/** A table whose rows are about to change: how they are read, written and told of. */
import type { ScanPlan, WritePlan, WrittenFile } from '../../engine/index.ts'
import { deltaError } from '../../errors/index.ts'
import {
  type AddCDCFile,
  type AddFile,
  CHANGE_TYPE,
  encodePath,
  type MovedRows,
  movedRows,
  property,
  type Snapshot,
  supportsFeature,
  type TableLayout,
  type Transaction,
} from '../../kernel/index.ts'
import { field, stringType, structType } from '../../schema/index.ts'
import type { OperationContext } from '../context.ts'
import { writePlanOf } from '../write/write-plan.ts'

export interface ChangedTable {
  /** the table's own columns, the first of `read` and `write` */
  readonly layout: TableLayout
  /** by which files are scanned: with the ids of rows where the table tracks them */
  readonly read: TableLayout
  readonly write: TableLayout
  readonly moved: MovedRows | undefined
  /** whether deleted rows are marked instead of files rewritten */
  readonly marksRows: boolean
  /** whether changed rows are told of in files of their own */
  readonly feedsChanges: boolean
  readonly configuration: ReadonlyMap<string, string>
}

/**
 * @param options.onlyAdds whether no row that is there may change; false when absent
 * @throws DeltaError `DELTA_CANNOT_MODIFY_APPEND_ONLY`
 */
export function changedTable(
  { layout, protocol, metadata }: Transaction | Snapshot,
  path: string,
  { onlyAdds = false }: { readonly onlyAdds?: boolean } = {},
): ChangedTable {
  const { configuration } = metadata
  if (!onlyAdds && property(configuration, 'appendOnly')) throw deltaError('DELTA_CANNOT_MODIFY_APPEND_ONLY', { path })
  const moved = movedRows(layout)
  return {
    layout,
    read: moved?.read ?? layout,
    write: moved?.write ?? layout,
    moved,
    marksRows: supportsFeature(protocol, 'deletionVectors') && property(configuration, 'enableDeletionVectors'),
    feedsChanges: supportsFeature(protocol, 'changeDataFeed') && property(configuration, 'enableChangeDataFeed'),
    configuration,
  }
}

/** A scan of files of the table, whose `columns` are to be replaced by a `select`. */
export function scanOf(table: ChangedTable, files: readonly AddFile[], { store }: OperationContext): ScanPlan {
  return { store, layout: table.read, files, columns: [] }
}

/** How rows go back into the table. */
export function dataPlan(table: ChangedTable, { domains }: Transaction, { store }: OperationContext): WritePlan {
  const { write: layout, configuration } = table
  return writePlanOf({ store, layout, configuration, domains })
}

const CHANGE_FOLDER = '_change_data'

/** How rows of the change feed are written: the table's columns and the kind of change. */
export function changePlan(table: ChangedTable, { store }: OperationContext): WritePlan {
  const { layout, configuration } = table
  const schema = structType([...layout.schema.fields, field(CHANGE_TYPE, stringType)])
  const { tightBounds: _, ...plan } = writePlanOf({ store, layout: { ...layout, schema }, configuration })
  const statistics = { kind: 'first', limit: 0, stringPrefixLength: 0 } as const
  return { ...plan, statistics, directory: CHANGE_FOLDER, filePrefix: 'cdc-' }
}

export function changeFileOf({ key, partitionValues, size }: WrittenFile): AddCDCFile {
  return { path: encodePath(key), partitionValues, size, dataChange: false }
}
