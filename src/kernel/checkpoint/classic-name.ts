/**
 * A v2 checkpoint under the classic name: a reader that knows no other names finds it, and in it a protocol that it
 * refuses by name, where it would otherwise find a log without a beginning. Source: Delta protocol, "V2 Spec".
 */
import { assert } from '../../errors/index.ts'
import type { Action, ActionKind } from '../actions/actions.ts'
import { checkpointKey, LOG_PREFIX, parseLogName, versionKey } from '../paths/index.ts'
import { readJsonCheckpoint } from '../snapshot/json-checkpoint.ts'
import type { Snapshot } from '../snapshot/snapshot.ts'
import type { LogCheckpoint } from './log-files.ts'

const KINDS: readonly ActionKind[] = [
  'protocol',
  'metaData',
  'txn',
  'domainMetadata',
  'add',
  'remove',
  'checkpointMetadata',
  'sidecar',
]

/** Writes what the main file of a checkpoint holds under the classic name, unless a checkpoint from there on has one. */
export async function ensureClassicName(snapshot: Snapshot, { version, files }: LogCheckpoint): Promise<void> {
  const { store, log } = snapshot
  const startAfter = versionKey(version)
  for await (const page of store.list({ prefix: LOG_PREFIX, startAfter, shallow: true })) {
    for (const { key } of page) {
      const name = parseLogName(key.slice(LOG_PREFIX.length))
      if (name?.kind === 'checkpoint' && name.form.kind !== 'uuid') return
    }
  }
  const [main] = files
  assert(main !== undefined, 'a checkpoint has a main file')
  const pages =
    main.format === 'json' ? pageOf(readJsonCheckpoint(store, main, KINDS)) : log.readCheckpoint(store, [main], KINDS)
  await log.writeCheckpoint(store, checkpointKey(version), pages, { content: 'v2' })
}

async function* pageOf(actions: Promise<readonly Action[]>): AsyncGenerator<readonly Action[]> {
  yield await actions
}
