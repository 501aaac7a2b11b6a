/**
 * RESTORE: the table becomes what it was at an older version, by a commit of its own.
 *
 * Files that were live then and are not now are added again, those that are live now and were not then are removed; a file
 * with another deletion vector is another file. The protocol never gets lower, numbers and ids that were given out are
 * never given out again. Source: the reference's RESTORE; Delta protocol, "Action Reconciliation".
 */
import { deltaError, isDeltaError } from '../../errors/index.ts'
import { type AddFile, fileKey, fileKeyText, listVersions, type Snapshot } from '../../kernel/index.ts'
import { formatTimestamp, throwIfAborted } from '../../support/index.ts'
import type { ReadPoint } from '../command.ts'
import { beginChange, commitChange } from '../commit.ts'
import type { OperationContext, SnapshotLease } from '../context.ts'
import type { RestoreCommand, RestoreMetrics, RestoreResult } from '../upkeep-command.ts'
import { refuseMissing } from './missing-files.ts'
import { restoredDomains, restoredMetadata, restoredProtocol } from './restored-state.ts'

/**
 * @throws DeltaError `DELTA_CANNOT_RESTORE_TABLE_VERSION`, `DELTA_CANNOT_RESTORE_TIMESTAMP_EARLIER`,
 * `DELTA_CANNOT_RESTORE_TIMESTAMP_GREATER`, `LAKE_RESTORE_MISSING_FILES`, `DELTA_TABLE_NOT_FOUND`, conflict codes: a
 * commit that changes the table meanwhile makes a restore impossible
 */
export async function executeRestore(command: RestoreCommand, context: OperationContext): Promise<RestoreResult> {
  return await context.withSnapshot(undefined, async (latest) => {
    const { snapshot: target, release } = await leaseTarget(command.to, latest, context)
    try {
      return await restore({ command, latest, target, context })
    } finally {
      await release()
    }
  })
}

interface RestoreTask {
  readonly command: RestoreCommand
  readonly latest: Snapshot
  readonly target: Snapshot
  readonly context: OperationContext
}

async function restore({ command, latest, target, context }: RestoreTask): Promise<RestoreResult> {
  const { restored, removed, after } = await compare(latest, target, context)
  if (command.ignoreMissingFiles !== true) await refuseMissing(restored, target.version, context)
  const metrics: RestoreMetrics = {
    tableSizeAfterRestore: after.bytes,
    numOfFilesAfterRestore: after.files,
    numRemovedFiles: removed.length,
    numRestoredFiles: restored.length,
    removedFilesSize: bytesOf(removed),
    restoredFilesSize: bytesOf(restored),
  }
  // the newest version is what the table is
  if (command.dryRun === true || target.version === latest.version)
    return { version: null, restored: target.version, metrics }
  const { to, userMetadata } = command
  const operationParameters =
    'version' in to
      ? { version: to.version, timestamp: null }
      : { version: null, timestamp: formatTimestamp(BigInt(to.timestampMs) * 1000n) }
  let transaction = beginChange(latest, context, {
    operation: 'RESTORE',
    operationParameters,
    ...(userMetadata !== undefined && { userMetadata }),
  })
    .readsTable()
    .setProtocol(restoredProtocol(latest, target, context.location))
    .setMetadata(restoredMetadata(latest, target))
    .removeFiles(removed)
    .addFiles(restored.map((file) => ({ ...file, dataChange: true })))
    .setMetrics({ ...metrics })
  for (const domain of restoredDomains(latest, target)) transaction = transaction.setDomain(domain)
  return { version: await commitChange(transaction, context), restored: target.version, metrics }
}

async function leaseTarget(to: ReadPoint, latest: Snapshot, context: OperationContext): Promise<SnapshotLease> {
  return await context.leaseSnapshot(to).catch(async (error: unknown) => {
    throw await restoreError(error, to, latest, context)
  })
}

async function restoreError(
  error: unknown,
  to: ReadPoint,
  latest: Snapshot,
  context: OperationContext,
): Promise<unknown> {
  if (isDeltaError(error, 'DELTA_TIMESTAMP_EARLIER_THAN_COMMIT_RETENTION')) {
    return deltaError('DELTA_CANNOT_RESTORE_TIMESTAMP_EARLIER', error.details, { cause: error })
  }
  if (isDeltaError(error, 'DELTA_TIMESTAMP_GREATER_THAN_COMMIT')) {
    return deltaError('DELTA_CANNOT_RESTORE_TIMESTAMP_GREATER', error.details, { cause: error })
  }
  const isGone = isDeltaError(error, 'DELTA_VERSION_NOT_FOUND') && 'version' in to
  return isGone ? await versionError(to.version, latest, context) : error
}

async function versionError(version: number, latest: Snapshot, context: OperationContext): Promise<unknown> {
  const { signal } = context.options
  const [oldest] = await listVersions(context.store, context.engine, { ...(signal && { signal }) })
  return deltaError('DELTA_CANNOT_RESTORE_TABLE_VERSION', {
    path: context.location,
    version,
    earliest: oldest?.version ?? latest.version,
    latest: latest.version,
  })
}

/** What tells the two versions apart. Of files that stay only the keys are held. */
async function compare(latest: Snapshot, target: Snapshot, context: OperationContext) {
  const live = await keysOf(latest, context)
  const restored: AddFile[] = []
  const wanted = new Set<string>()
  const after = { files: 0, bytes: 0 }
  for await (const file of filesOf(target, context)) {
    const key = fileKeyText(fileKey(file))
    wanted.add(key)
    after.files++
    after.bytes += file.size
    if (!live.has(key)) restored.push(file)
  }
  const removed: AddFile[] = []
  for await (const file of filesOf(latest, context)) {
    if (!wanted.has(fileKeyText(fileKey(file)))) removed.push(file)
  }
  return { restored, removed, after }
}

async function keysOf(snapshot: Snapshot, context: OperationContext): Promise<ReadonlySet<string>> {
  const keys = new Set<string>()
  for await (const file of filesOf(snapshot, context)) keys.add(fileKeyText(fileKey(file)))
  return keys
}

async function* filesOf(snapshot: Snapshot, { options: { signal } }: OperationContext): AsyncGenerator<AddFile> {
  for await (const page of snapshot.files.select(undefined, signal && { signal })) {
    throwIfAborted(signal, 'comparing versions')
    yield* page
  }
}

function bytesOf(files: readonly AddFile[]): number {
  return files.reduce((sum, { size }) => sum + size, 0)
}
