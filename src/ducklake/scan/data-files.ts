/** The files of a table that a read opens. */
import { type Catalog, safeNumber } from '../catalog/catalog.ts'
import type { FilePlace } from '../catalog/file-access.ts'
import { below, type Folder, type LakeTable } from '../snapshot/lake-snapshot.ts'
import { liveAt } from '../snapshot/live.ts'

export interface DeleteFile {
  readonly id: number
  readonly place: FilePlace
  readonly format: 'parquet' | 'puffin'
  readonly count: number
  readonly begin: number
  readonly size: number
}

export interface DataFile {
  readonly id: number
  readonly place: FilePlace
  readonly recordCount: number
  readonly size: number
  readonly rowIdStart: number | undefined
  readonly mappingId: number | undefined
  /** the newest snapshot whose rows the file holds, where it holds rows of several */
  readonly partialMax: number | undefined
  readonly begin: number
  readonly end: number | undefined
  readonly partitionId: number | undefined
  readonly isEncrypted: boolean
  readonly deletes: readonly DeleteFile[]
}

export interface FileChoice {
  /** which files, `f` being the file's row */
  readonly where: string
  /** the snapshot at which delete files count */
  readonly deletesAt: number
}

/** The files of a table at a snapshot; `prune` is SQL over the file's row `f`. */
export function loadLiveFiles(catalog: Catalog, table: LakeTable, snapshot: number, prune: readonly string[] = []) {
  const where = [liveAt(snapshot, 'f'), ...prune].join(' AND ')
  return loadFiles(catalog, table, { where, deletesAt: snapshot })
}

/** Files in the order of their ids. */
export async function loadFiles(
  catalog: Catalog,
  table: LakeTable,
  { where, deletesAt }: FileChoice,
): Promise<DataFile[]> {
  const rows = await catalog.query(
    `SELECT f.data_file_id, f.path, f.path_is_relative, f.record_count, f.file_size_bytes, f.row_id_start, f.mapping_id,
            f.partial_max, f.begin_snapshot, f.end_snapshot, f.partition_id, f.encryption_key IS NOT NULL,
            d.delete_file_id, d.path, d.path_is_relative, d.format, d.delete_count, d.begin_snapshot, d.file_size_bytes
     FROM ${catalog.view('data_file')} f
     LEFT JOIN ${catalog.view('delete_file')} d
       ON d.data_file_id = f.data_file_id AND d.table_id = f.table_id AND ${liveAt(deletesAt, 'd')}
     WHERE f.table_id = ${table.id} AND ${where} ORDER BY f.data_file_id, d.delete_file_id`,
  )
  const files = new Map<number, DataFile>()
  for (const row of rows) {
    const id = safeNumber(row[0])
    const known = files.get(id)
    const deletes = [...(known?.deletes ?? []), ...(row[12] === null ? [] : [deleteFile(table.folder, row)])]
    files.set(id, known === undefined ? { ...dataFile(table.folder, row), deletes } : { ...known, deletes })
  }
  return [...files.values()]
}

type CatalogRow = readonly (bigint | string | boolean | null)[]

function dataFile(folder: Folder, row: CatalogRow): Omit<DataFile, 'deletes'> {
  return {
    id: safeNumber(row[0]),
    place: below(folder, String(row[1]), row[2] !== false),
    recordCount: safeNumber(row[3]),
    size: safeNumber(row[4]),
    rowIdStart: optional(row[5]),
    mappingId: optional(row[6]),
    partialMax: optional(row[7]),
    begin: safeNumber(row[8]),
    end: optional(row[9]),
    partitionId: optional(row[10]),
    isEncrypted: row[11] === true,
  }
}

function deleteFile(folder: Folder, row: CatalogRow): DeleteFile {
  return {
    id: safeNumber(row[12]),
    place: below(folder, String(row[13]), row[14] !== false),
    format: row[15] === 'puffin' ? 'puffin' : 'parquet',
    count: safeNumber(row[16]),
    begin: safeNumber(row[17]),
    size: safeNumber(row[18]),
  }
}

function optional(value: unknown): number | undefined {
  return value === null ? undefined : safeNumber(value)
}
