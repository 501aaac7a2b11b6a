/**
 * The rows of a table at a snapshot as one SQL text: data files without their deleted rows, and inlined rows.
 *
 * Source: DuckLake, "Reading a table".
 */
import type { Catalog } from '../catalog/catalog.ts'
import type { FileAccess } from '../catalog/file-access.ts'
import { columnSqlType, type LakeColumn } from '../snapshot/columns.ts'
import type { LakeTable } from '../snapshot/lake-snapshot.ts'
import { type DataFile, loadLiveFiles } from './data-files.ts'
import { collectDeletes, createDeletesTable } from './deletes.ts'
import { type FileSource, groupFiles, groupSelect } from './file-select.ts'
import { loadInlined } from './inlined.ts'

export interface RelationRequest {
  readonly catalog: Catalog
  readonly access: FileAccess
  readonly table: LakeTable
  readonly snapshot: number
  /** of the table, in the order wanted */
  readonly columns: readonly LakeColumn[]
  /** conditions on the row `f` of a data file in the catalog; all must hold */
  readonly prune?: readonly string[]
}

/** Rows as SQL. */
export interface Relation {
  /** gives columns `v0`, `v1`, … in the types of the table's columns, and `row_id` */
  readonly sql: string
  readonly files: readonly DataFile[]
  /** drops what the SQL reads of; the SQL means nothing afterwards */
  close(): Promise<void>
}

let made = 0

/**
 * @throws DeltaError the codes of `groupFiles` and `collectDeletes`, `DUCKLAKE_TYPE_UNSUPPORTED`
 */
export async function openRelation(request: RelationRequest): Promise<Relation> {
  const { catalog, table, snapshot } = request
  const files = await loadLiveFiles(catalog, table, snapshot, request.prune)
  const deletes = `${catalog.scratch}.main.deletes${made++}`
  await createDeletesTable(catalog, deletes)
  const close = async () => void (await catalog.query(`DROP TABLE IF EXISTS ${deletes}`))
  try {
    const deleted = await collectDeletes({ ...request }, files, deletes)
    const parts = [...(await fileParts(request, files, { deletes, deleted })), ...(await inlinedParts(request))]
    return { sql: parts.length === 0 ? nothing(request) : parts.join('\nUNION ALL\n'), files, close }
  } catch (error) {
    await close().catch(() => undefined)
    throw error
  }
}

async function fileParts(
  { snapshot, columns, ...source }: RelationRequest,
  files: readonly DataFile[],
  { deletes, deleted }: { readonly deletes: string; readonly deleted: ReadonlySet<number> },
): Promise<string[]> {
  const isCut = ({ partialMax }: DataFile) => partialMax !== undefined && partialMax > snapshot
  const fileSource: FileSource = source
  const groups = await groupFiles(fileSource, files, (file) => `${deleted.has(file.id)} ${isCut(file)}`)
  return groups.map((group) => {
    const [{ file }] = group.files as [(typeof group.files)[number]]
    return groupSelect(fileSource, group, {
      columns,
      extra: ({ rowId }) => [`${rowId} AS row_id`],
      where: ({ fileId, position, snapshot: written }) => {
        const conditions = [
          ...(isCut(file) ? [`${written} <= ${snapshot}`] : []),
          ...(deleted.has(file.id)
            ? [`NOT EXISTS (SELECT 1 FROM ${deletes} d WHERE d.file_id = ${fileId} AND d.pos = ${position})`]
            : []),
        ]
        return conditions.length === 0 ? undefined : conditions.join(' AND ')
      },
    })
  })
}

async function inlinedParts({ catalog, table, snapshot, columns }: RelationRequest): Promise<string[]> {
  const tables = await loadInlined(catalog, table, snapshot)
  return tables.map((inlined) => {
    const outputs = columns.map((column, i) => `${inlined.columnSql(column)} AS v${i}`)
    const live = `${inlined.begin} <= ${snapshot} AND (${inlined.end} IS NULL OR ${inlined.end} > ${snapshot})`
    return `SELECT ${[...outputs, `${inlined.rowId} AS row_id`].join(', ')} FROM ${inlined.name} WHERE ${live}`
  })
}

function nothing({ columns, table }: RelationRequest): string {
  const outputs = columns.map((column, i) => `NULL::${columnSqlType(column, table.name)} AS v${i}`)
  return `SELECT ${[...outputs, 'NULL::BIGINT AS row_id'].join(', ')} WHERE false`
}
