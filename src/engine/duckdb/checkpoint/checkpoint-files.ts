/**
 * Files of a checkpoint as something DuckDB can open, grouped by shape.
 *
 * A store that is a local folder gives its paths; of any other store the file is fetched whole into a temporary file.
 */
import { linkSync, rmSync, writeFileSync } from 'node:fs'
import { open as openFile } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import type { DuckDBStructType } from '@duckdb/node-api'
import { causeText, deltaError, isDeltaError } from '../../../errors/index.ts'
import { checkPages, memoryFile } from '../../../parquet/index.ts'
import type { ObjectStore } from '../../../storage/index.ts'
import type { DuckDatabase, DuckSession } from '../instance.ts'
import { pathList } from '../sql-text.ts'
import { ActionColumn, type CheckpointKind, isCheckpointKind } from './action-columns.ts'

/** Local copies of checkpoint files, deleted by `release`. */
export class LocalFiles {
  private readonly database: DuckDatabase
  private readonly owned: string[] = []

  constructor(database: DuckDatabase) {
    this.database = database
  }

  /**
   * A path of the file, whose pages have the checksums their writer stored: DuckDB does not look at them.
   *
   * @throws DeltaError `FAILED_READ_FILE.NO_HINT` where a page has another, or the file is no Parquet file
   * @param pin true: the path stays readable until `release`, even when the object is deleted meanwhile
   */
  async open(store: ObjectStore, key: string, pin = false): Promise<string> {
    const local = store.localPath?.(key)
    if (local !== undefined) {
      await checkLocalPages(key, local)
      return pin ? this.link(local) : local
    }
    const bytes = await store.get(key)
    await checkPages(memoryFile(key, bytes), crc32)
    const path = this.database.tempFile('.parquet')
    this.owned.push(path)
    writeFileSync(path, bytes)
    return path
  }

  release(): void {
    for (const path of this.owned.splice(0)) rmSync(path, { force: true })
  }

  private link(local: string): string {
    const path = this.database.tempFile('.parquet')
    try {
      linkSync(local, path)
    } catch {
      // another file system, or one without links: the original has to do
      return local
    }
    this.owned.push(path)
    return path
  }
}

async function checkLocalPages(key: string, path: string): Promise<void> {
  const handle = await openFile(path).catch((cause: unknown) => {
    throw unreadable(key, cause)
  })
  try {
    const { size } = await handle.stat()
    const read = async (start: number, end: number) => {
      const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(end - start), 0, end - start, start)
      return buffer.subarray(0, bytesRead)
    }
    await checkPages({ name: key, size, read }, crc32)
  } finally {
    await handle.close()
  }
}

/** Parquet files of one shape. */
export interface CheckpointGroup {
  /** `read_parquet(…)` */
  readonly source: string
  /** the files as a list in SQL */
  readonly paths: string
  readonly columns: ReadonlyMap<CheckpointKind, ActionColumn>
}

/** A file and where it lies locally. */
export interface OpenedFile {
  readonly key: string
  readonly path: string
}

/**
 * Looks at the footers and puts files with the same columns together.
 *
 * @throws DeltaError `FAILED_READ_FILE.NO_HINT` naming a file that is not Parquet
 */
export async function groupByShape(session: DuckSession, files: readonly OpenedFile[]): Promise<CheckpointGroup[]> {
  const groups = new Map<string, { paths: string[]; columns: Map<CheckpointKind, ActionColumn> }>()
  for (const file of files) {
    const columns = await readingFile(file.key, () => describe(session, file.path))
    const shape = [...columns].map(([kind, type]) => `${kind} ${type}`).join(',')
    const known = groups.get(shape)
    if (known !== undefined) known.paths.push(file.path)
    else groups.set(shape, { paths: [file.path], columns: actionColumnsOf(columns) })
  }
  return [...groups.values()].map(({ paths, columns }) => ({
    source: readParquet(paths),
    paths: pathList(paths),
    columns,
  }))
}

function readParquet(paths: readonly string[]): string {
  return `read_parquet(${pathList(paths)}, hive_partitioning=false)`
}

async function describe(session: DuckSession, path: string): Promise<Map<string, DuckDBStructType>> {
  const result = await session.connection.run(`SELECT * FROM ${readParquet([path])} LIMIT 0`)
  const names = result.columnNames()
  const types = result.columnTypes()
  return new Map(names.map((name, i) => [name, types[i] as DuckDBStructType]))
}

function actionColumnsOf(columns: ReadonlyMap<string, DuckDBStructType>): Map<CheckpointKind, ActionColumn> {
  const result = new Map<CheckpointKind, ActionColumn>()
  for (const [name, type] of columns) {
    if (isCheckpointKind(name) && type.toString().startsWith('STRUCT')) result.set(name, new ActionColumn(name, type))
  }
  return result
}

/** Runs work over a checkpoint file; whatever is wrong with the file's content becomes the one error that says so. */
export async function readingFile<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    throw unreadable(file, cause)
  }
}

/** The error of a checkpoint file that cannot be read; errors that say nothing of the file are passed on. */
export function unreadable(file: string, cause: unknown): unknown {
  const ours = isDeltaError(cause) && !isDeltaError(cause, 'LAKE_JSON_MALFORMED', 'LAKE_ACTION_MALFORMED')
  if (ours || /^Out of Memory Error|database has been invalidated/.test(causeText(cause))) return cause
  const readable = 'an older checkpoint or the commits may still give this version'
  return deltaError('FAILED_READ_FILE.NO_HINT', { file, cause: causeText(cause), readable }, { cause })
}
