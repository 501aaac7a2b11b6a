/**
 * Writes a checkpoint of a snapshot: the small actions, the live files, the tombstones that still count.
 *
 * File actions stream from the index to the writer in pages, so memory does not grow with the table. A table with the
 * policy `v2` gets a main file under a name of its own and sidecars of bounded size; any other one file. Source: Delta
 * protocol, "Checkpoints", "V2 Spec".
 */
import { assert } from '../../errors/index.ts'
import { type Clock, encodeUtf8, systemClock } from '../../support/index.ts'
import type { Action, SidecarFile } from '../actions/actions.ts'
import { printActions } from '../actions/print.ts'
import { supportsFeature } from '../features/index.ts'
import { checkpointKey, SIDECAR_PREFIX, uuidCheckpointKey } from '../paths/index.ts'
import { property } from '../properties/index.ts'
import type { CheckpointStatistics } from '../snapshot/file-index.ts'
import type { Snapshot } from '../snapshot/snapshot.ts'
import { statisticsColumns } from '../statistics/statistics-columns.ts'
import { typedStatistics } from '../statistics/typed-statistics.ts'
import { type ActionTally, fileActions, runsOf, smallActions, tallied } from './checkpoint-actions.ts'
import { type CheckpointHint, writeLastCheckpoint } from './last-checkpoint.ts'

export interface WriteCheckpointOptions {
  readonly clock?: Clock
  /** the format of a v2 checkpoint's main file; `parquet` when absent */
  readonly mainFile?: 'parquet' | 'json'
  /** file actions in one sidecar of a v2 checkpoint; 100,000 when absent */
  readonly sidecarActions?: number
}

const SIDECAR_ACTIONS = 100_000

/**
 * Writes the checkpoint of the snapshot's version and points the hint at it.
 *
 * It counts from the moment its main file is there, which appears whole or not at all; a classic one of the same version
 * is replaced by the same content. A write that fails deletes what it wrote.
 */
export async function writeCheckpoint(
  snapshot: Snapshot,
  options: WriteCheckpointOptions = {},
): Promise<CheckpointHint> {
  const written: string[] = []
  try {
    const hint = await (hasV2Policy(snapshot)
      ? writeV2(snapshot, options, written)
      : writeClassic(snapshot, options, written))
    const { numFiles } = await snapshot.files.totals()
    assert(hint.numOfAddFiles === numFiles, `the checkpoint holds the ${numFiles} live files`)
    await writeLastCheckpoint(snapshot.store, hint)
    return hint
  } catch (error) {
    await Promise.allSettled(written.map((key) => snapshot.store.delete(key)))
    throw error
  }
}

/** Whether checkpoints of a table have the v2 form. */
export function hasV2Policy({ configuration, protocol }: Snapshot): boolean {
  return property(configuration, 'checkpointPolicy') === 'v2' && supportsFeature(protocol, 'v2Checkpoint')
}

function nowOf({ clock = systemClock }: WriteCheckpointOptions): number {
  return clock.now()
}

/** How files tell their statistics, by the table's properties. */
function statisticsOf(snapshot: Snapshot): CheckpointStatistics {
  const { configuration, layout } = snapshot
  const text = property(configuration, 'checkpoint.writeStatsAsJson')
  if (!property(configuration, 'checkpoint.writeStatsAsStruct')) return { text }
  const tightBounds = property(configuration, 'enableDeletionVectors')
  return { text, typed: typedStatistics(layout, statisticsColumns(snapshot), tightBounds) }
}

async function* chained(...parts: readonly AsyncIterable<readonly Action[]>[]): AsyncGenerator<readonly Action[]> {
  for (const part of parts) yield* part
}

async function* pageOf(actions: readonly Action[]): AsyncGenerator<readonly Action[]> {
  yield actions
}

async function writeClassic(
  snapshot: Snapshot,
  options: WriteCheckpointOptions,
  written: string[],
): Promise<CheckpointHint> {
  const { store, log, version } = snapshot
  const key = checkpointKey(version)
  const nowMs = nowOf(options)
  const tally: ActionTally = { actions: 0, adds: 0 }
  const pages = tallied(chained(pageOf(smallActions(snapshot, nowMs)), fileActions(snapshot, nowMs)), tally)
  const file = await log.writeCheckpoint(store, key, pages, { content: 'v1', statistics: statisticsOf(snapshot) })
  // not before: the name may be that of a good checkpoint that another writer put there
  written.push(key)
  assert(file.numActions === tally.actions, `the checkpoint ${key} holds the ${tally.actions} actions given to it`)
  return { version, size: tally.actions, sizeInBytes: file.size, numOfAddFiles: tally.adds }
}

async function writeV2(
  snapshot: Snapshot,
  options: WriteCheckpointOptions,
  written: string[],
): Promise<CheckpointHint> {
  const { version, store } = snapshot
  const nowMs = nowOf(options)
  const { sidecars, tally } = await writeSidecars(snapshot, options, written)
  const main: Action[] = [
    ...smallActions(snapshot, nowMs),
    { checkpointMetadata: { version, tags: sidecarTags(sidecars, tally) } },
    ...sidecars.map((sidecar) => ({ sidecar })),
  ]
  const format = options.mainFile ?? 'parquet'
  const key = uuidCheckpointKey(version, crypto.randomUUID(), format)
  written.push(key)
  const size = await (format === 'json' ? putJson(snapshot, key, main) : putParquet(snapshot, key, main))
  const sidecarBytes = sidecars.reduce((sum, { sizeInBytes }) => sum + sizeInBytes, 0)
  const { modifiedMs } = await store.head(key)
  return {
    version,
    size: main.length + tally.actions,
    sizeInBytes: size + sidecarBytes,
    numOfAddFiles: tally.adds,
    v2Checkpoint: { key, sizeInBytes: size, modificationTime: modifiedMs, sidecars },
  }
}

function sidecarTags(sidecars: readonly SidecarFile[], tally: ActionTally): ReadonlyMap<string, string> {
  const bytes = sidecars.reduce((sum, { sizeInBytes }) => sum + sizeInBytes, 0)
  return new Map([
    ['sidecarNumActions', String(tally.actions)],
    ['sidecarSizeInBytes', String(bytes)],
    ['numOfAddFiles', String(tally.adds)],
  ])
}

async function writeSidecars(
  snapshot: Snapshot,
  options: WriteCheckpointOptions,
  written: string[],
): Promise<{ sidecars: readonly SidecarFile[]; tally: ActionTally }> {
  const { store, log } = snapshot
  const statistics = statisticsOf(snapshot)
  const sidecars: SidecarFile[] = []
  const tally: ActionTally = { actions: 0, adds: 0 }
  let stored = 0
  const pages = tallied(fileActions(snapshot, nowOf(options)), tally)
  for await (const run of runsOf(pages, options.sidecarActions ?? SIDECAR_ACTIONS)) {
    const path = `${crypto.randomUUID()}.parquet`
    const key = `${SIDECAR_PREFIX}${path}`
    written.push(key)
    const { size, numActions } = await log.writeCheckpoint(store, key, run, { content: 'sidecar', statistics })
    stored += numActions
    const { modifiedMs } = await store.head(key)
    sidecars.push({ path, sizeInBytes: size, modificationTime: modifiedMs })
  }
  assert(stored === tally.actions, `the sidecars hold the ${tally.actions} actions given to them`)
  return { sidecars, tally }
}

async function putJson({ store }: Snapshot, key: string, actions: readonly Action[]): Promise<number> {
  const bytes = encodeUtf8(printActions(actions))
  await store.put(key, bytes)
  return bytes.length
}

async function putParquet({ store, log }: Snapshot, key: string, actions: readonly Action[]): Promise<number> {
  const { size, numActions } = await log.writeCheckpoint(store, key, pageOf(actions), { content: 'v2' })
  assert(numActions === actions.length, `the checkpoint ${key} holds the ${actions.length} actions given to it`)
  return size
}
