/**
 * Tables whose old versions ask for features that their newest one no longer lists.
 *
 * Checkpoints of such versions were made by somebody who knew those features; whoever does not may neither make others in
 * their place nor take them away one by one. Source: Delta protocol, "Checkpoint Protection".
 */
import type { Protocol } from '../actions/actions.ts'
import { supportsFeature } from '../features/index.ts'
import { readCommit } from '../log/index.ts'
import { property } from '../properties/index.ts'
import type { Snapshot } from '../snapshot/snapshot.ts'
import { validateWritable } from '../transaction/write-gate.ts'
import { completeCheckpoints, type LogFile } from './log-files.ts'

/**
 * Whether the versions below a new beginning may be forgotten: all protected ones go at once, or every protocol among
 * them is one that this package writes by.
 *
 * @param files the log below and at the beginning
 */
export async function mayForget(snapshot: Snapshot, files: readonly LogFile[], beginning: number): Promise<boolean> {
  const protectedBefore = protectedVersion(snapshot)
  if (beginning >= protectedBefore) return true
  for await (const protocol of protocolsBelow(snapshot, files, beginning)) {
    if (!isWritable(snapshot, protocol)) return false
  }
  return true
}

/** 0 where the table protects nothing. */
function protectedVersion({ protocol, configuration }: Snapshot): number {
  const version = property(configuration, 'requireCheckpointProtectionBeforeVersion')
  return supportsFeature(protocol, 'checkpointProtection') ? version : 0
}

function isWritable(snapshot: Snapshot, protocol: Protocol): boolean {
  try {
    validateWritable(protocol, snapshot, { path: snapshot.store.location })
    return true
  } catch {
    return false
  }
}

async function* protocolsBelow(
  snapshot: Snapshot,
  files: readonly LogFile[],
  beginning: number,
): AsyncGenerator<Protocol> {
  const checkpoints = completeCheckpoints(files).filter(({ version }) => version <= beginning)
  for (const { files: parts } of checkpoints) {
    for await (const page of snapshot.log.readCheckpoint(snapshot.store, parts, ['protocol'])) {
      for (const action of page) if ('protocol' in action) yield action.protocol
    }
  }
  const commits = files.flatMap(({ name }) =>
    name.kind === 'commit' && name.version <= beginning ? [name.version] : [],
  )
  for (const version of commits) {
    const { actions } = await readCommit(snapshot.store, version)
    for (const action of actions) if ('protocol' in action) yield action.protocol
  }
}
