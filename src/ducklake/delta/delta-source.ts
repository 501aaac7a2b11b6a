/**
 * A Delta table as a table of a repository, with its history: a snapshot a version, the same files.
 *
 * Data files keep their content and their names; a deletion vector becomes a delete file of its own, cut from the file
 * it lies in. Only versions behind the last one published are added. Source: Delta protocol; DuckLake, "Name Mapping".
 */
import {
  DuckDatabase,
  type DuckDbOptions,
  type DuckSession,
  pathList,
  quoteLiteral,
} from '../../engine/duckdb/index.ts'
import { deltaError } from '../../errors/index.ts'
import { type AddFile, layoutOf, openDataFile, type TableLayout } from '../../kernel/index.ts'
import type { ObjectStore } from '../../storage/index.ts'
import { type Clock, systemClock } from '../../support/index.ts'
import { safeNumber } from '../catalog/catalog.ts'
import { openBase } from '../repository/base-draft.ts'
import { isContainerFile } from '../repository/lake-source.ts'
import { DATA } from '../repository/layout.ts'
import type { BuiltCatalog, PublishSource, SourceFile } from '../repository/source.ts'
import type { MappedNode } from '../scan/name-mapping.ts'
import type { LakeColumn } from '../snapshot/columns.ts'
import type { Draft } from '../write/draft.ts'
import { SnapshotWriter } from '../write/snapshot-writer.ts'
import { DeltaColumns, deltaMapping } from './delta-columns.ts'
import { type ColumnStats, fileStats, lakePath, vectorFile } from './delta-files.ts'
import { type DeltaVersion, deltaHistory, type State } from './delta-history.ts'
import { draftColumns } from './draft-columns.ts'

export interface DeltaSourceOptions {
  readonly store: ObjectStore
  /** `[schema, table]` in the lake */
  readonly name: readonly [schema: string, table: string]
  readonly engine?: DuckDbOptions
  readonly clock?: Clock
  readonly onNote?: (text: string) => void
}

/** Keys of the catalog's metadata, of a table's scope, by which the next publish goes on. */
const VERSION_KEY = 'bayou_delta_version'
const ID_KEY = 'bayou_delta_id'

/** @throws DeltaError `DUCKLAKE_SOURCE_UNSUPPORTED`, `DUCKLAKE_FILE_MISSING`, the codes of `loadSnapshot` */
export function deltaSource(options: DeltaSourceOptions): PublishSource {
  return async (base): Promise<BuiltCatalog> => {
    const opened = await openBase(base, {
      ...(options.engine && { engine: options.engine }),
      clock: options.clock ?? systemClock,
    })
    try {
      const copy = new DeltaCopy(opened.draft, opened.folderOf, options)
      const files = await copy.run()
      const all = [...opened.files, ...files]
      return {
        draft: opened.draft,
        files: all,
        isContainer: (id) => isContainerFile(opened.draft, all, id),
        tables: [options.name.join('.')],
        close: opened.close,
      }
    } catch (error) {
      await opened.close()
      throw error
    }
  }
}

interface LiveFile {
  readonly id: number
  /** of its deletion vector */
  readonly vector: string
}

class DeltaCopy {
  private readonly draft: Draft
  private readonly folderOf: (tableId: number) => Promise<string>
  private readonly options: DeltaSourceOptions
  private readonly files: SourceFile[] = []
  /** by the text of the path in the log */
  private readonly live = new Map<string, LiveFile>()
  private columns: readonly LakeColumn[] = []
  private layout: TableLayout | undefined
  private mapping: { id: number; text: string } | undefined
  private partitionId: number | undefined
  private nextRowId = 0
  private tableId = -1
  private folder = ''

  constructor(draft: Draft, folderOf: (tableId: number) => Promise<string>, options: DeltaSourceOptions) {
    this.draft = draft
    this.folderOf = folderOf
    this.options = options
  }

  async run(): Promise<SourceFile[]> {
    const { store, engine, onNote } = this.options
    const known = await this.known()
    const common = { ...(engine && { engine }), ...(onNote && { onNote }) }
    const history = (after: number | undefined) =>
      deltaHistory(store, { ...common, ...(after !== undefined && { after }) })
    let told = await history(known?.version)
    const isOther = known !== undefined && told.id !== known.deltaId
    if (isOther) told = await history(undefined)
    else if (known !== undefined && told.base !== undefined) await this.resume(known.tableId, told.base)
    for (const [i, version] of told.versions.entries()) {
      await this.version(version, isOther && i === 0 ? known.tableId : undefined)
    }
    const last = told.versions.at(-1)
    if (last !== undefined) await this.remember(last)
    return this.files
  }

  /** The table as it was published last. */
  private async known(): Promise<{ tableId: number; version: number; deltaId: string } | undefined> {
    const { draft, options } = this
    const [schema, table] = options.name.map(quoteLiteral)
    const [row] = await draft.query(
      `SELECT t.table_id, (SELECT any_value(value) FROM ${draft.view('metadata')} WHERE key = '${VERSION_KEY}' AND scope_id = t.table_id),
              (SELECT any_value(value) FROM ${draft.view('metadata')} WHERE key = '${ID_KEY}' AND scope_id = t.table_id)
       FROM ${draft.view('table')} t JOIN ${draft.view('schema')} s USING (schema_id)
       WHERE t.end_snapshot IS NULL AND s.end_snapshot IS NULL AND s.schema_name = ${schema} AND t.table_name = ${table}`,
    )
    if (row === undefined) return undefined
    if (typeof row[1] !== 'string' || typeof row[2] !== 'string') {
      const reason = `the lake has a table ${options.name.join('.')} that was not made from it`
      throw deltaError('DUCKLAKE_SOURCE_UNSUPPORTED', {
        source: options.store.location,
        reason,
        advice: 'name another table with --as',
      })
    }
    return { tableId: safeNumber(row[0]), version: Number(row[1]), deltaId: row[2] }
  }

  /** What the draft calls the files that are live, and what it says of the table. */
  private async resume(tableId: number, base: State): Promise<void> {
    const { draft } = this
    this.tableId = tableId
    this.folder = await this.folderOf(tableId)
    this.layout = layoutOf(base.protocol, base.metadata)
    this.columns = await draftColumns(draft, tableId)
    const rows = await draft.query(
      `SELECT path, data_file_id FROM ${draft.view('data_file')} WHERE table_id = ${tableId} AND end_snapshot IS NULL`,
    )
    const ids = new Map(rows.map(([path, id]) => [String(path), safeNumber(id)]))
    for (const add of base.files) {
      const id = ids.get(this.placeOf(add).path)
      if (id !== undefined) this.live.set(add.path, { id, vector: vectorText(add) })
    }
    const [row] = await draft.query(
      `SELECT (SELECT next_row_id FROM ${draft.view('table_stats')} WHERE table_id = ${tableId}),
              (SELECT max(mapping_id) FROM ${draft.view('column_mapping')} WHERE table_id = ${tableId}),
              (SELECT max(partition_id) FROM ${draft.view('partition_info')} WHERE table_id = ${tableId} AND end_snapshot IS NULL)`,
    )
    this.nextRowId = safeNumber(row![0])
    this.mapping = { id: safeNumber(row![1]), text: JSON.stringify(this.nodes()) }
    this.partitionId = row![2] === null ? undefined : safeNumber(row![2])
  }

  /** How files call the columns, and the partition keys among them. */
  private nodes(): { readonly nodes: readonly MappedNode[]; readonly keys: readonly MappedNode[] } {
    const { schema, partitionColumns } = this.layout!
    const nodes = deltaMapping(schema, this.columns, this.layout!, partitionColumns)
    const places = partitionColumns.map((name) => schema.fields.findIndex((field) => field.name === name))
    const binary = places.find((i) => schema.fields[i]!.type.kind === 'binary')
    if (binary !== undefined) {
      const reason = `it is partitioned by ${schema.fields[binary]!.name}, whose bytes no folder of a lake can say`
      const advice = 'publish a query of it'
      throw deltaError('DUCKLAKE_SOURCE_UNSUPPORTED', { source: this.options.store.location, reason, advice })
    }
    return { nodes, keys: places.map((i) => nodes[i]!) }
  }

  /** Where a file is taken from, and where it goes below the table's folder. */
  private placeOf(add: AddFile) {
    const { store } = this.options
    const from = openDataFile(store, add.path)
    const names = this.nodes().keys.map(({ name }) => name)
    return { from, path: lakePath(from.key, add, names, from.store === store) }
  }

  private async version(version: DeltaVersion, replaces: number | undefined): Promise<void> {
    const writer = await SnapshotWriter.begin(this.draft)
    if (replaces !== undefined) await writer.dropTable(replaces)
    this.layout = layoutOf(version.protocol, version.metadata)
    if (this.tableId < 0) await this.create(writer)
    else if (version.hasNewMetadata) await this.alter(writer)
    await this.changeFiles(writer, version)
    await writer.updateTableStats(this.tableId, this.nextRowId)
    const extraInfo = JSON.stringify({ delta: { table: this.options.store.location, version: version.version } })
    await writer.end({ timeMicros: version.timeMicros, message: version.operation, extraInfo })
  }

  private async create(writer: SnapshotWriter): Promise<void> {
    const schemaId = await writer.schema(this.options.name[0])
    const { schema } = this.layout!
    this.columns = new DeltaColumns(this.layout!, [], 0).columns(schema)
    this.tableId = await writer.createTable(schemaId, this.options.name, this.columns)
    this.folder = await this.folderOf(this.tableId)
    await this.describeFiles(writer)
  }

  private async alter(writer: SnapshotWriter): Promise<void> {
    const [row] = await this.draft.query(
      `SELECT max(column_id) FROM ${this.draft.view('column')} WHERE table_id = ${this.tableId}`,
    )
    const used = safeNumber(row?.[0] ?? 0n)
    const columns = new DeltaColumns(this.layout!, this.columns, used).columns(this.layout!.schema)
    if (JSON.stringify(columns) !== JSON.stringify(this.columns)) {
      this.refuseOddPromotions(columns)
      await writer.setColumns(this.tableId, this.columns, columns)
      this.columns = columns
    }
    await this.describeFiles(writer)
  }

  /** Files are cast to the type the column has now; only these casts are a lake's own. */
  private refuseOddPromotions(columns: readonly LakeColumn[]): void {
    for (const column of columns) {
      const before = this.columns.find(({ id }) => id === column.id)
      if (before === undefined || before.type === column.type) continue
      const isWider =
        (/^int\d+$/.test(before.type) && /^int\d+$/.test(column.type)) ||
        (before.type === 'float32' && column.type === 'float64')
      if (isWider) continue
      const reason = `its column ${column.name} became ${column.type} from ${before.type}, which a lake cannot say`
      throw deltaError('DUCKLAKE_SOURCE_UNSUPPORTED', {
        source: this.options.store.location,
        reason,
        advice: 'rewrite the table with REORG, or publish a query of it',
      })
    }
  }

  /** Name mapping and partition keys, where they are others than before. */
  private async describeFiles(writer: SnapshotWriter): Promise<void> {
    const { draft, tableId } = this
    const { nodes, keys } = this.nodes()
    const text = JSON.stringify({ nodes, keys })
    if (this.mapping?.text === text) return
    this.mapping = { id: writer.takeFileId(), text }
    await draft.run(
      `INSERT INTO ${draft.view('column_mapping')} VALUES (${this.mapping.id}, ${tableId}, 'map_by_name')`,
    )
    await draft.run(
      `INSERT INTO ${draft.view('name_mapping')} VALUES ${mappingRows(this.mapping.id, nodes).join(', ')}`,
    )
    this.partitionId = await writer.setPartition(
      tableId,
      keys.map(({ target }) => ({ columnId: target, transform: 'identity' })),
    )
  }

  private async changeFiles(writer: SnapshotWriter, { adds, removes, isCompaction }: DeltaVersion): Promise<void> {
    const id = this.tableId
    const added = new Map(adds.map((add) => [add.path, add]))
    const change = (word: string) => writer.change(isCompaction ? 'compacted_table' : word, { id })
    for (const path of removes) {
      const file = this.live.get(path)
      if (file === undefined || added.has(path)) continue
      await writer.endDataFile(file.id)
      this.live.delete(path)
      change('deleted_from_table')
    }
    for (const add of adds) {
      const vector = vectorText(add)
      const known = this.live.get(add.path)
      if (known === undefined) change('inserted_into_table')
      const fileId = known?.id ?? (await this.addFile(writer, add))
      if ((known?.vector ?? '') !== vector) {
        await this.setVector(writer, fileId, add)
        if (known !== undefined) change('deleted_from_table')
      }
      this.live.set(add.path, { id: fileId, vector })
    }
  }

  private async addFile(writer: SnapshotWriter, add: AddFile): Promise<number> {
    const { draft, tableId } = this
    const { from, path } = this.placeOf(add)
    const { nodes, keys } = this.nodes()
    const stats = fileStats(add.stats, leafPaths(this.columns, nodes))
    const recordCount = stats.numRecords ?? (await countRows(from))
    const rowIdStart = add.baseRowId === undefined ? this.nextRowId : Number(add.baseRowId)
    this.nextRowId = Math.max(this.nextRowId, rowIdStart + recordCount)
    const file = {
      path,
      recordCount,
      size: add.size,
      rowIdStart,
      mappingId: this.mapping!.id,
      partitionId: this.partitionId,
    }
    const id = await writer.addDataFile(tableId, file)
    this.files.push({ target: `${DATA}${this.folder}${path}`, bytes: add.size, from })
    const values = keys.map(({ name }, i) => {
      const value = add.partitionValues.get(name) ?? ''
      return `(${id}, ${tableId}, ${i}, ${value === '' ? 'NULL' : quoteLiteral(value)})`
    })
    if (values.length > 0)
      await draft.run(`INSERT INTO ${draft.view('file_partition_value')} VALUES ${values.join(', ')}`)
    const rows = stats.columns.map((one) => statsRow(id, tableId, one))
    if (rows.length > 0) await draft.run(`INSERT INTO ${draft.view('file_column_stats')} VALUES ${rows.join(', ')}`)
    return id
  }

  private async setVector(writer: SnapshotWriter, dataFileId: number, add: AddFile): Promise<void> {
    if (add.deletionVector === undefined) return await writer.endDeleteFile(dataFileId)
    const { name, bytes } = await vectorFile(this.options.store, add, add.deletionVector)
    const count = add.deletionVector.cardinality
    // as the extension writes such files
    const file = { dataFileId, path: name, format: 'puffin' as const, count, size: bytes.length, footerSize: 0 }
    await writer.setDeleteFile(this.tableId, file)
    this.files.push({ target: `${DATA}${this.folder}${name}`, bytes: bytes.length, content: bytes })
  }

  /** So that the next publish begins behind this version. */
  private async remember(last: DeltaVersion): Promise<void> {
    const { draft, tableId } = this
    await draft.run(
      `DELETE FROM ${draft.view('metadata')} WHERE scope = 'table' AND scope_id = ${tableId} AND key LIKE 'bayou_delta_%'`,
    )
    const entries = [
      [VERSION_KEY, String(last.version)],
      [ID_KEY, last.metadata.id],
    ] as const
    const rows = entries.map(([key, value]) => `(${quoteLiteral(key)}, ${quoteLiteral(value)}, 'table', ${tableId})`)
    await draft.run(`INSERT INTO ${draft.view('metadata')} VALUES ${rows.join(', ')}`)
  }
}

function vectorText(add: AddFile): string {
  return add.deletionVector === undefined ? '' : JSON.stringify(add.deletionVector)
}

function statsRow(fileId: number, tableId: number, { columnId, valueCount, nullCount, min, max }: ColumnStats): string {
  const text = (value: string | undefined) => (value === undefined ? 'NULL' : quoteLiteral(value))
  return `(${[fileId, tableId, columnId, 'NULL', valueCount, nullCount, text(min), text(max), 'NULL', 'NULL', 'NULL', 'NULL'].join(', ')})`
}

/** Leaf columns outside of lists and maps, by the physical names of their paths. */
function leafPaths(
  columns: readonly LakeColumn[],
  nodes: readonly MappedNode[],
  above: readonly string[] = [],
): { column: LakeColumn; path: readonly string[] }[] {
  return columns.flatMap((column) => {
    const node = nodes.find(({ target }) => target === column.id)
    if (node === undefined || column.type === 'list' || column.type === 'map') return []
    const path = [...above, node.name]
    return column.type === 'struct' ? leafPaths(column.children, node.children, path) : [{ column, path }]
  })
}

/** Numbers local to the mapping, a node's own before those of its parts. */
function mappingRows(mappingId: number, nodes: readonly MappedNode[]): string[] {
  const rows: string[] = []
  const add = (node: MappedNode, parent: number | undefined): void => {
    const own = rows.length
    rows.push(
      `(${[mappingId, own, quoteLiteral(node.name), node.target, parent ?? 'NULL', node.isPartition].join(', ')})`,
    )
    for (const child of node.children) add(child, own)
  }
  for (const node of nodes) add(node, undefined)
  return rows
}

/** Files without statistics are counted by their footers. */
async function countRows(place: { readonly store: ObjectStore; readonly key: string }): Promise<number> {
  const path = place.store.localPath?.(place.key)
  if (path === undefined) {
    const reason = `the file ${place.key} has no count of its rows in the log`
    throw deltaError('DUCKLAKE_SOURCE_UNSUPPORTED', {
      source: place.store.location,
      reason,
      advice: 'compute its statistics, or publish a local copy',
    })
  }
  const database = new DuckDatabase()
  try {
    return await database.withSession(async (session: DuckSession) => {
      const [row] = await session.query(`SELECT sum(num_rows)::BIGINT FROM parquet_file_metadata(${pathList([path])})`)
      return safeNumber(row?.[0])
    })
  } finally {
    await database.close()
  }
}
