/**
 * Writes rows: append, overwrite, or the first write of a table.
 *
 * Files are written first, then one commit puts them into the table and takes out what an overwrite replaces. A write
 * that fails deletes the files it wrote and leaves the table as it was. Source: `delta-protocol`, DML, write modes.
 */

import type { WriteResult } from '../../engine/index.ts'
import { type DeltaError, deltaError, isDeltaError } from '../../errors/index.ts'
import {
  beginCreate,
  type PlannedMetadata,
  property,
  requireCommitted,
  type Snapshot,
  type Transaction,
  type TransactionOptions,
} from '../../kernel/index.ts'
import type { TableRead, WriteCommand, WriteCommandResult, WriteMode } from '../command.ts'
import { beginChange, isCommittedAlready, marked, signed, tryCommit } from '../commit.ts'
import type { OperationContext, SnapshotLease } from '../context.ts'
import { bytesOf } from '../dml/change-metrics.ts'
import { PendingFiles } from '../dml/pending-files.ts'
import { liveRows } from '../read/live-rows.ts'
import { differInMarksOnly, takeNumbers } from '../rules/index.ts'
import { type PreparedSource, prepareSource } from './prepare-source.ts'
import { type Replacement, refuseContradictions, replaceChecks, replaceParameters, replaceRows } from './replace.ts'
import { type RuledResult, writeRenumbered, writeRuled } from './ruled-write.ts'
import { targetShape } from './target-shape.ts'
import { addFileOf } from './write-plan.ts'

const MODE_NAMES: Readonly<Record<WriteMode, string>> = {
  append: 'Append',
  overwrite: 'Overwrite',
  error: 'ErrorIfExists',
  ignore: 'Ignore',
}

/**
 * @throws DeltaError `DELTA_TABLE_NOT_FOUND`, `DELTA_PATH_EXISTS`, `DELTA_METADATA_MISMATCH`,
 * `DELTA_FAILED_TO_MERGE_FIELDS`, `LAKE_INVALID_VALUE`, `CAST_OVERFLOW_IN_TABLE_INSERT`,
 * `DELTA_NOT_NULL_CONSTRAINT_VIOLATED`, `DELTA_EXCEED_CHAR_VARCHAR_LIMIT`, `LAKE_CHAR_VARCHAR_WRITE_UNSUPPORTED`,
 * `DELTA_UNSUPPORTED_FEATURES_FOR_WRITE`, conflict codes, a `LAKE_STORAGE_…` code
 */
export async function executeWrite(command: WriteCommand, context: OperationContext): Promise<WriteCommandResult> {
  const { mode, mustExist } = command
  validateSizes(command)
  refuseContradictions(command)
  if ((mode === 'error' || mode === 'ignore') && (await context.exists())) {
    if (mode === 'ignore') return nothingWritten('table exists')
    throw deltaError('DELTA_PATH_EXISTS', { path: context.location })
  }
  const own = command.reads?.find(({ location }) => location === context.store.location)
  const lease = await leaseIfThere(context, own)
  if (lease === undefined) {
    if (!mustExist) return await createByWrite(command, context)
    throw deltaError('DELTA_TABLE_NOT_FOUND', { path: context.location, reason: 'no log is there' })
  }
  try {
    return await writeInto(lease.snapshot, command, context, own !== undefined)
  } finally {
    await lease.release()
  }
}

/** @param at the version whose rows are written again: what others commit behind it is to be a conflict */
async function leaseIfThere(context: OperationContext, at?: TableRead): Promise<SnapshotLease | undefined> {
  try {
    return await context.leaseSnapshot(at && { version: at.version })
  } catch (error) {
    if (isDeltaError(error, 'DELTA_TABLE_NOT_FOUND')) return undefined
    throw error
  }
}

function validateSizes({ targetFileSize, maxRecordsPerFile }: WriteCommand): void {
  for (const [option, value] of Object.entries({ targetFileSize, maxRecordsPerFile })) {
    if (value === undefined || (Number.isSafeInteger(value) && value > 0)) continue
    throw deltaError('LAKE_INVALID_OPTION', { option, value, allowed: 'it is a whole number from 1 on' })
  }
}

function nothingWritten(skipped: WriteCommandResult['skipped']): WriteCommandResult {
  return {
    version: null,
    numFiles: 0,
    numOutputRows: 0,
    numOutputBytes: 0,
    numRemovedFiles: 0,
    ...(skipped && { skipped }),
  }
}

async function createByWrite(command: WriteCommand, context: OperationContext): Promise<WriteCommandResult> {
  const { store, engine } = context
  const needs = { known: undefined, growing: false, location: context.location, engine }
  const source = await prepareSource(command.source, needs)
  const spec = {
    schema: source.schema!,
    partitionColumns: command.partitionBy ?? [],
    configuration: command.properties ?? new Map(),
  }
  const transaction = beginCreate(store, engine, spec, {
    ...signed(context, transactionOptions(command)),
    clock: context.clock,
  })
  return await writeAndCommit({ transaction, source, command, context })
}

async function writeInto(
  snapshot: Snapshot,
  command: WriteCommand,
  context: OperationContext,
  isRead: boolean,
): Promise<WriteCommandResult> {
  if (isCommittedAlready(snapshot, command.transaction)) return nothingWritten('transaction already committed')
  const begun = beginChange(snapshot, context, transactionOptions(command))
  let transaction = isRead ? begun.readsTable() : begun
  const known = command.overwriteSchema ? undefined : snapshot.schema
  const growing = command.mergeSchema ?? false
  const { location, engine } = context
  const { assignment } = command
  const widens = property(snapshot.configuration, 'enableTypeWidening')
  const source = await prepareSource(command.source, { known, growing, widens, location, engine, assignment })
  const shape = targetShape(snapshot, source.schema, command)
  transaction = withShape(transaction, shape)
  return await writeAndCommit({ transaction, source, command, context, changed: shape !== undefined })
}

function sizesOf({ targetFileSize, maxRecordsPerFile }: WriteCommand) {
  return {
    ...(targetFileSize !== undefined && { targetFileSize }),
    ...(maxRecordsPerFile !== undefined && { maxRecordsPerFile }),
  }
}

function transactionOptions(command: WriteCommand): TransactionOptions {
  const { mode, partitionBy = [], userMetadata, mergeSchema, overwriteSchema } = command
  return {
    operation: 'WRITE',
    operationParameters: {
      mode: MODE_NAMES[mode],
      partitionBy: JSON.stringify(partitionBy),
      ...replaceParameters(command),
      ...(mergeSchema && { canMergeSchema: true }),
      ...(overwriteSchema && { canOverwriteSchema: true }),
    },
    ...(userMetadata !== undefined && { userMetadata }),
  }
}

function withShape(transaction: Transaction, shape: PlannedMetadata | undefined): Transaction {
  if (shape === undefined) return transaction
  const changed = transaction.setMetadata(shape.metadata)
  return shape.protocol === undefined ? changed : changed.setProtocol(shape.protocol)
}

interface WriteTask {
  readonly transaction: Transaction
  readonly source: PreparedSource
  readonly command: WriteCommand
  readonly context: OperationContext
  /** what the transaction takes out for the rows that come in */
  readonly replacement?: Replacement
  /** whether the table's schema or partitioning changes */
  readonly changed?: boolean
  /** commits lost so far to writers that changed the schema */
  readonly retries?: number
}

async function writeAndCommit(task: WriteTask): Promise<WriteCommandResult> {
  const { transaction, source, command, context } = task
  const more = replaceChecks(command, transaction, context)
  const result = await writeRuled(source, transaction, { context, layout: sizesOf(command), more })
  const { snapshot } = transaction.base
  if (snapshot === undefined) return await commitOrDelete(result, context, () => commitWritten(task, result))
  const pending = new PendingFiles(context)
  return await commitOrDelete(result, context, () =>
    pending.orDiscard(async () => {
      const { written } = result
      const replacement = await replaceRows({ command, snapshot, transaction, written, pending, context })
      const { plan } = replacement.transaction
      const isEmpty = written.files.length === 0 && plan.removes.length === 0
      if (isEmpty && !(command.overwriteSchema && task.changed)) return nothingWritten('no rows')
      return await commitWritten({ ...task, transaction: replacement.transaction, replacement }, result)
    }),
  )
}

/** Commits files, and deletes them where they are in no commit. */
async function commitOrDelete(
  { written }: RuledResult,
  context: OperationContext,
  commit: () => Promise<WriteCommandResult>,
): Promise<WriteCommandResult> {
  try {
    return await commit()
  } catch (error) {
    if (!isDeltaError(error, 'LAKE_COMMIT_UNKNOWN')) await deleteFiles(written, context)
    throw error
  }
}

function complete(
  transaction: Transaction,
  { written, numbers }: RuledResult,
  { replacement, command, context }: WriteTask,
): Transaction {
  const metrics = writeMetrics(written, replacement)
  const full = takeNumbers(transaction, numbers).addFiles(written.files.map(addFileOf)).setMetrics(metrics)
  return marked(full, command.transaction, context)
}

/** As the reference counts them: rows that stay where others are replaced are written too, and none are where no file is. */
function writeMetrics({ files, numRows }: WriteResult, replacement: Replacement | undefined): Record<string, number> {
  const { kept, metrics } = replacement ?? {}
  const own = { numFiles: files.length, numOutputRows: numRows, numOutputBytes: bytesOf(files) }
  if (kept === undefined) return { ...own, ...metrics }
  if (files.length + kept.length === 0) {
    const { numDeletedRows: _, ...few } = metrics ?? {}
    return { ...few, numFiles: 0, numOutputBytes: 0 }
  }
  const numCopiedRows = kept.reduce((sum, file) => sum + (liveRows(file) ?? 0), 0)
  return {
    ...metrics,
    numFiles: files.length + kept.length,
    numOutputRows: numRows + numCopiedRows,
    numOutputBytes: own.numOutputBytes + bytesOf(kept),
    numCopiedRows,
  }
}

/** Commits, then does the upkeep that is due. */
async function commitWritten(task: WriteTask, result: RuledResult): Promise<WriteCommandResult> {
  const { context, replacement } = task
  const { written } = result
  const transaction = complete(task.transaction, result, task)
  const outcome = await tryCommit(transaction, context)
  if (outcome.kind === 'conflict' && isDeltaError(outcome.error, ...RETRIED)) {
    return await commitBehindWinner(task, result, outcome.error)
  }
  return {
    version: requireCommitted(outcome),
    numFiles: written.files.length,
    numOutputRows: written.numRows,
    numOutputBytes: bytesOf(written.files),
    numRemovedFiles: replacement?.numRemovedFiles ?? 0,
  }
}

/** Conflicts after which the files written can still go into the table. */
const RETRIED = ['DELTA_METADATA_CHANGED', 'DELTA_CONCURRENT_TRANSACTION'] as const
const MAX_RETRIES = 20

/**
 * Two writers that add columns at once: the second finds the column or adds it again, and goes on. One that appends
 * rows with identity numbers which another took first writes them again with the next ones. A write that another
 * process has done under the same application and version is left out. Any other write that lost fails as in the
 * reference.
 */
async function commitBehindWinner(task: WriteTask, result: RuledResult, lost: DeltaError): Promise<WriteCommandResult> {
  const { command, context, transaction, retries = 0 } = task
  return await context.withSnapshot(undefined, async (snapshot) => {
    if (isCommittedAlready(snapshot, command.transaction)) {
      await deleteFiles(result.written, context)
      return nothingWritten('transaction already committed')
    }
    if (losesNumbersOnly(task, result, snapshot) && retries < MAX_RETRIES)
      return await commitRenumbered(task, result, snapshot)
    const maps = transaction.layout.columnMapping !== 'none' || snapshot.layout.columnMapping !== 'none'
    const addsColumns = command.mergeSchema && task.changed && command.mode === 'append' && !maps
    if (!addsColumns || retries >= MAX_RETRIES) throw lost
    const shape = targetShape(snapshot, transaction.schema, command)
    const again = withShape(beginChange(snapshot, context, transactionOptions(command)), shape)
    return await commitWritten({ ...task, transaction: again, changed: true, retries: retries + 1 }, result)
  })
}

/** Whether all that stands in the way of an append are identity numbers that another writer has taken. */
function losesNumbersOnly({ transaction, command, changed }: WriteTask, { numbers }: RuledResult, snapshot: Snapshot) {
  if (changed || command.mode !== 'append' || numbers.last.size === 0 || numbers.mixed) return false
  return differInMarksOnly(transaction.base.snapshot!.metadata, snapshot.metadata)
}

async function commitRenumbered(task: WriteTask, result: RuledResult, snapshot: Snapshot): Promise<WriteCommandResult> {
  const { context, command, retries = 0 } = task
  const transaction = beginChange(snapshot, context, transactionOptions(command))
  const again = await writeRenumbered(result, transaction, context, sizesOf(command))
  await deleteFiles(result.written, context)
  const next = { ...task, transaction, retries: retries + 1 }
  return await commitOrDelete(again, context, () => commitWritten(next, again))
}

/** Deletes files that are in no commit. */
export async function deleteFiles({ files }: WriteResult, { store, warn }: OperationContext): Promise<void> {
  for (const { key } of files) {
    await store.delete(key).catch(() => warn(`the file ${key}, which is in no commit, could not be deleted`))
  }
}
