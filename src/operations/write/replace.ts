/**
 * What an overwrite takes out of a table: everything, the rows of a predicate, or the partitions that are written.
 *
 * Source: `delta-protocol`, DML, write modes; the reference's `replaceWhere` and `partitionOverwriteMode`
 */
import type { RowCheck, WriteResult } from '../../engine/index.ts'
import { deltaError } from '../../errors/index.ts'
import { printExpression } from '../../expressions/index.ts'
import {
  type AddFile,
  parsePartitionValue,
  partitionKey,
  physicalName,
  planScan,
  type RuleColumn,
  type SkippingRule,
  type Snapshot,
  type TableLayout,
  type Transaction,
} from '../../kernel/index.ts'
import type { StructField } from '../../schema/index.ts'
import type { ExpressionInput, WriteCommand } from '../command.ts'
import type { OperationContext } from '../context.ts'
import { bytesOf } from '../dml/change-metrics.ts'
import { changedTable, changeFileOf, changePlan } from '../dml/changed-table.ts'
import { rowCondition } from '../dml/condition.ts'
import { deleteRows } from '../dml/delete.ts'
import { columnAt, textConstant } from '../dml/expressions.ts'
import { changeColumns } from '../dml/named-columns.ts'
import type { PendingFiles } from '../dml/pending-files.ts'
import { findTouched } from '../dml/touched-files.ts'
import { shownCheck } from '../rules/index.ts'
import { addFileOf } from './write-plan.ts'

export interface Replacement {
  readonly transaction: Transaction
  /** files that leave the table */
  readonly numRemovedFiles: number
  /** of the commit, besides those every write has */
  readonly metrics: Readonly<Record<string, number>>
  /** files that come back with the rows that stay */
  readonly kept?: readonly AddFile[]
}

export interface ReplaceTask {
  readonly command: WriteCommand
  readonly snapshot: Snapshot
  readonly transaction: Transaction
  /** the rows that come in */
  readonly written: WriteResult
  readonly pending: PendingFiles
  readonly context: OperationContext
}

/**
 * Takes out what a write replaces; a write that only adds takes out nothing.
 *
 * @throws DeltaError those of `rowCondition` and `deleteRows`
 */
export async function replaceRows(task: ReplaceTask): Promise<Replacement> {
  const { command, snapshot, transaction, context } = task
  if (command.mode !== 'overwrite') return { transaction, numRemovedFiles: 0, metrics: {} }
  if (command.replaceWhere !== undefined) return await replaceByPredicate(task, command.replaceWhere)
  if (isDynamic(command, snapshot)) return await replacePartitions(task)
  const files = await planScan(snapshot, undefined, signalOf(context))
  return removal(transaction.readsTable(), files)
}

/** Without partitions there is nothing to be dynamic about. */
export function isDynamic({ partitionOverwrite }: WriteCommand, { partitionColumns }: Snapshot): boolean {
  return partitionOverwrite === 'dynamic' && partitionColumns.length > 0
}

function signalOf({ options }: OperationContext): { signal?: AbortSignal } {
  return options.signal ? { signal: options.signal } : {}
}

function removal(transaction: Transaction, files: readonly AddFile[]): Replacement {
  return {
    transaction: transaction.removeFiles(files),
    numRemovedFiles: files.length,
    metrics: { numRemovedFiles: files.length, numRemovedBytes: bytesOf(files) },
  }
}

/** Refuses options that contradict each other. */
export function refuseContradictions({ mode, overwriteSchema, replaceWhere, partitionOverwrite }: WriteCommand): void {
  const dynamic = partitionOverwrite === 'dynamic'
  if (replaceWhere !== undefined && dynamic) throw deltaError('DELTA_REPLACE_WHERE_WITH_DYNAMIC_PARTITION_OVERWRITE')
  if (overwriteSchema && dynamic) throw deltaError('DELTA_OVERWRITE_SCHEMA_WITH_DYNAMIC_PARTITION_OVERWRITE')
  const partitions = dynamic ? partitionOverwrite : undefined
  const given = { overwriteSchema: overwriteSchema || undefined, replaceWhere, partitionOverwriteMode: partitions }
  const [option, value] = Object.entries(given).find(([, value]) => value !== undefined) ?? []
  if (option !== undefined && mode !== 'overwrite') {
    throw deltaError('LAKE_INVALID_OPTION', { option, value, allowed: 'it goes with the mode overwrite' })
  }
  if (overwriteSchema && replaceWhere !== undefined) {
    const allowed = 'a schema is replaced together with every row: leave replaceWhere out'
    throw deltaError('LAKE_INVALID_OPTION', { option: 'overwriteSchema', value: true, allowed })
  }
}

/** The texts in commitInfo that tell how a write replaces rows. */
export function replaceParameters({ replaceWhere, partitionOverwrite }: WriteCommand) {
  return {
    ...(replaceWhere !== undefined && { predicate: predicateText(replaceWhere) }),
    ...(partitionOverwrite === 'dynamic' && { isDynamicPartitionOverwrite: true }),
  }
}

function predicateText(predicate: ExpressionInput): string {
  return typeof predicate === 'string' ? predicate : printExpression(predicate)
}

/** Rows that replace those of a predicate must be of it themselves. */
export function replaceChecks(
  { replaceWhere }: WriteCommand,
  { layout }: Transaction,
  { clock }: OperationContext,
): readonly RowCheck[] {
  if (replaceWhere === undefined) return []
  const place = { layout, operation: 'WRITE', nowMs: clock.now() }
  const { filter } = rowCondition(replaceWhere, place)
  const predicate = predicateText(replaceWhere)
  return [shownCheck(filter, (values, row) => deltaError('DELTA_REPLACE_WHERE_MISMATCH', { predicate, values, row }))]
}

async function replaceByPredicate(task: ReplaceTask, predicate: ExpressionInput): Promise<Replacement> {
  const { snapshot, pending, context } = task
  const { layout } = snapshot
  const condition = rowCondition(predicate, { layout, operation: 'WRITE', nowMs: context.clock.now() })
  const table = changedTable(snapshot, context.location)
  const { files, transaction } = await findTouched({ snapshot, transaction: task.transaction, condition, context })
  const deleted = await deleteRows({ table, files, condition, transaction, pending, context })
  const { numRemovedFiles, numRemovedBytes, numDeletedRows = 0 } = deleted.metrics
  const kept = deleted.transaction.plan.adds
  const told = deleted.transaction.plan.cdc.length === 0 ? undefined : await tellOfNewRows(task, deleted.transaction)
  const { numAddedChangeFiles } = told === undefined ? deleted.metrics : { numAddedChangeFiles: told.plan.cdc.length }
  const metrics = { numRemovedFiles, numRemovedBytes, numDeletedRows, numAddedChangeFiles }
  return { transaction: told ?? deleted.transaction, numRemovedFiles, metrics, kept }
}

/** Where a commit has files for the change feed, readers look at nothing else: new rows must be in them too. */
async function tellOfNewRows(
  { written, pending, context }: ReplaceTask,
  transaction: Transaction,
): Promise<Transaction> {
  if (written.files.length === 0) return transaction
  const table = changedTable(transaction, context.location)
  const { layout } = table
  const plan = { store: context.store, layout, files: written.files.map(addFileOf), columns: [] }
  const values = layout.schema.fields.map((_, ordinal) => columnAt(layout, ordinal))
  const select = changeColumns(layout, values, textConstant('insert'))
  const { files } = await pending.write({ kind: 'scan', plan, select }, changePlan(table, context))
  return transaction.addChangeFiles(files.map(changeFileOf))
}

/** Partitions asked of the index by their values; of more of them all files are looked at. */
const MAX_NAMED_PARTITIONS = 200

async function replacePartitions({ snapshot, transaction, written, context }: ReplaceTask): Promise<Replacement> {
  const columns = partitionFields(snapshot.layout)
  const keyOf = ({ partitionValues }: Pick<AddFile, 'partitionValues'>) => partitionKey(partitionValues, columns)
  const partitions = new Map(written.files.map((file) => [keyOf(file), file]))
  if (partitions.size === 0) return { transaction, numRemovedFiles: 0, metrics: {} }
  const rules = Array.from(partitions.values(), (file) => partitionOf(file, columns))
  const rule: SkippingRule = { kind: 'or', rules }
  const files: AddFile[] = []
  const asked = partitions.size > MAX_NAMED_PARTITIONS ? undefined : rule
  for await (const page of snapshot.files.select(asked, signalOf(context))) {
    files.push(...page.filter((file) => partitions.has(keyOf(file))))
  }
  return removal(transaction.reads(rule, files), files)
}

interface PartitionField {
  readonly physicalName: string
  readonly type: StructField['type']
  readonly name: string
}

function partitionFields(layout: TableLayout): readonly PartitionField[] {
  return layout.partitionColumns.map((name) => {
    const field = layout.schema.fields.find((candidate) => candidate.name === name)!
    return { physicalName: physicalName(field, layout), type: field.type, name }
  })
}

/** A rule that keeps the files of a file's partition. */
function partitionOf({ partitionValues }: Pick<AddFile, 'partitionValues'>, columns: readonly PartitionField[]) {
  const rules = columns.map(({ physicalName: physical, type, name }): SkippingRule => {
    const column: RuleColumn = { path: [physical], name: [name], type, partition: true }
    const value = parsePartitionValue(partitionValues.get(physical), type, { column: name })
    if (value === null) return { kind: 'isNull', column }
    // NaN equals itself here, and -0.0 is not 0.0
    if (type.kind === 'float' || type.kind === 'double') return { kind: 'isNotNull', column }
    return { kind: 'compare', column, op: '=', value }
  })
  return { kind: 'and', rules } satisfies SkippingRule
}
