/**
 * The folder at a version: every data file that the log names or the store holds, with what it is to that version.
 *
 * Nothing is kept of its own: states follow from the commits and a listing.
 */
import { type AddFile, decodePath, decodeUtf8, fileKey, fileKeyText, physicalName, type Snapshot } from '../library.ts'
import type { FolderFile, FolderView, RowFate } from '../messages.ts'
import { fileChanges, shortName, type TableContext } from './context.ts'
import { differingRows, type RowDifference } from './difference.ts'
import { boundsOf, liveRows } from './file-facts.ts'
import { listLog, markUsed } from './log-files.ts'

const MAX_FILES = 3000
const MAX_STRAY_BYTES = 1_000_000
const DEFAULT_RETENTION_MS = 7 * 24 * 3600 * 1000

/** What the log says of one object over all of its versions. */
interface FileLife {
  readonly path: string
  add: AddFile
  /** version → what it did */
  readonly events: { readonly version: number; readonly add: AddFile | undefined; readonly atMs: number | undefined }[]
}

export interface FolderOptions {
  /** the moment that retention is counted from */
  readonly nowMs: number
  /** paths that a writer is filling now */
  readonly filling?: ReadonlySet<string>
}

export async function folderAt(context: TableContext, version: number, options: FolderOptions): Promise<FolderView> {
  const lives = await fileLives(context)
  const objects = await dataObjects(context)
  const touched = await touchedRows(context, version)
  const snapshot = await context.snapshot(context.latest)
  const facts = { version, options, objects, snapshot, vacuums: await vacuumVersions(context), touched }
  const files = [...lives.values()].map((life) => folderFile(life, facts))
  const known = new Set([...lives.values()].map(({ path }) => decodePath(path)))
  const strays = [...objects].filter(([key]) => !known.has(key))
  const loose = strays.filter(([key]) => /\.parquet$|\.csv$/.test(key) && !key.startsWith('_'))
  const log = (await listLog(context.store)) ?? []
  return {
    version,
    files: [...files, ...(await Promise.all(loose.map(([key, size]) => strayFile(context, key, size))))].slice(
      0,
      MAX_FILES,
    ),
    others: strays
      .filter(([key]) => !loose.some(([name]) => name === key))
      .map(([path, size]) => ({ path, size, what: whatIs(path) })),
    log: markUsed(log, await context.snapshot(version)),
    truncated: files.length + loose.length > MAX_FILES,
  }
}

async function fileLives(context: TableContext): Promise<Map<string, FileLife>> {
  const lives = new Map<string, FileLife>()
  const take = (version: number, path: string, add: AddFile | undefined, atMs: number | undefined) => {
    const known = lives.get(path)
    if (known !== undefined) {
      known.events.push({ version, add, atMs })
      if (add !== undefined) known.add = add
    } else if (add !== undefined) lives.set(path, { path, add, events: [{ version, add, atMs }] })
  }
  if (context.earliest > 0) {
    const oldest = await context.snapshot(context.earliest)
    for await (const page of oldest.files.select())
      for (const add of page) take(context.earliest, add.path, add, undefined)
  }
  for (let version = context.earliest; version <= context.latest; version++) {
    if (lives.size > MAX_FILES) break
    const commit = await context.commit(version)
    const { adds, removes } = fileChanges(commit)
    const added = new Set(adds.map(({ path }) => path))
    for (const { path, deletionTimestamp } of removes)
      if (!added.has(path)) take(version, path, undefined, deletionTimestamp)
    for (const add of adds) take(version, add.path, add, undefined)
  }
  return lives
}

async function dataObjects({ store }: TableContext): Promise<Map<string, number>> {
  const objects = new Map<string, number>()
  if (!store.capabilities.list) return objects
  for await (const page of store.list({ prefix: '' })) {
    for (const { key, size } of page) if (!key.startsWith('_delta_log/')) objects.set(key, size)
    if (objects.size > MAX_FILES * 4) break
  }
  return objects
}

async function vacuumVersions(context: TableContext): Promise<readonly number[]> {
  const versions: number[] = []
  for (let version = context.earliest; version <= context.latest; version++) {
    const { actions } = await context.commit(version)
    const info = actions.flatMap((action) => ('commitInfo' in action ? [action.commitInfo] : []))[0]
    if (info?.operation === 'VACUUM END') versions.push(version)
  }
  return versions
}

async function touchedRows(context: TableContext, version: number): Promise<RowDifference | undefined> {
  if (version <= context.earliest) return undefined
  try {
    return await differingRows(context, version - 1, version)
  } catch {
    // rows of files that vacuum deleted cannot be drawn
    return undefined
  }
}

interface Facts {
  readonly version: number
  readonly options: FolderOptions
  readonly objects: ReadonlyMap<string, number>
  readonly snapshot: Snapshot
  readonly vacuums: readonly number[]
  readonly touched: RowDifference | undefined
}

function folderFile(life: FileLife, facts: Facts): FolderFile {
  const { add } = stateAt(life, facts.version)
  const shown = add ?? life.add
  const touched = touchOf(life, facts)
  return {
    path: life.path,
    name: shortName(life.path),
    directory: life.path.includes('/') ? life.path.slice(0, life.path.lastIndexOf('/')) : '',
    size: shown.size,
    rows: liveRows(shown),
    deletedRows: shown.deletionVector?.cardinality ?? 0,
    ...stateOf(life, facts),
    partition: partitionOf(shown, facts.snapshot),
    bounds: boundsOf(shown.stats),
    touched,
    cells: touched === null ? null : cellsOf(life, facts),
  }
}

/** The last event at or before a version. */
function stateAt({ events }: FileLife, version: number) {
  let last: FileLife['events'][number] | undefined
  for (const event of events) if (event.version <= version) last = event
  return { add: last?.add, last }
}

function stateOf(
  life: FileLife,
  { version, options, objects, snapshot, vacuums }: Facts,
): Pick<FolderFile, 'state' | 'label'> {
  const { add, last } = stateAt(life, version)
  const isThere = objects.size === 0 || objects.has(decodePath(life.path))
  const end = life.events.at(-1)!
  if (!isThere) {
    const by = vacuums.find((vacuum) => vacuum > end.version)
    return { state: 'vacuumed', label: by === undefined ? 'deleted by vacuum' : `vacuumed in v${by}` }
  }
  if (add !== undefined) return { state: 'live', label: 'live' }
  const next = life.events.find((event) => event.version > version && event.add !== undefined)
  if (last === undefined) return { state: 'later', label: `added in v${next?.version ?? life.events[0]!.version}` }
  const retentionMs = retentionOf(snapshot)
  const isOld = end.add === undefined && end.atMs !== undefined && end.atMs + retentionMs <= options.nowMs
  return isOld
    ? { state: 'vacuumable', label: `removed in v${last.version}, vacuum may delete` }
    : { state: 'older', label: `removed in v${last.version}` }
}

/** `delta.deletedFileRetentionDuration`, as an interval of days or hours; a week without it. */
function retentionOf({ configuration }: Snapshot): number {
  const text = configuration.get('delta.deletedFileRetentionDuration') ?? ''
  const match = /(\d+)\s+(hour|day|week|minute)/i.exec(text)
  if (match === null) return DEFAULT_RETENTION_MS
  const unit = { minute: 60_000, hour: 3_600_000, day: 86_400_000, week: 604_800_000 }[match[2]!.toLowerCase()]!
  return Number(match[1]) * unit
}

function touchOf(life: FileLife, { version }: Facts): FolderFile['touched'] {
  const event = life.events.find((candidate) => candidate.version === version)
  if (event === undefined) return null
  if (event.add === undefined) return 'removed'
  const before = stateAt(life, version - 1).add
  return before === undefined ? 'added' : 'marked'
}

/** Rows of a file that the commit removed and of one that it added, each with its fate. */
function cellsOf({ path }: FileLife, { touched }: Facts): RowFate[] | null {
  if (touched === undefined) return null
  const { files, before, after, paired } = touched
  const old = new Map<number, RowFate>(paired.gone.map((i) => [i, 'gone']))
  const now = new Map<number, RowFate>(paired.fresh.map((i) => [i, 'new']))
  for (const pair of paired.changed) {
    old.set(pair.before, 'changed')
    now.set(pair.after, 'changed')
  }
  const ofSide = (list: readonly AddFile[], rows: typeof before, fates: ReadonlyMap<number, RowFate>) => {
    const place = list.findIndex((file) => file.path === path)
    return rows.flatMap((row, i) => (row.file === place ? [fates.get(i) ?? ('same' as const)] : []))
  }
  const wasMarked = files.gone.some((file) => file.path === path)
  return wasMarked ? ofSide(files.gone, before, old) : ofSide(files.fresh, after, now)
}

export function partitionOf(
  { partitionValues }: AddFile,
  { schema, partitionColumns, layout }: Snapshot,
): [string, string | null][] {
  return partitionColumns.map((name) => {
    const column = schema.fields.find((field) => field.name === name)
    const key = column === undefined ? name : physicalName(column, layout)
    return [name, partitionValues.get(key) ?? partitionValues.get(name) ?? null]
  })
}

/** A file that no commit names; whoever opens every file of a folder reads it all the same. */
async function strayFile({ store }: TableContext, key: string, size: number): Promise<FolderFile> {
  const slash = key.lastIndexOf('/')
  const rows = key.endsWith('.csv') && size < MAX_STRAY_BYTES ? linesOf(await store.get(key)) : null
  return {
    path: key,
    name: key.slice(slash + 1),
    directory: slash < 0 ? '' : key.slice(0, slash),
    size,
    rows,
    deletedRows: 0,
    state: 'uncommitted',
    label: 'in no commit',
    partition: [],
    bounds: [],
    touched: null,
    cells: null,
  }
}

function linesOf(bytes: Uint8Array): number {
  return bytes.length === 0 ? 0 : decodeUtf8(bytes).split('\n').length
}

function whatIs(path: string): string {
  if (/deletion_vector_.*\.bin$/.test(path)) return 'deletion vectors: rows that readers leave out'
  if (path.startsWith('_change_data/')) return 'change feed'
  return 'named by no commit'
}

/** Identity of a file with its deletion vector, for lists. */
export function fileId(file: AddFile): string {
  return fileKeyText(fileKey(file))
}
