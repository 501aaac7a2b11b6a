/** What is in a lake at one snapshot: schemas, tables, views, macros. */
import { deltaError } from '../../errors/index.ts'
import { type Catalog, safeNumber } from '../catalog/catalog.ts'
import { type LakeColumn, loadColumns } from './columns.ts'
import { liveAt } from './live.ts'
import { parseName, printName, sameName } from './names.ts'
import type { SnapshotInfo } from './snapshots.ts'

export interface LakeSchema {
  readonly id: number
  /** from the outermost: one part, unless schemas are nested */
  readonly parts: readonly string[]
  readonly name: string
  readonly folder: Folder
}

/** Where the files of a schema or a table begin. */
export interface Folder {
  /** with a slash at its end, or empty */
  readonly path: string
  /** to the data path; false: the path is whole */
  readonly isRelative: boolean
}

export interface LakeTable {
  readonly id: number
  readonly schema: LakeSchema
  readonly tableName: string
  /** `main.orders`; parts with a dot or a quote are quoted */
  readonly name: string
  readonly uuid: string | undefined
  readonly comment: string | undefined
  readonly folder: Folder
  readonly columns: readonly LakeColumn[]
}

export interface LakeView {
  readonly id: number
  readonly schema: LakeSchema
  readonly viewName: string
  readonly name: string
  readonly dialect: string
  readonly sql: string
  /** names its columns have instead of their own */
  readonly aliases: readonly string[]
  readonly comment: string | undefined
}

export interface LakeMacro {
  readonly name: string
  readonly kind: 'scalar' | 'table'
  readonly sql: string
  readonly parameters: readonly string[]
}

type Listed = Omit<LakeTable, 'columns'>

export class LakeSnapshot {
  readonly catalog: Catalog
  readonly info: SnapshotInfo
  private readonly schemas_: readonly LakeSchema[]
  private listed: Promise<readonly Listed[]> | undefined

  private constructor(catalog: Catalog, info: SnapshotInfo, schemas: readonly LakeSchema[]) {
    this.catalog = catalog
    this.info = info
    this.schemas_ = schemas
  }

  static async load(catalog: Catalog, info: SnapshotInfo): Promise<LakeSnapshot> {
    return new LakeSnapshot(catalog, info, await loadSchemas(catalog, info.id))
  }

  get id(): number {
    return this.info.id
  }

  /** By name. */
  schemas(): readonly LakeSchema[] {
    return this.schemas_
  }

  /** Tables without their columns, by name. */
  tables(): Promise<readonly Listed[]> {
    this.listed ??= this.listTables()
    return this.listed
  }

  /**
   * The table a name means: a dotted path, its parts quoted where needed; a table of `main` by its own name.
   *
   * @throws DeltaError `DUCKLAKE_TABLE_NOT_FOUND`
   */
  async table(name: string): Promise<LakeTable> {
    const tables = await this.tables()
    const found = findByName(tables, name)
    if (found === undefined) {
      const details = { table: name, catalog: this.catalog.file.shown, snapshot: this.id }
      throw deltaError('DUCKLAKE_TABLE_NOT_FOUND', {
        ...details,
        tables: tables.map((table) => table.name).join(', ') || 'none',
      })
    }
    return { ...found, columns: await loadColumns(this.catalog, found.id, this.id) }
  }

  async views(): Promise<LakeView[]> {
    const rows = await this.catalog.query(
      `SELECT v.view_id, v.schema_id, v.view_name, v.dialect, v.sql, v.column_aliases, ${this.comment('v.view_id')}
       FROM ${this.catalog.view('view')} v WHERE ${liveAt(this.id, 'v')} ORDER BY v.view_name`,
    )
    return rows.flatMap((row) => {
      const schema = this.schemas_.find(({ id }) => id === safeNumber(row[1]))
      if (schema === undefined) return []
      const viewName = String(row[2])
      return {
        id: safeNumber(row[0]),
        schema,
        viewName,
        name: printName([...schema.parts, viewName]),
        dialect: String(row[3] ?? 'duckdb'),
        sql: String(row[4]),
        aliases: parseAliases(String(row[5] ?? '')),
        comment: typeof row[6] === 'string' ? row[6] : undefined,
      }
    })
  }

  async macros(): Promise<LakeMacro[]> {
    const { catalog } = this
    const rows = await catalog.query(
      `SELECT m.schema_id, m.macro_name, i.type, i.sql,
              (SELECT string_agg(p.parameter_name, chr(31) ORDER BY p.column_id) FROM ${catalog.view('macro_parameters')} p
               WHERE p.macro_id = i.macro_id AND p.impl_id = i.impl_id)
       FROM ${catalog.view('macro')} m JOIN ${catalog.view('macro_impl')} i USING (macro_id)
       WHERE ${liveAt(this.id, 'm')} ORDER BY m.macro_name, i.impl_id`,
    )
    return rows.flatMap((row) => {
      const schema = this.schemas_.find(({ id }) => id === safeNumber(row[0]))
      if (schema === undefined) return []
      return {
        name: printName([...schema.parts, String(row[1])]),
        kind: row[2] === 'table' ? ('table' as const) : ('scalar' as const),
        sql: String(row[3]),
        parameters: typeof row[4] === 'string' ? row[4].split('\u001f') : [],
      }
    })
  }

  private async listTables(): Promise<readonly Listed[]> {
    const rows = await this.catalog.query(
      `SELECT t.table_id, t.schema_id, t.table_name, t.table_uuid, t.path, t.path_is_relative, ${this.comment('t.table_id')}
       FROM ${this.catalog.view('table')} t WHERE ${liveAt(this.id, 't')} ORDER BY t.table_id`,
    )
    const tables = rows.flatMap((row): Listed[] => {
      const schema = this.schemas_.find(({ id }) => id === safeNumber(row[1]))
      if (schema === undefined) return []
      const tableName = String(row[2])
      return [
        {
          id: safeNumber(row[0]),
          schema,
          tableName,
          name: printName([...schema.parts, tableName]),
          uuid: typeof row[3] === 'string' ? row[3] : undefined,
          folder: below(schema.folder, String(row[4] ?? ''), row[5] !== false),
          comment: typeof row[6] === 'string' ? row[6] : undefined,
        },
      ]
    })
    return tables.sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  private comment(id: string): string {
    return `(SELECT first(g.value) FROM ${this.catalog.view('tag')} g WHERE g.object_id = ${id} AND g.key = 'comment' AND ${liveAt(this.id, 'g')})`
  }
}

/** Schemas that are visible: every one around them is. */
async function loadSchemas(catalog: Catalog, snapshot: number): Promise<LakeSchema[]> {
  const rows = await catalog.query(
    `SELECT s.schema_id, s.schema_name, s.path, s.path_is_relative, s.parent_schema_id
     FROM ${catalog.view('schema')} s WHERE ${liveAt(snapshot, 's')}`,
  )
  const byId = new Map(rows.map((row) => [safeNumber(row[0]), row]))
  const partsOf = (id: number, depth: number): string[] | undefined => {
    const row = byId.get(id)
    if (row === undefined || depth > byId.size) return undefined
    if (row[4] === null) return [String(row[1])]
    const outer = partsOf(safeNumber(row[4]), depth + 1)
    return outer && [...outer, String(row[1])]
  }
  const schemas = rows.flatMap((row): LakeSchema[] => {
    const id = safeNumber(row[0])
    const parts = partsOf(id, 0)
    if (parts === undefined) return []
    const folder = below({ path: '', isRelative: true }, String(row[2] ?? ''), row[3] !== false)
    return [{ id, parts, name: printName(parts), folder }]
  })
  return schemas.sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** Paths are joined as they stand; one that is not relative begins anew. */
export function below(folder: Folder, path: string, isRelative: boolean): Folder {
  return isRelative ? { path: folder.path + path, isRelative: folder.isRelative } : { path, isRelative: false }
}

function findByName<T extends { readonly name: string; readonly schema: LakeSchema; readonly tableName: string }>(
  tables: readonly T[],
  text: string,
): T | undefined {
  const exact = tables.find(({ name }) => name === text)
  if (exact !== undefined) return exact
  const parts = parseName(text)
  const path = parts?.length === 1 ? ['main', parts[0]!] : parts
  const isSame = ({ schema, tableName }: T) => {
    const own = [...schema.parts, tableName]
    return own.length === path?.length && own.every((part, i) => sameName(part, path[i]!))
  }
  return tables.find(isSame) ?? tables.find(({ schema, tableName }) => [...schema.parts, tableName].join('.') === text)
}

function parseAliases(text: string): string[] {
  return [...text.matchAll(/"((?:[^"]|"")*)"/g)].map((match) => match[1]!.replaceAll('""', '"'))
}
