/** Rows, counts and files of a table at a snapshot, chosen by a predicate and a list of columns. */
import { ChunkBatch, compileExpression, expressionError, quoteIdent } from '../../engine/duckdb/index.ts'
import type { Batch } from '../../engine/index.ts'
import { causeText, deltaError, isDeltaError } from '../../errors/index.ts'
import { type BoundExpression, bindPredicate, columnsOf } from '../../expressions/index.ts'
import { field, longType, type StructType, structType } from '../../schema/index.ts'
import { throwIfAborted } from '../../support/index.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { FileAccess } from '../catalog/file-access.ts'
import { columnDataType, type LakeColumn } from '../snapshot/columns.ts'
import type { LakeTable } from '../snapshot/lake-snapshot.ts'
import { sameName } from '../snapshot/names.ts'
import { type DataFile, loadLiveFiles } from './data-files.ts'
import { memberSql, outputSql } from './output-sql.ts'
import { pruneSql } from './prune.ts'
import { openRelation, type Relation } from './relation.ts'

export interface LakeScanOptions {
  /** a predicate in the package's expression language */
  readonly where?: string
  /** names of columns, in the order wanted; all when absent */
  readonly select?: readonly string[]
  readonly limit?: number
  /** true: a last column `rowid` */
  readonly rowIds?: boolean
  /** `values`: as `schema/value.ts`; `text`: dates and timestamps as ISO texts, infinite ones too */
  readonly form?: 'values' | 'text'
  readonly signal?: AbortSignal | undefined
}

export interface ScanPlace {
  readonly catalog: Catalog
  readonly access: FileAccess
  readonly table: LakeTable
  readonly snapshot: number
}

export class LakeScan {
  private readonly place: ScanPlace
  private readonly options: LakeScanOptions

  constructor(place: ScanPlace, options: LakeScanOptions) {
    this.place = place
    this.options = options
  }

  /** The columns and the rows; the rows are read once. */
  async open(): Promise<{ readonly schema: StructType; batches(): AsyncIterable<Batch> }> {
    const asText = this.options.form === 'text'
    const chosen = this.columns()
    const fields = chosen.map((column) => field(column.name, columnDataType(column, asText), column.nullable))
    const schema = structType(this.options.rowIds ? [...fields, field('rowid', longType)] : fields)
    return { schema, batches: () => this.batches(chosen, schema, asText) }
  }

  /** The number of rows: from the catalog's counts where no predicate is given. */
  async count(): Promise<number> {
    const { place, options } = this
    if (options.where === undefined) {
      const exact = await countFromCatalog(place)
      if (exact !== undefined) return exact
    }
    const filter = this.filter()
    const columns = this.needed([], filter)
    const relation = await this.relation(columns, filter)
    try {
      const [row] = await this.query(
        `SELECT count(*) FROM (${relation.sql}) t ${whereSql(filter, place.table.columns, columns)}`,
      )
      return Number(row![0])
    } finally {
      await relation.close()
    }
  }

  /** The data files that the scan opens. */
  async files(): Promise<DataFile[]> {
    const { catalog, table, snapshot } = this.place
    const prune = this.prune(this.filter())
    return await loadLiveFiles(catalog, table, snapshot, prune)
  }

  /** Writes the rows, in DuckDB's own types, into a Parquet file of the local file system. */
  async writeParquet(path: string): Promise<void> {
    const chosen = this.columns()
    const filter = this.filter()
    const columns = this.needed(chosen, filter)
    const relation = await this.relation(columns, filter)
    try {
      const outputs = chosen.map((column) => `v${columns.indexOf(column)} AS ${quoteIdent(column.name)}`)
      const sql = `SELECT ${outputs.join(', ')} FROM (${relation.sql}) t ${whereSql(filter, this.place.table.columns, columns)} ${this.limit()}`
      await this.place.catalog.session.run(`COPY (${sql}) TO '${path.replaceAll("'", "''")}' (FORMAT parquet)`)
    } finally {
      await relation.close()
    }
  }

  private async *batches(chosen: readonly LakeColumn[], schema: StructType, asText: boolean): AsyncGenerator<Batch> {
    const filter = this.filter()
    const columns = this.needed(chosen, filter)
    const relation = await this.relation(columns, filter)
    try {
      const outputs = chosen.map((column) => outputSql(`v${columns.indexOf(column)}`, column, asText))
      if (this.options.rowIds) outputs.push('row_id')
      const select = outputs.length === 0 ? 'NULL' : outputs.map((sql, i) => `${sql} AS o${i}`).join(', ')
      const sql = `SELECT ${select} FROM (${relation.sql}) t ${whereSql(filter, this.place.table.columns, columns)} ${this.limit()}`
      const { signal } = this.options
      const stream = this.place.catalog.session.stream(sql, { signal, what: 'the scan' })
      for await (const chunk of stream) yield new ChunkBatch(chunk, schema)
    } catch (error) {
      throw readError(error, relation, this.place)
    } finally {
      await relation.close()
    }
  }

  private limit(): string {
    return this.options.limit === undefined ? '' : `LIMIT ${this.options.limit}`
  }

  private columns(): readonly LakeColumn[] {
    const { columns, name } = this.place.table
    return (
      this.options.select?.map((wanted) => {
        const found =
          columns.find((column) => column.name === wanted) ?? columns.find((column) => sameName(column.name, wanted))
        if (found !== undefined) return found
        const names = columns.map((column) => column.name).join(', ')
        throw deltaError('DUCKLAKE_COLUMN_NOT_FOUND', { table: name, column: wanted, columns: names })
      }) ?? columns
    )
  }

  /** The columns that are read: those wanted, and those the filter names. */
  private needed(chosen: readonly LakeColumn[], filter: BoundExpression | undefined): readonly LakeColumn[] {
    const named = filter === undefined ? [] : columnsOf(filter).map(([name]) => name)
    return this.place.table.columns.filter((column) => chosen.includes(column) || named.includes(column.name))
  }

  private filter(): BoundExpression | undefined {
    const { where } = this.options
    return where === undefined ? undefined : bindPredicate(where, tableSchema(this.place.table.columns))
  }

  private prune(filter: BoundExpression | undefined): string[] {
    const { catalog, table } = this.place
    if (filter === undefined) return []
    return [pruneSql(catalog, filter, { columns: table.columns, schema: tableSchema(table.columns) })]
  }

  private async relation(columns: readonly LakeColumn[], filter: BoundExpression | undefined): Promise<Relation> {
    throwIfAborted(this.options.signal, 'the scan')
    return await openRelation({ ...this.place, columns, prune: this.prune(filter) })
  }

  private async query(sql: string): Promise<unknown[][]> {
    try {
      return await this.place.catalog.session.query(sql, { signal: this.options.signal })
    } catch (error) {
      throw expressionError(error)
    }
  }
}

/** The schema predicates are bound to. */
export function tableSchema(columns: readonly LakeColumn[]): StructType {
  return structType(columns.map((column) => field(column.name, columnDataType(column, false), column.nullable)))
}

function whereSql(
  filter: BoundExpression | undefined,
  columns: readonly LakeColumn[],
  read: readonly LakeColumn[],
): string {
  if (filter === undefined) return ''
  const sql = compileExpression(filter, (_, ordinals) => {
    let column = columns[ordinals[0]!]!
    let value = `v${read.indexOf(column)}`
    for (const ordinal of ordinals.slice(1)) {
      column = column.children[ordinal]!
      value = memberSql(value, column.name)
    }
    return wideInteger(outputSql(value, column, false), column.type)
  })
  return `WHERE ${sql}`
}

/** What leaves as a number of any length is a decimal to a predicate. */
function wideInteger(sql: string, type: string): string {
  if (type === 'uint64') return `CAST(${sql} AS DECIMAL(20,0))`
  return type === 'int128' || type === 'uint128' ? `CAST(${sql} AS DECIMAL(38,0))` : sql
}

/** Undefined where files hold rows of later snapshots, or delete files rows that went later. */
async function countFromCatalog({ catalog, table, snapshot }: ScanPlace): Promise<number | undefined> {
  if (catalog.rawTables().includes(`ducklake_inlined_delete_${table.id}`)) return undefined
  const inlined = await catalog.query(
    `SELECT count(*) FROM ${catalog.view('inlined_data_tables')} WHERE table_id = ${table.id}`,
  )
  if (inlined[0]?.[0] !== 0n) return undefined
  const files = await loadLiveFiles(catalog, table, snapshot)
  const isExact = files.every(({ partialMax, deletes }) => {
    return (partialMax === undefined || partialMax <= snapshot) && deletes.length === 0
  })
  return isExact ? files.reduce((sum, file) => sum + file.recordCount, 0) : undefined
}

/** What DuckDB says of a file while rows are read, by the file's name. */
function readError(error: unknown, relation: Relation, { table }: ScanPlace): unknown {
  const named = expressionError(error)
  if (isDeltaError(named)) return named
  const text = causeText(error)
  const file = relation.files.find(({ place }) => text.includes(place.path.split('/').at(-1)!))
  if (file === undefined) return error
  return deltaError(
    'DUCKLAKE_FILE_CORRUPT',
    { file: file.place.path, table: table.name, reason: text.split('\n')[0] },
    { cause: error },
  )
}
