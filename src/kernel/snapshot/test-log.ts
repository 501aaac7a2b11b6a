/** Logs in memory for the tests of the kernel: commits as lists of actions, checkpoints as JSON in place of Parquet. */
import { memoryStore, type ObjectStore } from '../../storage/index.ts'
import { encodeUtf8, type JsonObject, printJson } from '../../support/index.ts'
import type { Action } from '../actions/actions.ts'
import { parseCommitText } from '../actions/commit-text.ts'
import { printActions } from '../actions/print.ts'
import { checkpointKey, commitKey } from '../paths/index.ts'
import { arrayFileIndex, type CheckpointReader } from './array-file-index.ts'
import type { LogEngine } from './file-index.ts'

const readCheckpoint: CheckpointReader = async function* (store, files, kinds) {
  for (const file of files) {
    const actions = parseCommitText(await store.get(file.key))
    yield actions.filter((action) => kinds.some((kind) => kind in action))
  }
}

/** A log engine whose checkpoint files hold JSON lines. */
export const jsonLogEngine: LogEngine = {
  openFileIndex: (source) => arrayFileIndex(source, readCheckpoint),
  readCheckpoint,
  writeCheckpoint: async (store, key, pages) => {
    const actions: Action[] = []
    for await (const page of pages) actions.push(...page)
    const bytes = encodeUtf8(printActions(actions))
    await store.put(key, bytes)
    return { size: bytes.length, numActions: actions.length }
  },
}

export const PROTOCOL = { protocol: { minReaderVersion: 1, minWriterVersion: 2 } }
export const METADATA = metadata({})

export function metadata(changes: JsonObject): JsonObject {
  const schema = {
    type: 'struct',
    fields: [
      { name: 'order', type: 'long', nullable: true, metadata: {} },
      { name: 'country', type: 'string', nullable: true, metadata: {} },
    ],
  }
  return {
    metaData: {
      id: 'orders',
      format: { provider: 'parquet', options: {} },
      schemaString: printJson(schema),
      partitionColumns: [],
      configuration: {},
      ...changes,
    },
  }
}

export function add(path: string, changes: JsonObject = {}): JsonObject {
  const body = { path, partitionValues: {}, size: 10, modificationTime: 0, dataChange: true, ...changes }
  return { add: body }
}

export function remove(path: string, changes: JsonObject = {}): JsonObject {
  return { remove: { path, deletionTimestamp: 1000, dataChange: true, ...changes } }
}

export function lines(actions: readonly JsonObject[]): Uint8Array<ArrayBuffer> {
  return encodeUtf8(actions.map((action) => `${printJson(action)}\n`).join(''))
}

/** A store with a log: `commits[n]` is version n, undefined leaves it out. */
export async function logOf(
  commits: readonly (readonly JsonObject[] | undefined)[],
  store: ObjectStore = memoryStore({ clock: { now: () => 1000 } }),
): Promise<ObjectStore> {
  for (const [version, actions] of commits.entries()) {
    if (actions !== undefined) await store.put(commitKey(version), lines(actions))
  }
  return store
}

export async function putCheckpoint(
  store: ObjectStore,
  version: number,
  actions: readonly JsonObject[],
): Promise<void> {
  await store.put(checkpointKey(version), lines(actions))
}

/** A log whose versions hold one file each: version n adds `fn`. */
export function oneFileEach(count: number): JsonObject[][] {
  return Array.from({ length: count }, (_, version) => [
    ...(version === 0 ? [PROTOCOL, METADATA] : []),
    add(`f${version}`),
  ])
}
