/**
 * What lies in the folder of a table beside its log, told apart as VACUUM tells it apart.
 *
 * Names are kept as hashes (`KeptFiles`), so that a large table costs a few bytes a file; only the listing is held.
 */
import {
  type AddFile,
  deletionVectorPath,
  hiddenKeys,
  KeptFiles,
  keptFiles,
  locateDataFile,
  mapParallel,
  property,
  type Snapshot,
} from '../library.ts'
import type {
  StorageQuery,
  StorageView,
  StoredFile,
  StoredFolder,
  StoredState,
  StoredSum,
} from '../messages/storage.ts'
import { STORED_STATES } from '../messages/storage.ts'
import type { TableContext } from './context.ts'

const MAX_OBJECTS = 200_000
const MAX_COMMITS = 2000
const MAX_FOLDERS = 2000
const MAX_MISSING = 50
const PARALLEL_COMMITS = 4

/** The whole answer, kept while it is paged through. */
export interface Stored extends Omit<StorageView, 'files' | 'total'> {
  readonly objects: readonly StoredFile[]
}

/** @param nowMs the moment that retention is counted from */
export async function holdStorage(context: TableContext, version: number, nowMs: number): Promise<Stored> {
  const snapshot = await context.snapshot(version)
  const newest = await context.snapshot(context.latest)
  const retentionMs = property(newest.configuration, 'deletedFileRetentionDuration')
  const notes: string[] = []
  if (!context.store.capabilities.list) {
    const note = 'The place of this table gives no list of its files, so only the log can tell of them: see Files.'
    return { version, retentionMs, folders: [], objects: [], missing: [], numMissing: 0, notes: [note] }
  }
  const cutoffMs = nowMs - retentionMs
  const [live, kept, named] = await Promise.all([
    liveNames(context, snapshot),
    keptFiles(newest, cutoffMs, { store: context.store, options: {} }),
    allNames(context, notes),
  ])
  const isHidden = hiddenKeys(newest)
  const stateOf = (key: string, modifiedMs: number): StoredState => {
    if (live.has(key)) return 'live'
    if (isHidden(key)) return 'hidden'
    if (kept.has(key)) return 'kept'
    if (!named.has(key)) return 'orphaned'
    return modifiedMs < cutoffMs ? 'removable' : 'kept'
  }
  const objects: StoredFile[] = []
  for await (const { key, size, modifiedMs } of dataObjects(context, notes)) {
    objects.push({ path: key, size, modifiedMs, state: stateOf(key, modifiedMs) })
  }
  const isWhole = objects.length < MAX_OBJECTS
  const gone = isWhole
    ? await missingFiles(snapshot, new Set(objects.map(({ path }) => path)))
    : { missing: [], numMissing: 0 }
  return { version, retentionMs, folders: foldersOf(objects, notes), objects, ...gone, notes }
}

export function storagePage({ objects, ...stored }: Stored, query: StorageQuery): StorageView {
  const below = query.folder === '' ? '' : `${query.folder}/`
  const chosen = objects.filter(
    ({ path, state }) => path.startsWith(below) && (query.state === null || state === query.state),
  )
  return { ...stored, files: chosen.slice(query.offset, query.offset + query.limit), total: chosen.length }
}

async function liveNames({ store }: TableContext, snapshot: Snapshot): Promise<KeptFiles> {
  const names = new KeptFiles(store.location)
  for await (const page of snapshot.files.select()) {
    for (const { path, deletionVector } of page) names.add(path, deletionVector)
  }
  return names
}

/** All that any version which is left names. */
async function allNames(context: TableContext, notes: string[]): Promise<KeptFiles> {
  const { earliest, latest } = context
  const first = Math.max(earliest, latest - MAX_COMMITS + 1)
  const names = await liveNames(context, await context.snapshot(first))
  for await (const page of (await context.snapshot(latest)).files.tombstones(Number.NEGATIVE_INFINITY)) {
    for (const { path, deletionVector } of page) names.add(path, deletionVector)
  }
  const versions = Array.from({ length: latest - first + 1 }, (_, i) => first + i)
  await mapParallel(versions, PARALLEL_COMMITS, async (version) => {
    names.addCommit((await context.commit(version)).actions)
  })
  if (first > earliest) {
    notes.push(
      `Only the newest ${MAX_COMMITS.toLocaleString('en')} versions were looked through: what older ones alone name counts as orphaned.`,
    )
  }
  return names
}

async function* dataObjects({ store }: TableContext, notes: string[]) {
  let count = 0
  for await (const page of store.list({ prefix: '' })) {
    for (const object of page) {
      if (object.key.startsWith('_delta_log/')) continue
      if (++count > MAX_OBJECTS) {
        notes.push(`The folder holds more than ${MAX_OBJECTS.toLocaleString('en')} files: the rest is not shown.`)
        return
      }
      yield object
    }
  }
}

async function missingFiles(snapshot: Snapshot, there: ReadonlySet<string>) {
  const missing: string[] = []
  let numMissing = 0
  for await (const page of snapshot.files.select()) {
    for (const path of page.flatMap(pathsOf)) {
      const place = locateDataFile(snapshot.store.location, path)
      if (place.kind === 'absolute' || there.has(place.key)) continue
      numMissing++
      if (missing.length < MAX_MISSING) missing.push(place.key)
    }
  }
  return { missing, numMissing }
}

function pathsOf({ path, deletionVector }: AddFile): string[] {
  const vector = deletionVector && deletionVectorPath(deletionVector)
  return vector === undefined ? [path] : [path, vector]
}

/** Every folder with what lies in it and below it. */
function foldersOf(objects: readonly StoredFile[], notes: string[]): StoredFolder[] {
  const folders = new Map<string, Record<StoredState, { files: number; bytes: number }>>([['', noSums()]])
  let isCut = false
  for (const { path, size, state } of objects) {
    for (let end = 0; end >= 0; end = path.indexOf('/', end + 1)) {
      const folder = path.slice(0, end)
      let sums = folders.get(folder)
      if (sums === undefined) {
        isCut ||= folders.size >= MAX_FOLDERS
        if (isCut) break
        sums = noSums()
        folders.set(folder, sums)
      }
      sums[state].files++
      sums[state].bytes += size
    }
  }
  if (isCut) notes.push(`Only ${MAX_FOLDERS.toLocaleString('en')} folders are shown by name.`)
  const bySegment = (path: string) => path.replaceAll('/', '\0')
  return [...folders]
    .map(([path, sums]) => ({ path, sums }))
    .sort((a, b) => (bySegment(a.path) < bySegment(b.path) ? -1 : 1))
}

function noSums() {
  return Object.fromEntries(STORED_STATES.map((state) => [state, { files: 0, bytes: 0 }])) as Record<
    StoredState,
    { -readonly [K in keyof StoredSum]: StoredSum[K] }
  >
}
