/** SELECTs over data files of one shape, in the columns of the table. */
import { pathList, quoteIdent, quoteLiteral } from '../../engine/duckdb/index.ts'
import { deltaError } from '../../errors/index.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { corruptFile, type FileAccess } from '../catalog/file-access.ts'
import { columnSqlType, type LakeColumn } from '../snapshot/columns.ts'
import type { LakeTable } from '../snapshot/lake-snapshot.ts'
import { columnSql, type Matching } from './column-sql.ts'
import type { DataFile } from './data-files.ts'
import { type FileShape, loadShapes } from './file-shape.ts'
import { hivePartitionValue, loadMappings, type MappedNode } from './name-mapping.ts'

/** Field ids of the columns that DuckLake adds to files of its own. */
const ROW_ID_FIELD = 2_147_483_540
const SNAPSHOT_FIELD = 2_147_483_539

export interface OpenFile {
  readonly file: DataFile
  readonly path: string
  readonly shape: FileShape
}

/** Files that one SELECT reads. */
export interface FileGroup {
  readonly files: readonly OpenFile[]
  readonly shape: FileShape
  readonly mapping: readonly MappedNode[] | undefined
}

export interface FileSource {
  readonly catalog: Catalog
  readonly access: FileAccess
  readonly table: LakeTable
}

/**
 * Opens files and puts those together that are read alike.
 *
 * @param alike further marks by which files differ
 * @throws DeltaError `DUCKLAKE_ENCRYPTED`, `DUCKLAKE_FILE_MISSING`, `DUCKLAKE_FILE_CORRUPT`, `DUCKLAKE_PATH_ESCAPES`,
 * `DUCKLAKE_MAPPING_NOT_FOUND`
 */
export async function groupFiles(
  source: FileSource,
  files: readonly DataFile[],
  alike: (file: DataFile) => string,
): Promise<FileGroup[]> {
  const { catalog, table } = source
  if (files.some(({ isEncrypted }) => isEncrypted))
    throw deltaError('DUCKLAKE_ENCRYPTED', { catalog: catalog.file.shown })
  const opened = await openFiles(source, files)
  const ids = [...new Set(files.flatMap(({ mappingId }) => (mappingId === undefined ? [] : [mappingId])))]
  const mappings = await loadMappings(catalog, ids)
  const groups = new Map<string, OpenFile[]>()
  for (const one of opened) {
    const key = `${alike(one.file)} ${one.file.mappingId ?? ''} ${one.shape.key}`
    groups.set(key, [...(groups.get(key) ?? []), one])
  }
  return [...groups.values()].map((group) => {
    const { file, shape } = group[0]!
    const mapping = file.mappingId === undefined ? undefined : mappings.get(file.mappingId)
    if (file.mappingId !== undefined && mapping === undefined) {
      const details = { file: file.place.path, table: table.name, mapping: file.mappingId }
      throw deltaError('DUCKLAKE_MAPPING_NOT_FOUND', details)
    }
    return { files: group, shape, mapping }
  })
}

async function openFiles({ catalog, access, table }: FileSource, files: readonly DataFile[]): Promise<OpenFile[]> {
  const paths: string[] = []
  for (const file of files) paths.push(await access.localPath(file.place, table.name))
  const shapes = await loadShapes(catalog.session, paths).catch(async (cause: unknown) => {
    for (const [i, path] of paths.entries()) {
      await loadShapes(catalog.session, [path]).catch((own: unknown) => {
        throw corruptFile(files[i]!.place.path, table.name, own)
      })
    }
    throw cause
  })
  return files.map((file, i) => ({ file, path: paths[i]!, shape: shapes.get(paths[i]!)! }))
}

/** What is read of each row beside the columns. */
export interface SelectOptions {
  readonly columns: readonly LakeColumn[]
  /** more outputs; `r` is the file's row, `m` its line in the file map */
  readonly extra: (group: GroupSql) => readonly string[]
  /** more of the FROM: joins */
  readonly join?: (group: GroupSql) => string
  readonly where?: (group: GroupSql) => string | undefined
}

/** SQL of what DuckLake knows of a row. */
export interface GroupSql {
  readonly fileId: string
  readonly position: string
  readonly rowId: string
  /** the snapshot that wrote the row, where the file says so; else that of the file */
  readonly snapshot: string
  readonly hasSnapshots: boolean
}

/** The rows of a group: columns `v0`, `v1`, … in the types of the table, then the extra ones. */
export function groupSelect(source: FileSource, group: FileGroup, options: SelectOptions): string {
  const { table } = source
  const partitions = options.columns.filter((column) => partitionNode(group, column) !== undefined)
  const map = fileMap(group, partitions, table.name)
  const sql = groupSql(group)
  const outputs = options.columns.map(
    (column, i) => `${valueSql(column, { group, partitions, table: table.name })} AS v${i}`,
  )
  const extra = options.extra(sql)
  const where = options.where?.(sql)
  const read = `read_parquet(${pathList(group.files.map(({ path }) => path))}, filename = '${FILE_COLUMN}', file_row_number = true, hive_partitioning = false)`
  return [
    `SELECT ${[...outputs, ...extra].join(', ')} FROM ${read} r JOIN (${map}) m ON m.path = r.${FILE_COLUMN}`,
    options.join?.(sql) ?? '',
    where === undefined ? '' : `WHERE ${where}`,
  ].join(' ')
}

const FILE_COLUMN = '__lake_file'

function groupSql({ shape }: FileGroup): GroupSql {
  const rowId = shape.columns.find(({ fieldId }) => fieldId === ROW_ID_FIELD)
  const snapshot = shape.columns.find(({ fieldId }) => fieldId === SNAPSHOT_FIELD)
  const counted = 'm.row_id_start + r.file_row_number'
  return {
    fileId: 'm.file_id',
    position: 'r.file_row_number',
    rowId: rowId === undefined ? counted : `coalesce(r.${quoteIdent(rowId.name)}, ${counted})`,
    snapshot: snapshot === undefined ? 'm.begin' : `r.${quoteIdent(snapshot.name)}`,
    hasSnapshots: snapshot !== undefined,
  }
}

function valueSql(
  column: LakeColumn,
  { group, partitions, table }: { group: FileGroup; partitions: readonly LakeColumn[]; table: string },
): string {
  const place = partitions.indexOf(column)
  if (place >= 0) return `CAST(m.p${place} AS ${columnSqlType(column, table)})`
  const { shape, mapping } = group
  const matching: Matching =
    mapping !== undefined ? { by: 'mapping', nodes: mapping } : shape.hasFieldIds ? { by: 'id' } : { by: 'name' }
  return columnSql(column, { columns: shape.columns, matching, table, sqlOf: (node) => `r.${quoteIdent(node.name)}` })
}

function partitionNode({ mapping }: FileGroup, column: LakeColumn): MappedNode | undefined {
  return mapping?.find(({ target, isPartition }) => isPartition && target === column.id)
}

/** A line a file: what differs between the files of a group. */
function fileMap(group: FileGroup, partitions: readonly LakeColumn[], table: string): string {
  const lines = group.files.map(({ file, path }) => {
    const values = partitions.map((column) => partitionLiteral(group, column, file, table))
    return `(${[quoteLiteral(path), file.id, file.rowIdStart ?? 'NULL::BIGINT', file.begin, file.end ?? 'NULL::BIGINT', ...values].join(', ')})`
  })
  const names = ['path', 'file_id', 'row_id_start', 'begin', 'ended', ...partitions.map((_, i) => `p${i}`)]
  return `SELECT * FROM (VALUES ${lines.join(', ')}) AS t(${names.join(', ')})`
}

function partitionLiteral(group: FileGroup, column: LakeColumn, file: DataFile, table: string): string {
  const { name } = partitionNode(group, column)!
  const value = hivePartitionValue(file.place.path, name)
  if (value === undefined) {
    throw deltaError('DUCKLAKE_PARTITION_PATH', { column: column.name, name, file: file.place.path, table })
  }
  return value === null ? 'NULL::VARCHAR' : `${quoteLiteral(value)}::VARCHAR`
}
