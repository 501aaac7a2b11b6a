/**
 * One snapshot more in a draft: what it changes, then its row.
 *
 * Ids of schemas, tables and partitions come from one counter, those of data files, delete files and name mappings from
 * another. Source: DuckLake, "Snapshots", "Changes".
 */
import { quoteLiteral } from '../../engine/duckdb/index.ts'
import { safeNumber } from '../catalog/catalog.ts'
import { type LakeChange, printChanges } from '../snapshot/changes-made.ts'
import type { LakeColumn } from '../snapshot/columns.ts'
import type { PartitionKey } from '../snapshot/partitions.ts'
import type { Draft } from './draft.ts'

export interface SnapshotText {
  readonly timeMicros: bigint
  readonly author?: string | undefined
  readonly message?: string | undefined
  readonly extraInfo?: string | undefined
}

export interface NewDataFile {
  /** below the table's folder */
  readonly path: string
  readonly recordCount: number
  readonly size: number
  readonly rowIdStart: number
  readonly footerSize?: number | undefined
  readonly mappingId?: number | undefined
  readonly partitionId?: number | undefined
}

export interface NewDeleteFile {
  readonly dataFileId: number
  readonly path: string
  readonly format: 'puffin' | 'parquet'
  readonly count: number
  readonly size: number
  readonly footerSize?: number | undefined
}

/** The empty lake every other grows from: snapshot 0 with the schema `main`. Source: DuckLake, "Bootstrap". */
export async function bootstrap(draft: Draft, timeMicros: bigint): Promise<void> {
  const metadata = { version: '1.1', created_by: 'bayou', data_path: 'data/', encrypted: 'false' }
  for (const [key, value] of Object.entries(metadata)) {
    await draft.run(`INSERT INTO ${draft.view('metadata')} VALUES ('${key}', '${value}', NULL, NULL)`)
  }
  await draft.run(`INSERT INTO ${draft.view('snapshot')} VALUES (0, make_timestamptz(${timeMicros}), 0, 1, 0)`)
  await draft.run(`INSERT INTO ${draft.view('snapshot_changes')} VALUES (0, 'created_schema:"main"', NULL, NULL, NULL)`)
  await draft.run(`INSERT INTO ${draft.view('schema')} VALUES (0, uuid(), 0, NULL, 'main', 'main/', true, NULL)`)
}

export class SnapshotWriter {
  readonly id: number
  private readonly draft: Draft
  private readonly changes: LakeChange[] = []
  private readonly lastMicros: bigint
  private schemaVersion: number
  private nextCatalogId: number
  private nextFileId: number
  private readonly altered = new Set<number>()

  private constructor(
    draft: Draft,
    last: { id: number; schemaVersion: number; nextCatalogId: number; nextFileId: number; micros: bigint },
  ) {
    this.draft = draft
    this.id = last.id + 1
    this.schemaVersion = last.schemaVersion
    this.nextCatalogId = last.nextCatalogId
    this.nextFileId = last.nextFileId
    this.lastMicros = last.micros
  }

  /** Behind the newest snapshot of the draft. */
  static async begin(draft: Draft): Promise<SnapshotWriter> {
    const [row] = await draft.query(
      `SELECT snapshot_id, schema_version, next_catalog_id, next_file_id, epoch_us(snapshot_time)
       FROM ${draft.view('snapshot')} ORDER BY snapshot_id DESC LIMIT 1`,
    )
    const [id, schemaVersion, nextCatalogId, nextFileId] = row!.slice(0, 4).map(safeNumber) as [
      number,
      number,
      number,
      number,
    ]
    return new SnapshotWriter(draft, { id, schemaVersion, nextCatalogId, nextFileId, micros: BigInt(row![4] ?? 0n) })
  }

  takeFileId(): number {
    return this.nextFileId++
  }

  change(word: string, of: { readonly id: number } | { readonly name: readonly string[] }): void {
    const isThere = this.changes.some((one) => one.word === word && 'id' in of && one.id === of.id)
    if (!isThere) this.changes.push({ word, ...of })
  }

  /** @returns the id of a schema, which is made when it is not there */
  async schema(name: string): Promise<number> {
    const [row] = await this.draft.query(
      `SELECT schema_id FROM ${this.draft.view('schema')} WHERE schema_name = ${quoteLiteral(name)} AND end_snapshot IS NULL AND parent_schema_id IS NULL`,
    )
    if (row !== undefined) return safeNumber(row[0])
    const id = this.nextCatalogId++
    await this.draft.run(
      `INSERT INTO ${this.draft.view('schema')} VALUES (${id}, uuid(), ${this.id}, NULL, ${quoteLiteral(name)}, ${quoteLiteral(folder(name))}, true, NULL)`,
    )
    this.schemaVersion++
    this.change('created_schema', { name: [name] })
    return id
  }

  async createTable(
    schemaId: number,
    path: readonly [schema: string, table: string],
    columns: readonly LakeColumn[],
  ): Promise<number> {
    const id = this.nextCatalogId++
    await this.draft.run(
      `INSERT INTO ${this.draft.view('table')} VALUES (${id}, uuid(), ${this.id}, NULL, ${schemaId}, ${quoteLiteral(path[1])}, ${quoteLiteral(folder(path[1]))}, true)`,
    )
    await this.draft.run(`INSERT INTO ${this.draft.view('table_stats')} VALUES (${id}, 0, 0, 0)`)
    await this.insertColumns(id, columns)
    this.change('created_table', { name: path })
    this.altered.add(id)
    return id
  }

  async dropTable(id: number): Promise<void> {
    for (const table of ['table', 'column', 'data_file', 'delete_file', 'partition_info', 'sort_info', 'column_tag']) {
      await this.draft.run(
        `UPDATE ${this.draft.view(table)} SET end_snapshot = ${this.id} WHERE table_id = ${id} AND end_snapshot IS NULL`,
      )
    }
    this.schemaVersion++
    this.change('dropped_table', { id })
  }

  /** The columns of a table become others: those that differ end, and begin anew under their ids. */
  async setColumns(tableId: number, before: readonly LakeColumn[], after: readonly LakeColumn[]): Promise<void> {
    const texts = new Map(flatten(before).map((column) => [column.id, column.text]))
    const next = flatten(after)
    const kept = new Set(next.filter(({ id, text }) => texts.get(id) === text).map(({ id }) => id))
    const ended = [...texts.keys()].filter((id) => !kept.has(id))
    if (ended.length > 0) {
      await this.draft.run(
        `UPDATE ${this.draft.view('column')} SET end_snapshot = ${this.id} WHERE table_id = ${tableId} AND end_snapshot IS NULL AND column_id IN (${ended.join(', ')})`,
      )
    }
    await this.insertFlat(
      tableId,
      next.filter(({ id }) => !kept.has(id)),
    )
    this.change('altered_table', { id: tableId })
    this.altered.add(tableId)
  }

  /**
   * The keys the files of a table are split by from this snapshot on; none when empty.
   *
   * @returns the id files name
   */
  async setPartition(tableId: number, keys: readonly PartitionKey[]): Promise<number | undefined> {
    await this.draft.run(
      `UPDATE ${this.draft.view('partition_info')} SET end_snapshot = ${this.id} WHERE table_id = ${tableId} AND end_snapshot IS NULL`,
    )
    if (keys.length === 0) return undefined
    const id = this.nextCatalogId++
    await this.draft.run(
      `INSERT INTO ${this.draft.view('partition_info')} VALUES (${id}, ${tableId}, ${this.id}, NULL)`,
    )
    const rows = keys.map((key, i) => `(${id}, ${tableId}, ${i}, ${key.columnId}, ${quoteLiteral(key.transform)})`)
    await this.draft.run(`INSERT INTO ${this.draft.view('partition_column')} VALUES ${rows.join(', ')}`)
    return id
  }

  /** @returns the id of the file */
  async addDataFile(tableId: number, file: NewDataFile): Promise<number> {
    const id = this.takeFileId()
    const values = [
      id,
      tableId,
      this.id,
      'NULL',
      'NULL',
      quoteLiteral(file.path),
      true,
      "'parquet'",
      file.recordCount,
      file.size,
    ]
    const rest = [
      file.footerSize ?? 'NULL',
      file.rowIdStart,
      file.partitionId ?? 'NULL',
      'NULL',
      file.mappingId ?? 'NULL',
      'NULL',
      'NULL',
    ]
    await this.draft.run(`INSERT INTO ${this.draft.view('data_file')} VALUES (${[...values, ...rest].join(', ')})`)
    return id
  }

  /** The file is no part of the table from this snapshot on, and its deletes with it. */
  async endDataFile(id: number): Promise<void> {
    await this.draft.run(
      `UPDATE ${this.draft.view('data_file')} SET end_snapshot = ${this.id} WHERE data_file_id = ${id}`,
    )
    await this.endDeleteFile(id)
  }

  async endDeleteFile(dataFileId: number): Promise<void> {
    await this.draft.run(
      `UPDATE ${this.draft.view('delete_file')} SET end_snapshot = ${this.id} WHERE data_file_id = ${dataFileId} AND end_snapshot IS NULL`,
    )
  }

  /** The one delete file of a data file from this snapshot on. */
  async setDeleteFile(tableId: number, file: NewDeleteFile): Promise<void> {
    await this.endDeleteFile(file.dataFileId)
    const values = [this.takeFileId(), tableId, this.id, 'NULL', file.dataFileId, quoteLiteral(file.path), true]
    const rest = [`'${file.format}'`, file.count, file.size, file.footerSize ?? 'NULL', 'NULL', 'NULL', 'NULL']
    await this.draft.run(`INSERT INTO ${this.draft.view('delete_file')} VALUES (${[...values, ...rest].join(', ')})`)
  }

  /** Sums of a table as they are after this snapshot. */
  async updateTableStats(tableId: number, nextRowId: number): Promise<void> {
    await this.draft.run(
      `UPDATE ${this.draft.view('table_stats')} SET next_row_id = ${nextRowId},
         record_count = (SELECT coalesce(sum(record_count), 0) FROM ${this.draft.view('data_file')} WHERE table_id = ${tableId} AND end_snapshot IS NULL),
         file_size_bytes = (SELECT coalesce(sum(file_size_bytes), 0) FROM ${this.draft.view('data_file')} WHERE table_id = ${tableId} AND end_snapshot IS NULL)
       WHERE table_id = ${tableId}`,
    )
  }

  /** Times of snapshots rise, whatever the clock that gave this one. */
  async end({ timeMicros, author, message, extraInfo }: SnapshotText): Promise<void> {
    if (this.altered.size > 0) this.schemaVersion++
    const micros = timeMicros > this.lastMicros ? timeMicros : this.lastMicros + 1n
    const numbers = [this.schemaVersion, this.nextCatalogId, this.nextFileId].join(', ')
    await this.draft.run(
      `INSERT INTO ${this.draft.view('snapshot')} VALUES (${this.id}, make_timestamptz(${micros}), ${numbers})`,
    )
    const texts = [printChanges(this.changes), author, message, extraInfo].map((text) =>
      text === undefined ? 'NULL' : quoteLiteral(text),
    )
    await this.draft.run(`INSERT INTO ${this.draft.view('snapshot_changes')} VALUES (${this.id}, ${texts.join(', ')})`)
    for (const id of this.altered) {
      await this.draft.run(
        `INSERT INTO ${this.draft.view('schema_versions')} VALUES (${this.id}, ${this.schemaVersion}, ${id})`,
      )
    }
  }

  private async insertColumns(tableId: number, columns: readonly LakeColumn[]): Promise<void> {
    await this.insertFlat(tableId, flatten(columns))
  }

  private async insertFlat(tableId: number, columns: readonly FlatColumn[]): Promise<void> {
    if (columns.length === 0) return
    const rows = columns.map(({ id, order, parent, column }) => {
      const text = (value: string | undefined) => (value === undefined ? 'NULL' : quoteLiteral(value))
      const isContainer = column.children.length > 0
      const values = [id, this.id, 'NULL', tableId, order, quoteLiteral(column.name), quoteLiteral(column.type)]
      const defaults = [
        text(column.initialDefault),
        column.defaultValue === undefined ? "'NULL'" : text(column.defaultValue),
      ]
      return `(${[...values, ...defaults, column.nullable, parent ?? 'NULL', isContainer ? "''" : "'literal'", "'duckdb'"].join(', ')})`
    })
    await this.draft.run(`INSERT INTO ${this.draft.view('column')} VALUES ${rows.join(', ')}`)
  }
}

interface FlatColumn {
  readonly id: number
  readonly order: number
  readonly parent: number | undefined
  readonly column: LakeColumn
  /** all that its row says */
  readonly text: string
}

function flatten(columns: readonly LakeColumn[], parent?: number): FlatColumn[] {
  return columns.flatMap((column, i) => {
    const { id, name, type, nullable, initialDefault, defaultValue } = column
    const text = JSON.stringify([
      name,
      type,
      parent === undefined ? nullable : true,
      initialDefault,
      defaultValue,
      parent,
      i,
    ])
    return [{ id, order: i + 1, parent, column, text }, ...flatten(column.children, id)]
  })
}

/** New folders are called as what lies in them where the name allows it. */
function folder(name: string): string {
  return `${/^[A-Za-z0-9_-]+$/.test(name) ? name : crypto.randomUUID()}/`
}
