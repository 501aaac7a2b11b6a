/**
 * Data files as paths DuckDB can open, in groups that one query reads.
 *
 * A store that is a local folder gives the paths. From any other the objects of a group are fetched into temporary files,
 * which are deleted before the next group is fetched.
 */
import { rm } from 'node:fs/promises'
import { assert } from '../../../errors/index.ts'
import { loadDeletionVector, openDataFile, type ScanFile } from '../../../kernel/index.ts'
import type { ObjectStore } from '../../../storage/index.ts'
import { mapParallel, throwIfAborted } from '../../../support/index.ts'
import type { DuckDatabase } from '../instance.ts'
import { pathList } from '../sql-text.ts'
import { deletionWords, MAX_WORDS } from './deletion-words.ts'
import { readFailure } from './read-error.ts'
import type { ReadNeed } from './remote-file.ts'

export interface LocalFile {
  readonly add: ScanFile
  readonly path: string
  /** its place in the plan */
  readonly index: number
  /** where it really lies: location of its store, `/`, key */
  readonly address: string
  /** rows that are not given, 64 to a word */
  readonly deleted?: BigUint64Array
}

export interface FileGroup {
  readonly files: readonly LocalFile[]
  /** deletes what was fetched for the group */
  release(): Promise<void>
}

const MAX_FILES = 2_000
const MAX_FETCHED_BYTES = 256 * 1024 * 1024
const PARALLEL = 8

export interface LocalFileOptions {
  readonly signal?: AbortSignal | undefined
  /** false: one group for all files, whatever they take */
  readonly grouped?: boolean
  /** the place of the first file in its plan; 0 when absent */
  readonly firstIndex?: number
  /** what the query can touch; the rest of a file behind a network may be missing. Absent: nothing is missing */
  readonly need?: ReadNeed | undefined
}

/** The files in order, in groups; a group is released when the next one is asked for, or the iteration ends. */
export async function* localFiles(
  database: DuckDatabase,
  store: ObjectStore,
  files: readonly ScanFile[],
  { signal, grouped = true, firstIndex = 0, need }: LocalFileOptions = {},
): AsyncGenerator<FileGroup> {
  for (let start = 0; start < files.length; ) {
    const end = grouped ? groupEnd(store, files, start) : files.length
    const group = await openGroup(database, store, files.slice(start, end), {
      signal,
      firstIndex: firstIndex + start,
      need,
    })
    try {
      yield group
    } finally {
      await group.release()
    }
    start = end
  }
}

/** The index behind the last file of the group that begins at `start`; a group has at least one file. */
function groupEnd(store: ObjectStore, files: readonly ScanFile[], start: number): number {
  let bytes = 0
  let words = 0
  let end = start
  while (end < files.length && end - start < MAX_FILES) {
    const file = files[end]!
    bytes += store.localPath === undefined ? file.size : 0
    words += mostWords(file)
    if (end > start && (bytes > MAX_FETCHED_BYTES || words > MAX_WORDS)) break
    end++
  }
  return end
}

/** An upper guess of a file's words; statistics name its rows, else its size stands for them. */
function mostWords(file: ScanFile): number {
  if (!isTouched(file)) return 0
  const numRecords = /"numRecords"\s*:\s*(\d+)/.exec(file.stats ?? '')?.[1]
  return Math.ceil(Number(numRecords ?? file.size) / 64)
}

function isTouched({ deletionVector, hiddenBy }: ScanFile): boolean {
  return deletionVector !== undefined || hiddenBy !== undefined
}

async function openGroup(
  database: DuckDatabase,
  store: ObjectStore,
  files: readonly ScanFile[],
  { signal, firstIndex = 0, need }: LocalFileOptions,
): Promise<FileGroup> {
  const fetched: string[] = []
  const release = () => mapParallel(fetched, PARALLEL, (path) => rm(path, { force: true })).then(() => undefined)
  try {
    const opened = await mapParallel(files, PARALLEL, async (add, i): Promise<LocalFile> => {
      throwIfAborted(signal, 'the read')
      const place = openDataFile(store, add.path)
      const local = place.store.localPath?.(place.key)
      const path = local ?? (await fetchFile(database, place, add, { fetched, signal, need }))
      return { add, path, index: firstIndex + i, address: `${place.store.location}/${place.key}` }
    })
    return { files: await withDeletions(database, store, opened, signal), release }
  } catch (error) {
    await release()
    throw error
  }
}

async function withDeletions(
  database: DuckDatabase,
  store: ObjectStore,
  files: readonly LocalFile[],
  signal: AbortSignal | undefined,
): Promise<readonly LocalFile[]> {
  const touched = files.filter(({ add }) => isTouched(add))
  if (touched.length === 0) return files
  const rowCounts = await readRowCounts(database, touched, signal)
  return mapParallel(files, PARALLEL, async (file): Promise<LocalFile> => {
    if (!isTouched(file.add)) return file
    const { deletionVector, hiddenBy } = file.add
    const numRecords = rowCounts.get(file.path)
    assert(numRecords !== undefined, `the footer of ${file.path} was read`)
    const words = async (vector: NonNullable<typeof hiddenBy>) =>
      deletionWords(await loadDeletionVector(store, vector, { numRecords, ...(signal && { signal }) }))
    const deleted = deletionVector === undefined ? new BigUint64Array(0) : await words(deletionVector)
    return { ...file, deleted: hiddenBy === undefined ? deleted : allBut(numRecords, await words(hiddenBy), deleted) }
  })
}

/** Words of every row of a file but those that are wanted and not deleted. */
function allBut(numRecords: number, wanted: BigUint64Array, deleted: BigUint64Array): BigUint64Array {
  return BigUint64Array.from({ length: Math.ceil(numRecords / 64) }, (_, i) => ~(wanted[i] ?? 0n) | (deleted[i] ?? 0n))
}

/** The rows each file really has, from its footer: a vector that reaches beyond them belongs to another file. */
async function readRowCounts(
  database: DuckDatabase,
  files: readonly LocalFile[],
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<string, number>> {
  const paths = pathList(files.map((file) => file.path))
  try {
    const rows = await database.withSession((session) =>
      session.query(`SELECT file_name, num_rows::BIGINT FROM parquet_file_metadata(${paths})`, {
        signal,
        what: 'the read',
      }),
    )
    return new Map(rows.map(([name, count]) => [name as string, Number(count)]))
  } catch (error) {
    throw readFailure(error, files)
  }
}

/** Fetched over the network: the code for it is loaded when it is first needed. */
async function fetchFile(
  database: DuckDatabase,
  { store, key }: { readonly store: ObjectStore; readonly key: string },
  add: ScanFile,
  { fetched, signal, need }: { fetched: string[] } & LocalFileOptions,
): Promise<string> {
  const { fetchDataFile } = await import('./remote-file.ts')
  const path = database.tempFile('.parquet')
  fetched.push(path)
  await fetchDataFile({ store, key, add, signal, cache: database.cache, tuning: database.fetching }, path, need)
  return path
}
