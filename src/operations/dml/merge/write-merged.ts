/** The files of a MERGE: new rows, what stays of rewritten files, deletion vectors, and files that tell of changes. */
import type { JoinedRows, NumberedColumn, RowDraw, WritePlan, WriteResult } from '../../../engine/index.ts'
import type { BoundExpression } from '../../../expressions/index.ts'
import type { AddFile, Transaction } from '../../../kernel/index.ts'
import { longType } from '../../../schema/index.ts'
import type { OperationContext } from '../../context.ts'
import { liveRows } from '../../read/live-rows.ts'
import { nextNumber, numbersOfPlan, type RowRules, takeNumbers } from '../../rules/index.ts'
import { addFileOf } from '../../write/write-plan.ts'
import { namedOverflow } from '../assignments.ts'
import { bytesOf } from '../change-metrics.ts'
import { type ChangedTable, changeFileOf, changePlan, dataPlan, scanOf } from '../changed-table.ts'
import { columnAt, textConstant } from '../expressions.ts'
import { markDeleted } from '../mark-deleted.ts'
import { changeColumns } from '../named-columns.ts'
import type { PendingFiles } from '../pending-files.ts'
import { isWhole, type TouchedFile } from '../touched-files.ts'
import type { BoundClause } from './bind-clauses.ts'
import type { BoundMerge } from './bind-merge.ts'
import type { MergeMetrics } from './merge-metrics.ts'

export interface Merging {
  readonly merge: BoundMerge
  readonly table: ChangedTable
  readonly rules: RowRules
  readonly joined: JoinedRows
  readonly transaction: Transaction
  readonly pending: PendingFiles
  readonly context: OperationContext
}

export interface MergedFiles {
  readonly transaction: Transaction
  readonly metrics: Pick<
    MergeMetrics,
    | 'numOutputRows'
    | 'numTargetBytesAdded'
    | 'numTargetBytesRemoved'
    | 'numTargetChangeFilesAdded'
    | 'numTargetDeletionVectorsAdded'
    | 'numTargetDeletionVectorsRemoved'
    | 'numTargetDeletionVectorsUpdated'
    | 'numTargetFilesAdded'
    | 'numTargetFilesRemoved'
  >
}

/**
 * Writes what the clauses make of the rows they apply to; the transaction names all of it.
 *
 * @throws DeltaError those of `JoinedRows.write` and of the rules that a row breaks, a `LAKE_STORAGE_…` code
 */
export async function writeMerged(merging: Merging): Promise<MergedFiles> {
  const { table, pending, context, transaction } = merging
  const touched = await touchedFiles(merging)
  const { configuration } = table
  const marked = table.marksRows ? await markDeleted(touched, { pending, context, configuration }) : undefined
  const removed = (marked === undefined ? touched : touched.filter(isWhole)).map(({ file }) => file)
  const data = await writeData(merging, marked === undefined ? touched : [])
  const changes = await writeChanges(merging, data)
  const files = data.written.flatMap((result) => result.files)
  const changeFiles = changes.flatMap((result) => result.files)
  const changed = takeNumbers(transaction, numbersOfPlan(data.plan, data.numNumbered))
    .removeFiles(marked?.removes ?? removed)
    .addFiles([...(marked?.adds ?? []), ...files.map(addFileOf)])
    .addChangeFiles(changeFiles.map(changeFileOf))
  const metrics = {
    numOutputRows: data.written.reduce((sum, { numRows }) => sum + numRows, 0),
    numTargetBytesAdded: bytesOf(files),
    numTargetBytesRemoved: bytesOf(removed),
    numTargetChangeFilesAdded: changeFiles.length,
    numTargetDeletionVectorsAdded: marked?.numDeletionVectorsAdded ?? 0,
    numTargetDeletionVectorsRemoved:
      marked?.numDeletionVectorsRemoved ?? removed.filter(({ deletionVector }) => deletionVector !== undefined).length,
    numTargetDeletionVectorsUpdated: marked?.numDeletionVectorsUpdated ?? 0,
    numTargetFilesAdded: files.length,
    numTargetFilesRemoved: removed.length,
  }
  return { transaction: changed, metrics }
}

/** The names that overflows of assigned values have. */
export async function namedMergeOverflow<T>({ clauses }: BoundMerge, work: () => Promise<T>): Promise<T> {
  const values = new Map(clauses.flatMap(({ assigned }) => [...assigned]))
  return await namedOverflow({ values }, work)
}

async function touchedFiles({ joined, table, context }: Merging): Promise<readonly TouchedFile[]> {
  const { engine, store, options } = context
  const touched: TouchedFile[] = []
  for (const { file, rows } of joined.touched) {
    const counted = { store, layout: table.layout, files: [file], columns: [] }
    const numLive = liveRows(file) ?? (await engine.count(counted, options))
    touched.push({ file, rows: rows.size === numLive ? undefined : rows, numRows: rows.size, numLive })
  }
  return touched
}

interface WrittenData {
  readonly written: readonly WriteResult[]
  /** of the files with new rows */
  readonly plan: WritePlan
  /** the files with new rows, where readers are told of those by reading them; for they have been given numbers */
  readonly numbered: WriteResult | undefined
  /** rows over which numbers were counted */
  readonly numNumbered: number
}

/** @param rewritten files that are removed and whose other rows are written anew */
async function writeData(merging: Merging, rewritten: readonly TouchedFile[]): Promise<WrittenData> {
  const { merge, table, rules, transaction, context } = merging
  const plan = { ...dataPlan(table, transaction, context), checks: merge.checks }
  const partial = rewritten.filter((file) => !isWhole(file)).map(({ file }) => file)
  const old = [...untouchedDraws(table, partial), ...newRowDraws(merging, 'update')]
  const inserts = newRowDraws(merging, 'insert')
  if (inserts.length === 0 || rules.identities.length === 0) {
    return { written: await draw(merging, [...old, ...inserts], plan), plan, numbered: undefined, numNumbered: 0 }
  }
  const numbering = { ...plan, numbered: rules.identities.map(numberedColumn) }
  const written = await draw(merging, old, plan)
  const [numbered] = await draw(merging, inserts, numbering)
  return { written: [...written, numbered!], plan: numbering, numbered, numNumbered: numbered!.numRows }
}

function numberedColumn(column: RowRules['identities'][number]): NumberedColumn {
  return { ordinal: column.ordinal, start: nextNumber(column), step: column.step }
}

async function draw(
  { joined, pending, context }: Merging,
  draws: readonly RowDraw[],
  plan: WritePlan,
): Promise<readonly WriteResult[]> {
  return draws.length === 0 ? [] : [pending.keep(await joined.write(draws, plan, context.options))]
}

function untouchedDraws({ read }: ChangedTable, files: readonly AddFile[]): RowDraw[] {
  if (files.length === 0) return []
  return [{ kind: 'untouched', files, columns: read.schema.fields.map((_, ordinal) => columnAt(read, ordinal)) }]
}

/** The new rows of the clauses of a kind that apply to any; a row that is updated keeps its id. */
function newRowDraws(merging: Merging, action: 'update' | 'insert'): RowDraw[] {
  const { table } = merging
  const ids = table.moved === undefined ? [] : [action === 'update' ? columnAt(table.read, table.moved.rowId) : UNKNOWN]
  const versions = table.moved === undefined ? [] : [UNKNOWN]
  return applied(merging, action).map(({ id, row }) => ({
    kind: 'acted',
    action: id,
    columns: [...row!, ...ids, ...versions],
  }))
}

/** NULL: the id or the version that the commit gives. */
const UNKNOWN: BoundExpression = { kind: 'literal', value: null, type: longType }

function applied({ merge, joined }: Merging, action: BoundClause['action']): readonly BoundClause[] {
  return merge.clauses.filter((clause) => clause.action === action && (joined.counts.get(clause.id) ?? 0) > 0)
}

/** Rows before and after, for readers of the change feed; where rows only come, the files that hold them say so. */
async function writeChanges(merging: Merging, { numbered }: WrittenData): Promise<readonly WriteResult[]> {
  const { table, pending, context } = merging
  const [updates, deletes] = [applied(merging, 'update'), applied(merging, 'delete')]
  if (!table.feedsChanges || updates.length + deletes.length === 0) return []
  const { layout } = table
  const old = layout.schema.fields.map((_, ordinal) => columnAt(layout, ordinal))
  const told = (kind: string, { id, row }: Pick<BoundClause, 'id' | 'row'>): RowDraw => {
    return { kind: 'acted', action: id, columns: [...(row ?? old), textConstant(kind)] }
  }
  const inserts = numbered === undefined ? applied(merging, 'insert').map((clause) => told('insert', clause)) : []
  const draws = [
    ...updates.map(({ id }) => told('update_preimage', { id, row: undefined })),
    ...updates.map((clause) => told('update_postimage', clause)),
    ...deletes.map((clause) => told('delete', clause)),
    ...inserts,
  ]
  const plan = changePlan(table, context)
  const written = await draw(merging, draws, plan)
  if (numbered === undefined) return written
  const scan = scanOf(table, numbered.files.map(addFileOf), context)
  const select = changeColumns(layout, old, textConstant('insert'))
  return [...written, await pending.write({ kind: 'scan', plan: scan, select }, plan)]
}
