/** What DELETE and UPDATE have in common: find the rows, take them out or replace them, commit. */
import { movedRowsTags, type Snapshot, type Transaction, type TransactionOptions } from '../../kernel/index.ts'
import type { JsonObject } from '../../support/index.ts'
import type { ChangeResult, ChangeSettings } from '../change-command.ts'
import { beginChange, isCommittedAlready, marked } from '../commit.ts'
import type { OperationContext } from '../context.ts'
import { type ChangeMetrics, NO_CHANGE, StepTimes } from './change-metrics.ts'
import { type ChangedTable, changedTable } from './changed-table.ts'
import type { RowCondition } from './condition.ts'
import { PendingFiles } from './pending-files.ts'
import { findTouched, type TouchedFile } from './touched-files.ts'

export interface RowChange {
  readonly operation: 'DELETE' | 'TRUNCATE' | 'UPDATE'
  /** JSON, as commitInfo has it */
  readonly predicate: string
  /** absent: every row is meant */
  readonly condition: RowCondition | undefined
  readonly settings: ChangeSettings
  readonly context: OperationContext
}

/** The rows of a change, and what it is to be carried out with. */
export interface FoundChange {
  readonly table: ChangedTable
  /** at least one */
  readonly files: readonly TouchedFile[]
  readonly condition: RowCondition | undefined
  /** has said what it read */
  readonly transaction: Transaction
  readonly pending: PendingFiles
  readonly context: OperationContext
}

export interface DoneChange {
  readonly transaction: Transaction
  readonly metrics: ChangeMetrics
}

/**
 * Carries out a change; without a row to change it makes no version.
 *
 * @param perform plans the files of the change, writing those it needs
 * @throws DeltaError `DELTA_CANNOT_MODIFY_APPEND_ONLY`, codes of `Engine.findRows`, what `perform` throws, conflict codes
 */
export async function changeRows(
  snapshot: Snapshot,
  { operation, predicate, condition, settings, context }: RowChange,
  perform: (found: FoundChange) => Promise<DoneChange>,
): Promise<ChangeResult> {
  const counted = operation === 'UPDATE' ? 'numUpdatedRows' : 'numDeletedRows'
  const nothing = { version: null, numAffectedRows: 0, metrics: { ...NO_CHANGE, [counted]: 0 } }
  if (isCommittedAlready(snapshot, settings.transaction))
    return { ...nothing, skipped: 'transaction already committed' }
  const begun = beginChange(snapshot, context, {
    operation,
    operationParameters: operation === 'TRUNCATE' ? {} : { predicate },
    ...tagsOf(movedRowsTags(snapshot.layout)),
    ...committedAs(settings),
  })
  const times = new StepTimes()
  const table = changedTable(snapshot, context.location)
  const { files, transaction } = await findTouched({ snapshot, transaction: begun, condition, context })
  times.scanned()
  if (files.length === 0) return nothing
  const pending = new PendingFiles(context)
  return await pending.orDiscard(async () => {
    const found = { table, files, condition, transaction: transaction.restsOnRemovedRows(), pending, context }
    const done = await perform(found)
    const metrics = { ...done.metrics, ...times.read() }
    const { numRemovedFiles } = metrics
    const told = operation === 'TRUNCATE' ? { numRemovedFiles } : { ...metrics }
    const version = await pending.commit(marked(done.transaction, settings.transaction, context).setMetrics(told))
    return { version, numAffectedRows: metrics[counted] ?? 0, metrics }
  })
}

function tagsOf(tags: JsonObject | undefined): { tags?: JsonObject } {
  return tags === undefined ? {} : { tags }
}

/** The settings of a change as options of its transaction. */
export function committedAs({
  userMetadata,
  rowLevelConcurrency,
}: ChangeSettings): Pick<TransactionOptions, 'userMetadata' | 'rowLevelConcurrency'> {
  return {
    ...(userMetadata !== undefined && { userMetadata }),
    ...(rowLevelConcurrency !== undefined && { rowLevelConcurrency }),
  }
}
