/**
 * CLONE: a table is made of another at one of its versions.
 *
 * A shallow clone names the source's files where they lie and writes its own beside its log; VACUUM of the source may take
 * files that it still names. A deep clone copies them under the same keys, and over an earlier copy only those that are
 * not there. Source: the reference's CLONE; deep clones are of this package.
 */
import { deltaError, isDeltaError } from '../../errors/index.ts'
import {
  type AddFile,
  beginFrom,
  fileKey,
  fileKeyText,
  requireCommitted,
  type Snapshot,
  type Transaction,
  writeCheckpoint,
} from '../../kernel/index.ts'
import { throwIfAborted } from '../../support/index.ts'
import { beginChange, signed, tryCommit } from '../commit.ts'
import type { OperationContext } from '../context.ts'
import type { CloneCommand, CloneMetrics, CloneResult } from '../upkeep-command.ts'
import { type ClonedFile, copiedFile, namedFile } from './cloned-files.ts'
import { clonedDomains, clonedState, sourceText } from './cloned-state.ts'
import { copyFiles } from './copy-files.ts'

/**
 * @throws DeltaError `DELTA_CREATE_TABLE_WITH_NON_EMPTY_LOCATION`, `DELTA_UNSUPPORTED_NON_EMPTY_CLONE`,
 * `TABLE_OR_VIEW_NOT_FOUND` for a table that was to be replaced, `LAKE_CLONE_UNREACHABLE`, `LAKE_CLONE_OF_ITSELF`, what
 * reading the source throws, those of `planMetadataChange`, conflict codes
 */
export async function executeClone(command: CloneCommand, context: OperationContext): Promise<CloneResult> {
  const other = await context.open(command.source)
  if (other.store.location === context.store.location) {
    throw deltaError('LAKE_CLONE_OF_ITSELF', { path: context.location })
  }
  const isThere = await context.exists()
  await checkPlace(command, isThere, context)
  return await other.withSnapshot(command.at, async (source) => {
    if (!isThere) return await clone({ command, source, target: undefined, context })
    return await context.withSnapshot(undefined, (target) => clone({ command, source, target, context }))
  })
}

async function checkPlace(
  { ifExists, mustExist, depth }: CloneCommand,
  isThere: boolean,
  context: OperationContext,
): Promise<void> {
  const path = context.location
  if (!isThere && mustExist) throw deltaError('TABLE_OR_VIEW_NOT_FOUND', { path })
  // what an interrupted copy left is no reason to refuse: the same keys are written again
  const isTaken = isThere ? ifExists === 'error' : depth === 'shallow' && (await holdsAnything(context))
  if (isTaken) throw deltaError('DELTA_CREATE_TABLE_WITH_NON_EMPTY_LOCATION', { path })
}

async function holdsAnything({ store, options: { signal } }: OperationContext): Promise<boolean> {
  for await (const page of store.list({ prefix: '', ...(signal && { signal }) })) if (page.length > 0) return true
  return false
}

interface CloneTask {
  readonly command: CloneCommand
  readonly source: Snapshot
  /** the table that is replaced */
  readonly target: Snapshot | undefined
  readonly context: OperationContext
}

async function clone(task: CloneTask): Promise<CloneResult> {
  const { command, source, target, context } = task
  const { wanted, copied, removed, metrics } = await compare(task)
  const pending = command.depth === 'deep' ? await copyFiles(copied, source, context) : []
  try {
    const transaction = begin(task)
      .removeFiles(removed)
      .addFiles(wanted.map(({ file }) => ({ ...file, dataChange: true })))
      .setMetrics({ ...metrics })
    const version = requireCommitted(await tryCommit(transaction, context))
    if (target === undefined) await checkpointOf(context)
    return { version, sourceVersion: source.version, metrics }
  } catch (error) {
    if (!isDeltaError(error, 'LAKE_COMMIT_UNKNOWN')) await discard(pending, context)
    throw error
  }
}

function begin({ command, source, target, context }: CloneTask): Transaction {
  const { properties = new Map<string, string>(), userMetadata } = command
  const options = {
    operation: 'CLONE',
    operationParameters: { source: sourceText(source), sourceVersion: source.version },
    ...(userMetadata !== undefined && { userMetadata }),
  }
  const state = clonedState({ source, target, properties, nowMs: context.clock.now(), path: context.location })
  if (target === undefined) {
    const transaction = beginFrom(context.store, context.engine, state, signed(context, options))
    return transaction.readsTable()
  }
  let transaction = beginChange(target, context, options)
    .readsTable()
    .setMetadata(state.metadata)
    .setProtocol(state.protocol)
  for (const domain of clonedDomains(source, target)) transaction = transaction.setDomain(domain)
  return transaction
}

/** What the target lacks and what it has beyond the source. */
async function compare({ command, source, target, context }: CloneTask) {
  const isShallow = command.depth === 'shallow'
  const live = new Map<string, AddFile>()
  for await (const file of filesOf(target, context)) live.set(fileKeyText(fileKey(file)), file)
  if (isShallow && live.size > 0) throw deltaError('DELTA_UNSUPPORTED_NON_EMPTY_CLONE', { path: context.location })
  const kept = new Set<string>()
  const wanted: ClonedFile[] = []
  const totals = { files: 0, bytes: 0 }
  for await (const file of filesOf(source, context)) {
    totals.files++
    totals.bytes += file.size
    const cloned = isShallow ? namedFile(file, source.store, context) : copiedFile(file, source.store.location)
    const key = fileKeyText(fileKey(cloned.file))
    if (isSame(live.get(key), cloned.file)) kept.add(key)
    else wanted.push(cloned)
  }
  const removed = [...live].filter(([key]) => !kept.has(key)).map(([, file]) => file)
  const there = new Set(removed.map(({ path, size }) => `${size} ${path}`))
  // the data of a file of which only the vector differs lies there already
  const copied = isShallow ? [] : wanted
  const moved = copied.filter(({ file }) => !there.has(`${file.size} ${file.path}`))
  const metrics: CloneMetrics = {
    sourceTableSize: totals.bytes,
    sourceNumOfFiles: totals.files,
    numRemovedFiles: removed.length,
    numCopiedFiles: moved.length,
    removedFilesSize: bytesOf(removed),
    copiedFilesSize: bytesOf(moved.map(({ file }) => file)),
  }
  return { wanted, copied, removed, metrics }
}

function isSame(known: AddFile | undefined, file: AddFile): boolean {
  return known !== undefined && known.size === file.size && known.modificationTime === file.modificationTime
}

async function* filesOf(
  snapshot: Snapshot | undefined,
  { options: { signal } }: OperationContext,
): AsyncGenerator<AddFile> {
  if (snapshot === undefined) return
  for await (const page of snapshot.files.select(undefined, signal && { signal })) {
    throwIfAborted(signal, 'CLONE')
    yield* page
  }
}

/** Readers of a clone need not go through a first commit of very many files. */
async function checkpointOf(context: OperationContext): Promise<void> {
  await context
    .withSnapshot(undefined, (snapshot) => writeCheckpoint(snapshot, { clock: context.clock }))
    .catch((error) => context.warn(`the checkpoint of the clone could not be written: ${error}`))
}

async function discard(keys: readonly string[], { store, warn }: OperationContext): Promise<void> {
  for (const key of keys) {
    await store.delete(key).catch(() => warn(`the file ${key}, which is in no commit, could not be deleted`))
  }
}

function bytesOf(files: readonly AddFile[]): number {
  return files.reduce((sum, { size }) => sum + size, 0)
}
