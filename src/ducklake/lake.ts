/**
 * A DuckLake catalog opened for reading, without the extension.
 *
 * DuckDB moves the rows; what is in a table at a snapshot is decided here, from the catalog's tables.
 */
import { dirname } from 'node:path'
import { DuckDatabase, type DuckDbOptions } from '../engine/duckdb/index.ts'
import { deltaError } from '../errors/index.ts'
import { Catalog } from './catalog/catalog.ts'
import { fetchCatalog } from './catalog/fetch-catalog.ts'
import { absoluteLocation, FileAccess, type OpenStore } from './catalog/file-access.ts'
import { type ChangeOptions, LakeChanges } from './scan/change-feed.ts'
import type { DataFile } from './scan/data-files.ts'
import { LakeScan, type LakeScanOptions } from './scan/table-scan.ts'
import { LakeSnapshot, type LakeTable } from './snapshot/lake-snapshot.ts'
import { loadPartitionSpec } from './snapshot/partitions.ts'
import { findSnapshot, type LakePoint, listSnapshots, type SnapshotInfo } from './snapshot/snapshots.ts'

export interface OpenLakeOptions {
  /** where the catalog file lies: a path or an address */
  readonly catalog: string
  /** the folder of the data files instead of the one the catalog names */
  readonly dataPath?: string | undefined
  /** the store of a location */
  readonly openStore: OpenStore
  readonly engine?: DuckDbOptions
  /** true: no file outside of the data path is opened */
  readonly confined?: boolean
  /** what the catalog is called in messages; its location when absent */
  readonly shown?: string
}

export class Lake {
  readonly catalog: Catalog
  readonly access: FileAccess
  readonly database: DuckDatabase
  readonly metadata: ReadonlyMap<string, string>

  private constructor(fields: Pick<Lake, 'catalog' | 'access' | 'database' | 'metadata'>) {
    this.catalog = fields.catalog
    this.access = fields.access
    this.database = fields.database
    this.metadata = fields.metadata
  }

  /**
   * @throws DeltaError `DUCKLAKE_CATALOG_NOT_FOUND`, `DUCKLAKE_CATALOG_CORRUPT`, `DUCKLAKE_FORMAT_UNSUPPORTED`,
   * `DUCKLAKE_STORAGE_UNSUPPORTED`, what the store throws
   */
  static async open(options: OpenLakeOptions): Promise<Lake> {
    const database = new DuckDatabase(options.engine)
    try {
      const file = await fetchCatalog(options, database)
      const catalog = await Catalog.open(database, file)
      const metadata = await loadMetadata(catalog)
      return new Lake({ catalog, database, metadata, access: openAccess(options, { database, metadata }) })
    } catch (error) {
      await database.close()
      throw error
    }
  }

  /** The DuckLake format of the catalog: `1.0`. */
  get format(): string {
    return this.catalog.format
  }

  /** Newest last. */
  snapshots(limit?: number): Promise<SnapshotInfo[]> {
    return listSnapshots(this.catalog, limit)
  }

  /** @throws DeltaError `DUCKLAKE_SNAPSHOT_NOT_FOUND`, `DUCKLAKE_NO_SNAPSHOT_AT_TIME`, `LAKE_USAGE` */
  async snapshot(point: LakePoint = {}): Promise<LakeSnapshot> {
    return await LakeSnapshot.load(this.catalog, await findSnapshot(this.catalog, point))
  }

  /** Rows of a table at a snapshot. Nothing is read yet. */
  scan(snapshot: LakeSnapshot, table: LakeTable, options: LakeScanOptions = {}): LakeScan {
    this.refuseEncrypted()
    return new LakeScan({ catalog: this.catalog, access: this.access, table, snapshot: snapshot.id }, options)
  }

  /**
   * The rows that changed from one snapshot to another, both included, in the columns of the last.
   *
   * @throws DeltaError `DUCKLAKE_SNAPSHOT_NOT_FOUND`, `DUCKLAKE_TABLE_NOT_FOUND`
   */
  async changes(table: string, options: ChangeOptions): Promise<LakeChanges> {
    this.refuseEncrypted()
    const last = await this.snapshot({ version: options.to })
    const place = { catalog: this.catalog, access: this.access, table: await last.table(table), snapshot: last.id }
    return new LakeChanges(place, options)
  }

  /** The data files a read opens; none is opened for this. */
  async filesOf(snapshot: LakeSnapshot, table: LakeTable, where?: string): Promise<DataFile[]> {
    const place = { catalog: this.catalog, access: this.access, table, snapshot: snapshot.id }
    return await new LakeScan(place, where === undefined ? {} : { where }).files()
  }

  /** The keys the files of a table are split by: `country`, `year(ordered)`. */
  async partitionKeys(snapshot: LakeSnapshot, table: LakeTable): Promise<string[]> {
    const spec = await loadPartitionSpec(this.catalog, table.id, snapshot.id)
    return (spec?.keys ?? []).map(({ columnId, transform }) => {
      const name = table.columns.find(({ id }) => id === columnId)?.name ?? `column ${columnId}`
      return transform === 'identity' ? name : `${transform}(${name})`
    })
  }

  async close(): Promise<void> {
    await this.catalog.close()
    await this.database.close()
  }

  private refuseEncrypted(): void {
    if (this.metadata.get('encrypted') !== 'true') return
    throw deltaError('DUCKLAKE_ENCRYPTED', { catalog: this.catalog.file.shown })
  }
}

async function loadMetadata(catalog: Catalog): Promise<Map<string, string>> {
  const rows = await catalog.query(`SELECT key, value FROM ${catalog.view('metadata')} WHERE scope IS NULL`)
  return new Map(rows.map(([key, value]) => [String(key), String(value ?? '')]))
}

interface Opened {
  readonly database: DuckDatabase
  readonly metadata: ReadonlyMap<string, string>
}

/** A data path that is not absolute is taken from the catalog's folder. */
function openAccess(options: OpenLakeOptions, { database, metadata }: Opened): FileAccess {
  const stored = metadata.get('data_path') ?? ''
  const folder = folderOf(options.catalog)
  const given = options.dataPath
  const dataPath = given ?? absoluteLocation(stored, folder)
  // paths that its writer took from its working folder are taken from the folder in which the data path lies likewise
  const isOver = given !== undefined && /^[^/:]+\/?$/.test(stored)
  const baseFolder = isOver ? folderOf(given.replace(/\/+$/, '')) : folder
  const { openStore, confined } = options
  return new FileAccess({ openStore, dataPath, baseFolder, database, ...(confined !== undefined && { confined }) })
}

function folderOf(location: string): string {
  if (!/^[A-Za-z][A-Za-z0-9+.-]+:/.test(location)) return dirname(location)
  return location.replace(/\/[^/]*$/, '')
}
