/**
 * DELETE: rows for which a condition is TRUE leave the table.
 *
 * Files of which no row stays are removed, whatever the table's properties. Of the others rows are marked as deleted
 * where the table has deletion vectors enabled, else their other rows are written anew. Source: Delta protocol, "Deletion
 * Vectors", "Change Data Files"; the reference's DELETE.
 */
import type { WriteResult } from '../../engine/index.ts'
import type { AddFile, Snapshot } from '../../kernel/index.ts'
import type { ChangeResult, DeleteCommand } from '../command.ts'
import type { OperationContext } from '../context.ts'
import { addFileOf } from '../write/write-plan.ts'
import { bytesOf, NO_CHANGE } from './change-metrics.ts'
import { changeRows, type DoneChange, type FoundChange } from './change-rows.ts'
import { changeFileOf, changePlan, dataPlan, scanOf } from './changed-table.ts'
import { type RowCondition, rowCondition } from './condition.ts'
import { columnAt, isNotTrue, textConstant } from './expressions.ts'
import { markDeleted } from './mark-deleted.ts'
import { changeColumns, namedColumns } from './named-columns.ts'
import { isWhole, type TouchedFile } from './touched-files.ts'

/**
 * @throws DeltaError `DELTA_CANNOT_MODIFY_APPEND_ONLY`, `DELTA_TABLE_NOT_FOUND`, those of `rowCondition` and
 * `Engine.findRows`, conflict codes, a `LAKE_STORAGE_…` code
 */
export async function executeDelete(command: DeleteCommand, context: OperationContext): Promise<ChangeResult> {
  return await context.withSnapshot(undefined, (snapshot) => deleteFrom(snapshot, command, context))
}

async function deleteFrom(
  snapshot: Snapshot,
  { where, truncates = false, ...settings }: DeleteCommand,
  context: OperationContext,
): Promise<ChangeResult> {
  const place = { layout: snapshot.layout, operation: 'DELETE', nowMs: context.clock.now() }
  const condition = where === undefined ? undefined : rowCondition(where, place)
  const predicate = JSON.stringify([condition?.text ?? 'true'])
  const operation = truncates ? 'TRUNCATE' : 'DELETE'
  return await changeRows(snapshot, { operation, predicate, condition, settings, context }, deleteRows)
}

/** Takes rows out of files, in whichever way the table does it, as part of a transaction. */
export async function deleteRows(deletion: FoundChange): Promise<DoneChange> {
  const { metrics, transaction } = await (deletion.table.marksRows ? markRows(deletion) : rewriteFiles(deletion))
  const numDeletedRows = deletion.files.reduce((sum, { numRows }) => sum + numRows, 0)
  return { transaction, metrics: { ...metrics, numDeletedRows } }
}

/** The difference of two vectors tells readers of the change feed what went: nothing else is written. */
async function markRows({ table, files, condition, transaction, pending, context }: FoundChange): Promise<DoneChange> {
  const { configuration } = table
  const { adds, removes, ...vectors } = await markDeleted(files, { pending, context, configuration })
  const whole = files.filter(isWhole).map(({ file }) => file)
  const metrics = {
    ...NO_CHANGE,
    ...vectors,
    numRemovedFiles: whole.length,
    // what is counted by vectors has no bytes of its own in the reference
    numRemovedBytes: fromLogAlone(condition) ? bytesOf(whole) : 0,
  }
  return { transaction: transaction.removeFiles(removes).addFiles(adds), metrics }
}

function fromLogAlone(condition: RowCondition | undefined): boolean {
  return condition === undefined || condition.onPartitions
}

async function rewriteFiles(deletion: FoundChange): Promise<DoneChange> {
  const { files, transaction } = deletion
  const removed = files.map(({ file }) => file)
  const partial = files.filter((touched) => !isWhole(touched))
  const kept = await writeKept(deletion, filesOf(partial))
  const changes = partial.length === 0 ? undefined : await writeDeleted(deletion, removed)
  const changed = transaction
    .removeFiles(removed)
    .addFiles(kept?.files.map(addFileOf) ?? [])
    .addChangeFiles(changes?.files.map(changeFileOf) ?? [])
  const metrics = {
    ...NO_CHANGE,
    numRemovedFiles: removed.length,
    numRemovedBytes: bytesOf(removed),
    numAddedFiles: kept?.files.length ?? 0,
    numAddedBytes: bytesOf(kept?.files ?? []),
    numAddedChangeFiles: changes?.files.length ?? 0,
    numCopiedRows: kept?.numRows ?? 0,
    numDeletionVectorsRemoved: removed.filter(({ deletionVector }) => deletionVector !== undefined).length,
  }
  return { transaction: changed, metrics }
}

function filesOf(touched: readonly TouchedFile[]): readonly AddFile[] {
  return touched.map(({ file }) => file)
}

/** The rows that stay, with the ids they have. */
async function writeKept(deletion: FoundChange, files: readonly AddFile[]): Promise<WriteResult | undefined> {
  const { table, condition, transaction, pending, context } = deletion
  if (files.length === 0 || condition === undefined) return undefined
  const { read } = table
  const plan = { ...scanOf(table, files, context), filter: isNotTrue(condition.filter) }
  const select = namedColumns(
    read,
    read.schema.fields.map((_, ordinal) => columnAt(read, ordinal)),
  )
  return await pending.write({ kind: 'scan', plan, select }, dataPlan(table, transaction, context))
}

/** The rows that go, for readers of the change feed. */
async function writeDeleted(deletion: FoundChange, files: readonly AddFile[]): Promise<WriteResult | undefined> {
  const { table, condition, pending, context } = deletion
  if (!table.feedsChanges || condition === undefined) return undefined
  const plan = { ...scanOf(table, files, context), filter: condition.filter }
  const values = table.layout.schema.fields.map((_, ordinal) => columnAt(table.layout, ordinal))
  const select = changeColumns(table.layout, values, textConstant('delete'))
  return await pending.write({ kind: 'scan', plan, select }, changePlan(table, context))
}
