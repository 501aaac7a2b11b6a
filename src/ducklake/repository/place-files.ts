/**
 * The files of a draft, each under its place in the repository.
 *
 * A path below the data path keeps its place; one that stands alone moves into the folder of its table, with the
 * partition folders its columns are read from.
 */
import { deltaError } from '../../errors/index.ts'
import { safeNumber } from '../catalog/catalog.ts'
import { type FileAccess, isPlainKey } from '../catalog/file-access.ts'
import { below, type Folder } from '../snapshot/lake-snapshot.ts'
import type { Draft } from '../write/draft.ts'
import { DATA } from './layout.ts'
import type { SourceFile } from './source.ts'

/**
 * Rewrites the paths of a draft to relative ones and tells where each file comes from.
 *
 * @throws DeltaError `DUCKLAKE_PATH_ESCAPES`
 */
export async function placeFiles(draft: Draft, access: FileAccess): Promise<SourceFile[]> {
  const folders = await tableFolders(draft)
  const files: SourceFile[] = []
  const taken = new Map<string, string>()
  for (const kind of KINDS) {
    const rows = await draft.query(
      `SELECT ${kind.id}, table_id, path, path_is_relative, file_size_bytes, begin_snapshot FROM ${draft.view(kind.table)} ORDER BY 1`,
    )
    for (const [id, tableId, path, isRelative, size] of rows) {
      const folder = folders.get(safeNumber(tableId)) ?? NOWHERE
      const place = below(folder.from, String(path ?? ''), isRelative !== false)
      const located = await access.locate(place)
      const wanted = place.isRelative ? place.path.replace(/^(?:\.\/)+/, '') : folder.to + standaloneName(place.path)
      const target = free(wanted, { id: safeNumber(id), source: `${located.store.location}\n${located.key}` }, taken)
      if (!isPlainKey(target)) throw deltaError('DUCKLAKE_PATH_ESCAPES', { path: place.path, root: access.dataPath })
      files.push({ target: DATA + target, bytes: safeNumber(size), from: located })
      const name = target.startsWith(folder.to) ? target.slice(folder.to.length) : undefined
      if (name === undefined) throw deltaError('DUCKLAKE_PATH_ESCAPES', { path: place.path, root: access.dataPath })
      if (name === path && isRelative !== false) continue
      await draft.run(
        `UPDATE ${draft.view(kind.table)} SET path = '${name.replaceAll("'", "''")}', path_is_relative = true WHERE ${kind.id} = ${id}`,
      )
    }
  }
  return files
}

const KINDS = [
  { table: 'data_file', id: 'data_file_id' },
  { table: 'delete_file', id: 'delete_file_id' },
] as const

interface TableFolder {
  /** where its files lie now */
  readonly from: Folder
  /** where they lie below `data/` */
  readonly to: string
}

const NOWHERE: TableFolder = { from: { path: '', isRelative: true }, to: '' }

/** Folders that are not below the data path get one by their names. */
async function tableFolders(draft: Draft): Promise<Map<number, TableFolder>> {
  const schemas = await draft.query(
    `SELECT schema_id, path, path_is_relative, schema_name FROM ${draft.view('schema')}`,
  )
  const bySchema = new Map<number, TableFolder>()
  for (const [id, path, isRelative, name] of schemas) {
    const from = below({ path: '', isRelative: true }, String(path ?? ''), isRelative !== false)
    const to = from.isRelative ? from.path : `${folderName(String(name))}/`
    if (!from.isRelative)
      await draft.run(
        `UPDATE ${draft.view('schema')} SET path = '${to}', path_is_relative = true WHERE schema_id = ${id}`,
      )
    bySchema.set(safeNumber(id), { from, to })
  }
  const folders = new Map<number, TableFolder>()
  const tables = await draft.query(
    `SELECT DISTINCT table_id, schema_id, path, path_is_relative, table_name FROM ${draft.view('table')} ORDER BY 1`,
  )
  for (const [id, schemaId, path, isRelative, name] of tables) {
    const schema = bySchema.get(safeNumber(schemaId)) ?? NOWHERE
    const from = below(schema.from, String(path ?? ''), isRelative !== false)
    const own = from.isRelative && isRelative !== false ? String(path ?? '') : `${folderName(String(name))}/`
    const known = folders.get(safeNumber(id))
    folders.set(safeNumber(id), known ?? { from, to: schema.to + own })
    if (own === path && isRelative !== false) continue
    await draft.run(
      `UPDATE ${draft.view('table')} SET path = '${own.replaceAll("'", "''")}', path_is_relative = true WHERE table_id = ${id}`,
    )
  }
  return folders
}

/** As DuckLake names folders of its own. */
export function folderName(name: string): string {
  return /^[A-Za-z0-9_-]+$/.test(name) ? name : crypto.randomUUID()
}

/** The name of a file that stands alone, with its partition folders. */
function standaloneName(path: string): string {
  const parts = path.split('/').filter((part) => part !== '')
  const first = parts.findLastIndex((part, i) => i < parts.length - 1 && !part.includes('='))
  return parts.slice(first + 1).join('/')
}

/** Two files never get one place; a file that a table took in again keeps its own. */
function free(
  wanted: string,
  { id, source }: { readonly id: number; readonly source: string },
  taken: Map<string, string>,
): string {
  const cut = wanted.lastIndexOf('/') + 1
  const isFree = (taken.get(wanted) ?? source) === source
  const target = isFree ? wanted : `${wanted.slice(0, cut)}${id}-${wanted.slice(cut)}`
  taken.set(target, source)
  return target
}
