/** The engine, off the page's thread: decoding Parquet must not stop the page from answering keys. */
import { failureOf } from './failure-of.ts'
import { directoryStore, fileListStore, httpStore, jsEngine, type ObjectStore } from './library.ts'
import type { PlayState, TableSource, Traffic } from './messages.ts'
import type { Lanes } from './play/lanes.ts'
import type { PlayTable } from './play/play-table.ts'
import { countedStore } from './reading/counted-store.ts'
import { TableReader } from './reading/table-reader.ts'
import type { AnswerMessage, CallMessage, Remote } from './remote.ts'

const engine = jsEngine()
const readers = new Map<string, TableReader>()
const traffic = new Map<string, Traffic>()
const plays = new Map<string, PlayTable>()
const lanes = new Map<string, Lanes>()

/** The playground's own code is loaded when one is opened. */
const workshop = () => import('./play/workshop.ts')

function readerOf(id: string): TableReader {
  const reader = plays.get(id)?.reader ?? readers.get(id)
  if (reader === undefined) throw new Error(`no table ${id} is open`)
  return reader
}

function playOf(id: string): PlayTable {
  const play = plays.get(id)
  if (play === undefined) throw new Error(`no playground ${id} is open`)
  return play
}

/** A playground has a clock of its own. */
function nowOf(id: string): number {
  return plays.get(id)?.nowMs ?? Date.now()
}

function lanesOf(id: string): Lanes {
  const found = lanes.get(id)
  if (found === undefined) throw new Error(`no playground ${id} is open`)
  return found
}

const remote: Remote = {
  async open(source) {
    const { id, name, store } = openSource(source)
    const counted = countedStore(store, (seen) => traffic.set(id, seen))
    const reader = new TableReader(counted, engine, { id, name, location: store.location, writable: false })
    readers.set(id, reader)
    return await reader.open()
  },
  versions: (id, from, count) => readerOf(id).versions(from, count),
  search: (id, text) => readerOf(id).search(text),
  versionAt: (id, timestampMs) => readerOf(id).versionAt(timestampMs),
  state: (id, version) => readerOf(id).state(version),
  files: (id, version, query) => readerOf(id).files(version, query),
  partitions: (id, version) => readerOf(id).partitions(version),
  file: (id, version, path) => readerOf(id).file(version, path),
  folder: (id, version) => readerOf(id).folder(version, { nowMs: nowOf(id) }),
  storage: (id, version, query) => readerOf(id).storage(version, query, { nowMs: nowOf(id) }),
  commit: (id, version) => readerOf(id).commit(version),
  rows: (id, version, query) => readerOf(id).rows(version, query),
  difference: (id, from, to) => readerOf(id).difference(from, to),
  changes: (id, from, to, offset, limit) => readerOf(id).changes(from, to, offset, limit),
  story: (id, where) => readerOf(id).story(where),
  traffic: async (id) => traffic.get(id) ?? { requests: 0, bytes: 0 },
  statement: async (id, sql) => await (await workshop()).runStatement(playOf(id), sql),

  async play(id, start) {
    const { PlayTable, Lanes, recall, keep } = await workshop()
    const play = new PlayTable(id, engine)
    const kept = start.keep === true ? await recall(id).catch(() => undefined) : undefined
    const state = await (kept === undefined ? play.begin(start) : play.load(kept).catch(() => play.begin(start)))
    plays.set(id, play)
    lanes.set(id, new Lanes(play))
    if (start.keep === true) await keep(id, play.kept()).catch(() => undefined)
    return state
  },
  async perform(id, call) {
    const performed = await playOf(id).perform(call)
    await keepPlay(id)
    return performed
  },
  look: async (id) => await playOf(id).state(),
  async undo(id) {
    const state = await playOf(id).undo()
    await keepPlay(id)
    return state
  },
  readSql: async (id, sql) => (await workshop()).readSql(sql, playOf(id).columns, undefined),
  previewMerge: async (id, call) => {
    const { previewMerge } = await workshop()
    if (call.op !== 'merge') throw new Error('only a merge has clauses to look at')
    return await previewMerge(call, await playOf(id).opened())
  },
  zip: async (id) => (await workshop()).zipTable(playOf(id).store.objects()),
  async unzip(id, bytes) {
    const { unzipTable } = await workshop()
    const play = playOf(id)
    const state: PlayState = await play.load({ objects: unzipTable(bytes), nowMs: Date.now(), calls: [], start: null })
    await keepPlay(id)
    return state
  },
  async plantFile(id, name, rows) {
    const play = playOf(id)
    await (await workshop()).plantFile(play, name, rows)
    return await play.state()
  },
  lanes: async (id) => lanesOf(id).views,
  async laneStart(id, lane, call, lostAnswer) {
    await lanesOf(id).lane(lane).start(call, lostAnswer)
    return lanesOf(id).views
  },
  async laneStep(id, lane) {
    await lanesOf(id).lane(lane).step()
    await playOf(id).noticed()
    return lanesOf(id).views
  },
  async laneReset(id) {
    lanesOf(id).reset()
    return lanesOf(id).views
  },
}

async function keepPlay(id: string): Promise<void> {
  if (!id.startsWith('kept')) return
  // a browser that keeps nothing takes nothing away from the table that is open
  await (await workshop()).keep(id, playOf(id).kept()).catch(() => undefined)
}

function openSource(source: TableSource): { readonly id: string; readonly name: string; readonly store: ObjectStore } {
  switch (source.kind) {
    case 'served': {
      const url = new URL(`../store/${source.id}/`, location.href).href
      return { id: `served:${source.id}`, name: String(source.id), store: httpStore(url, { listing: true }) }
    }
    case 'url': {
      const name = source.url.replace(/\/+$/, '').split('/').at(-1) ?? source.url
      return { id: `url:${source.url}`, name, store: httpStore(source.url) }
    }
    case 'folder':
      return { id: `folder:${source.folder.name}`, name: source.folder.name, store: directoryStore(source.folder) }
    case 'files': {
      const name = source.files[0]?.webkitRelativePath.split('/')[0] ?? 'folder'
      return { id: `folder:${name}`, name, store: fileListStore(source.files) }
    }
    case 'play':
      throw new Error('a playground is opened by play')
  }
}

addEventListener('message', ({ data }: MessageEvent<CallMessage>) => {
  void answer(data).then((message) => postMessage(message))
})

async function answer({ id, method, args }: CallMessage): Promise<AnswerMessage> {
  try {
    const call = remote[method] as (...args: readonly unknown[]) => Promise<unknown>
    return { id, ok: true, value: await call(...args) }
  } catch (error) {
    return { id, ok: false, failure: failureOf(error) }
  }
}
