/**
 * Which rows of data files are deleted, as a table of (file, position, snapshot).
 *
 * A Parquet delete file with a third column says of each row in which snapshot it went; one without counts as a whole
 * from its own begin, and so does a Puffin vector. Inlined deletes lie in a table of the catalog.
 */
import { quoteIdent, quoteLiteral } from '../../engine/duckdb/index.ts'
import { isDeltaError } from '../../errors/index.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { corruptFile, type FileAccess } from '../catalog/file-access.ts'
import type { LakeTable } from '../snapshot/lake-snapshot.ts'
import type { DataFile, DeleteFile } from './data-files.ts'
import { loadShapes } from './file-shape.ts'
import { readPuffin } from './puffin.ts'

export interface DeleteSource {
  readonly catalog: Catalog
  readonly access: FileAccess
  readonly table: LakeTable
  /** deletes of later snapshots do not count */
  readonly snapshot: number
}

/** Positions of one INSERT; a list of constants is faster than a table of them. */
const POSITIONS_PER_INSERT = 50_000

/**
 * Fills a table made by `createDeletesTable`.
 *
 * @returns ids of the files that have deleted rows
 */
export async function collectDeletes(
  source: DeleteSource,
  files: readonly DataFile[],
  into: string,
): Promise<ReadonlySet<number>> {
  const { catalog, table, snapshot } = source
  for (const file of files) for (const deletes of file.deletes) await addDeleteFile(source, file, deletes, into)
  const inlined = `ducklake_inlined_delete_${table.id}`
  if (catalog.rawColumns(inlined) !== undefined) {
    const ids = files.map(({ id }) => id)
    await catalog.query(
      `INSERT INTO ${into} SELECT file_id::BIGINT, row_id::BIGINT, begin_snapshot::BIGINT FROM ${catalog.raw(inlined)}
       WHERE begin_snapshot::BIGINT <= ${snapshot} AND list_contains([${ids.join(', ')}]::BIGINT[], file_id::BIGINT)`,
    )
  }
  const found = await catalog.query(`SELECT DISTINCT file_id FROM ${into}`)
  return new Set(found.map(([id]) => Number(id)))
}

export async function createDeletesTable(catalog: Catalog, name: string): Promise<void> {
  await catalog.query(`CREATE TABLE ${name} (file_id BIGINT, pos BIGINT, snapshot BIGINT)`)
}

async function addDeleteFile(source: DeleteSource, file: DataFile, deletes: DeleteFile, into: string): Promise<void> {
  const { access, table } = source
  const path = await access.localPath(deletes.place, table.name)
  try {
    if (deletes.format === 'puffin') await addPuffin(source, file, deletes, into)
    else await addParquet(source, { file, deletes, path }, into)
  } catch (cause) {
    if (isDeltaError(cause) && cause.code.startsWith('DUCKLAKE_') && cause.code !== 'DUCKLAKE_CATALOG_CORRUPT')
      throw cause
    throw corruptFile(deletes.place.path, table.name, cause)
  }
}

async function addParquet(
  { catalog, snapshot }: DeleteSource,
  { file, deletes, path }: { readonly file: DataFile; readonly deletes: DeleteFile; readonly path: string },
  into: string,
): Promise<void> {
  const shape = (await loadShapes(catalog.session, [path])).get(path)!
  const [, position, inSnapshot] = shape.columns
  if (position === undefined) throw new Error('it has no column of positions')
  const at = inSnapshot === undefined ? `${deletes.begin}` : quoteIdent(inSnapshot.name)
  await catalog.session.run(
    `INSERT INTO ${into} SELECT ${file.id}, ${quoteIdent(position.name)}::BIGINT, ${at}::BIGINT
     FROM read_parquet(${quoteLiteral(path)}, hive_partitioning = false) WHERE ${at}::BIGINT <= ${snapshot}`,
  )
}

async function addPuffin(
  { catalog, access, table, snapshot }: DeleteSource,
  file: DataFile,
  deletes: DeleteFile,
  into: string,
): Promise<void> {
  const bytes = await access.bytes(deletes.place, table.name)
  const positions = readPuffin(bytes, { file: deletes.place.path, deleteCount: deletes.count, snapshot })
  for (let start = 0; start < positions.length; start += POSITIONS_PER_INSERT) {
    const list = positions.subarray(start, start + POSITIONS_PER_INSERT).join(',')
    await catalog.session.run(`INSERT INTO ${into} SELECT ${file.id}, unnest([${list}]::BIGINT[]), ${deletes.begin}`)
  }
}
