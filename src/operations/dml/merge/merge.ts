/**
 * MERGE: rows of a source are matched with those of the table, and clauses say what becomes of each.
 *
 * The semantics are settled here, as expressions over the joint row of table and source; the engine takes in the source,
 * finds the clause that applies to each row, and draws the rows that are written. Source: the reference's MERGE.
 */
import type { StagedRows } from '../../../engine/index.ts'
import { printExpression } from '../../../expressions/index.ts'
import {
  type AddFile,
  movedRowsTags,
  planMetadataChange,
  planScan,
  property,
  type Snapshot,
  skippingRule,
  type Transaction,
} from '../../../kernel/index.ts'
import type { JsonObject } from '../../../support/index.ts'
import type { MergeClause, MergeCommand, MergeResult } from '../../command.ts'
import { beginChange, isCommittedAlready, marked } from '../../commit.ts'
import type { OperationContext } from '../../context.ts'
import { rowRules } from '../../rules/index.ts'
import { committedAs } from '../change-rows.ts'
import { type ChangedTable, changedTable } from '../changed-table.ts'
import { PendingFiles } from '../pending-files.ts'
import { bindMerge } from './bind-merge.ts'
import { checkClauses } from './check-clauses.ts'
import { chooseFiles, type FileChoice } from './choose-files.ts'
import { evolvedSchema } from './evolve-schema.ts'
import { MergeTimes, resultOf } from './merge-result.ts'
import { openSource } from './open-source.ts'
import { type ParsedMerge, parseMerge } from './parse-merge.ts'
import { joinPlan } from './plan-join.ts'
import { refuseRepeated } from './refuse-repeated.ts'
import { namedMergeOverflow, writeMerged } from './write-merged.ts'

/**
 * @throws DeltaError `DELTA_MERGE_MISSING_WHEN`, `DELTA_NON_LAST_…_CLAUSE_OMIT_CONDITION`, those of `bindMerge`,
 * `DELTA_MULTIPLE_SOURCE_ROW_MATCHING_TARGET_ROW_IN_MERGE`, those of `openSource` and `Engine.write`,
 * `DELTA_CANNOT_MODIFY_APPEND_ONLY`, conflict codes, a `LAKE_STORAGE_…` code
 */
export async function executeMerge(command: MergeCommand, context: OperationContext): Promise<MergeResult> {
  checkClauses(command.clauses)
  return await context.withSnapshot(undefined, (snapshot) => mergeInto(snapshot, command, context))
}

async function mergeInto(snapshot: Snapshot, command: MergeCommand, context: OperationContext): Promise<MergeResult> {
  const times = new MergeTimes()
  if (isCommittedAlready(snapshot, command.transaction)) {
    const nothing = resultOf({ clauses: [], joined: { counts: new Map() }, numSourceRows: 0, times }, undefined, null)
    return { ...nothing, skipped: 'transaction already committed' }
  }
  const parsed = parseMerge(command, context.clock.now())
  const transaction = beginMerge(snapshot, command, parsed, context)
  const opened = await openSource(command.source, snapshot.schema, context)
  const staged = await context.engine.stage(opened.source, context.options).finally(() => opened.release())
  times.staged()
  try {
    return await mergeStaged({ snapshot, transaction, staged, command, parsed, context, times })
  } finally {
    await staged.close()
  }
}

function beginMerge(
  snapshot: Snapshot,
  settings: MergeCommand,
  parsed: ParsedMerge,
  context: OperationContext,
): Transaction {
  const tags = movedRowsTags(snapshot.layout)
  return beginChange(snapshot, context, {
    operation: 'MERGE',
    operationParameters: parametersOf(parsed),
    ...(tags && { tags }),
    ...committedAs(settings),
  })
}

function parametersOf({ on, clauses }: ParsedMerge): JsonObject {
  const predicates = (when: MergeClause['when']) =>
    JSON.stringify(
      clauses
        .filter((clause) => clause.when === when)
        .map(({ condition, action }) => ({
          ...(condition !== undefined && { predicate: printExpression(condition) }),
          actionType: action,
        })),
    )
  return {
    predicate: JSON.stringify([printExpression(on)]),
    matchedPredicates: predicates('matched'),
    notMatchedPredicates: predicates('notMatched'),
    notMatchedBySourcePredicates: predicates('notMatchedBySource'),
  }
}

interface StagedMerge {
  readonly snapshot: Snapshot
  readonly transaction: Transaction
  readonly staged: StagedRows
  readonly command: MergeCommand
  readonly parsed: ParsedMerge
  readonly context: OperationContext
  readonly times: MergeTimes
}

async function mergeStaged({
  snapshot,
  staged,
  command,
  parsed,
  context,
  times,
  ...begun
}: StagedMerge): Promise<MergeResult> {
  const { options } = context
  const grown = withEvolution(begun.transaction, staged, command)
  const onlyAdds = command.clauses.every(({ action }) => action === 'insert')
  const table = changedTable(grown, context.location, { onlyAdds })
  const rules = rowRules(grown, context.clock.now())
  const merge = bindMerge(command, parsed, { table, rules, source: staged.schema })
  const choice = await chooseFiles(staged, merge, options)
  for (const key of choice.nullKeys) context.warn(nullKeyHint(key, context.location))
  const { signal } = options
  const files = await planScan(snapshot, choice.opens, signal && { signal })
  const joined = await staged.join(joinPlan(merge, table, placeOf(context, files, choice)), options)
  times.scanned()
  refuseRepeated(joined.repeated, merge)
  const read = readBy(grown, choice, { table, files })
  const transaction = restsOnChangedRows(command) ? read.restsOnRemovedRows() : read
  const found = { clauses: merge.clauses, joined, numSourceRows: staged.numRows, times }
  if (joined.counts.size === 0 && grown === begun.transaction) return resultOf(found, undefined, null)
  const pending = new PendingFiles(context)
  return await namedMergeOverflow(merge, () =>
    pending.orDiscard(async () => {
      const written = await writeMerged({ merge, table, rules, joined, transaction, pending, context })
      const { metrics } = resultOf(found, written, null)
      const version = await pending.commit(
        marked(written.transaction, command.transaction, context).setMetrics({ ...metrics }),
      )
      return resultOf(found, written, version)
    }),
  )
}

/**
 * Whether a row of the table that stays as it is has no say in what becomes of others: a row that matches and meets no
 * clause still keeps its source row from being inserted, and a source of another table's rows may be of this one's.
 */
function restsOnChangedRows({ clauses, source }: MergeCommand): boolean {
  if (source.kind === 'table' || source.kind === 'query') return false
  const inserts = clauses.some(({ when }) => when === 'notMatched')
  return !inserts || clauses.some(({ when, condition }) => when === 'matched' && condition === undefined)
}

function placeOf({ store }: OperationContext, files: readonly AddFile[], { within }: FileChoice) {
  return { store, files, ...(within && { within }) }
}

function nullKeyHint(key: string, location: string): string {
  return `${location}: rows of the source of a MERGE have null for ${key}, which = never matches; <=> does`
}

/** The transaction with the columns that the source brings. */
function withEvolution(
  transaction: Transaction,
  { schema: source }: StagedRows,
  { withSchemaEvolution, clauses }: MergeCommand,
): Transaction {
  const snapshot = transaction.base.snapshot!
  if (!withSchemaEvolution) return transaction
  const widens = property(snapshot.configuration, 'enableTypeWidening')
  const schema = evolvedSchema(snapshot.schema, source, clauses, { widens })
  if (schema === snapshot.schema) return transaction
  const { metadata, protocol } = planMetadataChange(snapshot, { schema }, snapshot.store.location)
  const changed = transaction.setMetadata(metadata)
  return protocol === undefined ? changed : changed.setProtocol(protocol)
}

/** What the change rests on, for conflicts: the part of the condition about the table alone, as in the reference. */
function readBy(
  transaction: Transaction,
  { rests }: FileChoice,
  { table, files }: { readonly table: ChangedTable; readonly files: Awaited<ReturnType<typeof planScan>> },
): Transaction {
  if (rests === 'table') return transaction.readsTable()
  const everything = { kind: 'keep', reason: 'rows of any file may match' } as const
  return transaction.reads(rests === undefined ? everything : skippingRule(rests, table.layout), files)
}
