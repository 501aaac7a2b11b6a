/**
 * Writes a classic checkpoint of a snapshot: the small actions, the live files, the tombstones that still count.
 *
 * File actions stream from the index to the writer in pages, so memory does not grow with the table. Source: Delta
 * protocol, "Checkpoints".
 */
import { assert } from '../../errors/index.ts'
import { type Clock, systemClock } from '../../support/index.ts'
import type { Action, RemoveFile, SetTransaction } from '../actions/actions.ts'
import { supportsFeature } from '../features/index.ts'
import { checkpointKey } from '../paths/index.ts'
import { property } from '../properties/index.ts'
import type { CheckpointWriteOptions } from '../snapshot/file-index.ts'
import type { Snapshot } from '../snapshot/snapshot.ts'
import { type CheckpointHint, writeLastCheckpoint } from './last-checkpoint.ts'

export interface WriteCheckpointOptions {
  readonly clock?: Clock
}

/**
 * Writes the checkpoint of the snapshot's version and points the hint at it.
 *
 * The file appears whole or not at all; one of the same version is replaced by the same content.
 */
export async function writeCheckpoint(
  snapshot: Snapshot,
  options: WriteCheckpointOptions = {},
): Promise<CheckpointHint> {
  const nowMs = (options.clock ?? systemClock).now()
  const key = checkpointKey(snapshot.version)
  const counts = { actions: 0, adds: 0 }
  const content = contentOf(snapshot)
  const pages = counted(checkpointActions(snapshot, content, nowMs), counts)
  const written = await snapshot.log.writeCheckpoint(snapshot.store, key, pages, { content })
  try {
    assert(
      written.numActions === counts.actions,
      `the checkpoint ${key} holds the ${counts.actions} actions given to it`,
    )
    assert(
      counts.adds === snapshot.files.numFiles,
      `the checkpoint ${key} holds the ${snapshot.files.numFiles} live files`,
    )
  } catch (error) {
    await snapshot.store.delete(key)
    throw error
  }
  const { version } = snapshot
  const hint = { version, size: counts.actions, sizeInBytes: written.size, numOfAddFiles: counts.adds }
  await writeLastCheckpoint(snapshot.store, hint)
  return hint
}

/** V2 content under the classic name, so that readers without the feature fail at the protocol and nowhere else. */
function contentOf(snapshot: Snapshot): CheckpointWriteOptions['content'] {
  const wantsV2 = property(snapshot.configuration, 'checkpointPolicy') === 'v2'
  return wantsV2 && supportsFeature(snapshot.protocol, 'v2Checkpoint') ? 'v2' : 'v1'
}

async function* counted(
  pages: AsyncIterable<readonly Action[]>,
  counts: { actions: number; adds: number },
): AsyncGenerator<readonly Action[]> {
  for await (const page of pages) {
    counts.actions += page.length
    for (const action of page) if ('add' in action) counts.adds++
    yield page
  }
}

async function* checkpointActions(
  snapshot: Snapshot,
  content: CheckpointWriteOptions['content'],
  nowMs: number,
): AsyncGenerator<readonly Action[]> {
  yield smallActions(snapshot, content, nowMs)
  for await (const page of snapshot.files.select()) yield page.map((add) => ({ add: { ...add, dataChange: false } }))
  const expiredBeforeMs = nowMs - property(snapshot.configuration, 'deletedFileRetentionDuration')
  for await (const page of snapshot.files.tombstones(expiredBeforeMs)) {
    yield page.map((remove) => ({ remove: asTombstone(remove) }))
  }
}

function smallActions(snapshot: Snapshot, content: CheckpointWriteOptions['content'], nowMs: number): Action[] {
  const retentionMs = property(snapshot.configuration, 'setTransactionRetentionDuration')
  const oldestMs = retentionMs === undefined ? undefined : nowMs - retentionMs
  const transactions = [...snapshot.transactions.values()].filter((txn) => isKept(txn, oldestMs))
  return [
    { protocol: snapshot.protocol },
    { metaData: snapshot.metadata },
    ...(content === 'v2' ? [{ checkpointMetadata: { version: snapshot.version } }] : []),
    ...transactions.map((txn) => ({ txn })),
    ...Array.from(snapshot.domains.values(), (domainMetadata) => ({ domainMetadata })),
  ]
}

/** A table that forgets its applications after a while keeps those that do not say when they last wrote. */
function isKept(txn: SetTransaction, oldestMs: number | undefined): boolean {
  return oldestMs === undefined || txn.lastUpdated === undefined || txn.lastUpdated > oldestMs
}

function asTombstone(remove: RemoveFile): RemoveFile {
  const { stats: _, tags: __, ...kept } = remove
  return { ...kept, dataChange: false }
}
