/**
 * UPDATE: columns of the rows for which a condition is TRUE get new values.
 *
 * Where the table has deletion vectors enabled the old rows are marked as deleted and the new ones go into files of their
 * own, else the files touched are written anew. Source: the reference's UPDATE.
 */
import type { NamedExpression, WriteResult } from '../../engine/index.ts'
import type { BoundExpression } from '../../expressions/index.ts'
import type { AddFile, Snapshot } from '../../kernel/index.ts'
import { longType } from '../../schema/index.ts'
import type { ChangeResult, UpdateCommand } from '../command.ts'
import type { OperationContext } from '../context.ts'
import { rowRules } from '../rules/index.ts'
import { addFileOf } from '../write/write-plan.ts'
import { bindSetList, namedOverflow } from './assignments.ts'
import { bytesOf, NO_CHANGE } from './change-metrics.ts'
import { changeRows, type DoneChange, type FoundChange } from './change-rows.ts'
import { changeFileOf, changePlan, dataPlan, scanOf } from './changed-table.ts'
import { rowCondition } from './condition.ts'
import { choose, columnAt, textConstant } from './expressions.ts'
import { markDeleted } from './mark-deleted.ts'
import { changeColumns, namedColumns } from './named-columns.ts'
import { type NewRow, newRow } from './new-row.ts'

/**
 * @throws DeltaError `DELTA_CANNOT_MODIFY_APPEND_ONLY`, `DELTA_TABLE_NOT_FOUND`, those of `rowCondition`,
 * `bindAssignments` and `Engine.write`, conflict codes, a `LAKE_STORAGE_…` code
 */
export async function executeUpdate(command: UpdateCommand, context: OperationContext): Promise<ChangeResult> {
  return await context.withSnapshot(undefined, (snapshot) => updateTable(snapshot, command, context))
}

async function updateTable(
  snapshot: Snapshot,
  { where, set, ...settings }: UpdateCommand,
  context: OperationContext,
): Promise<ChangeResult> {
  const { layout } = snapshot
  const nowMs = context.clock.now()
  const condition = where === undefined ? undefined : rowCondition(where, { layout, operation: 'UPDATE', nowMs })
  const rules = rowRules(snapshot, nowMs)
  const setList = bindSetList(set, { rules, scopes: [{ schema: layout.schema }], nowMs })
  const predicate = JSON.stringify(condition === undefined ? [] : [condition.text])
  const row = newRow(rules, setList.values)
  const change = { operation: 'UPDATE', predicate, condition, settings, context } as const
  return await namedOverflow(setList, () => changeRows(snapshot, change, (found) => updateRows({ ...found, row })))
}

interface RowUpdate extends FoundChange {
  readonly row: NewRow
}

async function updateRows(update: RowUpdate): Promise<DoneChange> {
  const { table, files, transaction, pending, context } = update
  const { configuration } = table
  const removed = filesOf(update)
  const numUpdatedRows = files.reduce((sum, { numRows }) => sum + numRows, 0)
  const vectored = table.marksRows ? await markDeleted(files, { pending, context, configuration }) : undefined
  const written = await (vectored === undefined ? rewriteFiles(update) : writeUpdated(update))
  const changes = table.feedsChanges ? await writeChanges(update) : []
  const { adds = [], removes: _, ...vectors } = vectored ?? { removes: [] }
  const changed = transaction
    .removeFiles(removed)
    .addFiles([...adds, ...written.files.map(addFileOf)])
    .addChangeFiles(changes.flatMap((result) => result.files.map(changeFileOf)))
  const metrics = {
    ...NO_CHANGE,
    ...vectors,
    numRemovedFiles: removed.length,
    numRemovedBytes: vectored === undefined ? bytesOf(removed) : 0,
    numAddedFiles: written.files.length,
    numAddedBytes: bytesOf(written.files),
    numAddedChangeFiles: changes.reduce((sum, result) => sum + result.files.length, 0),
    numCopiedRows: written.numRows - numUpdatedRows,
    numUpdatedRows,
  }
  return { transaction: changed, metrics }
}

/** All rows of the files touched, those that are meant with their new values. */
async function rewriteFiles(update: RowUpdate): Promise<WriteResult> {
  const { condition } = update
  const choice = (value: BoundExpression, old: BoundExpression) =>
    condition === undefined ? value : choose(condition.filter, value, old)
  return await writeRows(update, choice, undefined)
}

/** The rows that are meant, with their new values. */
async function writeUpdated(update: RowUpdate): Promise<WriteResult> {
  return await writeRows(update, (value) => value, update.condition?.filter)
}

/** @param choice of the new value of a column and its old one */
async function writeRows(
  update: RowUpdate,
  choice: (value: BoundExpression, old: BoundExpression) => BoundExpression,
  filter: BoundExpression | undefined,
): Promise<WriteResult> {
  const { table, row, transaction, pending, context } = update
  const { layout, read, moved } = table
  const values = layout.schema.fields.map((_, ordinal) => {
    const old = columnAt(layout, ordinal)
    return row.changed.has(ordinal) ? choice(row.values[ordinal]!, old) : old
  })
  if (moved !== undefined) {
    // a row keeps its id; one that changes gets the version of this commit, which null stands for
    values[moved.rowId] = columnAt(read, moved.rowId)
    values[moved.rowCommitVersion] = choice(UNKNOWN_VERSION, columnAt(read, moved.rowCommitVersion))
  }
  const plan = { ...scanOf(table, filesOf(update), context), ...(filter && { filter }) }
  const source = { kind: 'scan', plan, select: namedColumns(table.write, values) } as const
  return await pending.write(source, { ...dataPlan(table, transaction, context), checks: row.checks })
}

const UNKNOWN_VERSION: BoundExpression = { kind: 'literal', value: null, type: longType }

function filesOf({ files }: RowUpdate): readonly AddFile[] {
  return files.map(({ file }) => file)
}

/** The rows before and after, for readers of the change feed. */
async function writeChanges(update: RowUpdate): Promise<readonly WriteResult[]> {
  const { table, row } = update
  const { layout } = table
  const old = layout.schema.fields.map((_, ordinal) => columnAt(layout, ordinal))
  return [
    await writeImages(update, changeColumns(layout, old, textConstant('update_preimage'))),
    await writeImages(update, changeColumns(layout, row.values, textConstant('update_postimage'))),
  ]
}

async function writeImages(update: RowUpdate, select: readonly NamedExpression[]): Promise<WriteResult> {
  const { table, condition, pending, context } = update
  const plan = scanOf(table, filesOf(update), context)
  const filtered = condition === undefined ? plan : { ...plan, filter: condition.filter }
  return await pending.write({ kind: 'scan', plan: filtered, select }, changePlan(table, context))
}
