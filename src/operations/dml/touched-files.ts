/** The files a condition touches: chosen by the log first, then by looking for rows in what is left. */
import {
  type AddFile,
  planScan,
  type RowSet,
  type Snapshot,
  skippingRule,
  type Transaction,
} from '../../kernel/index.ts'
import type { OperationContext } from '../context.ts'
import { liveRows } from '../read/live-rows.ts'
import { filesOfPartitions, type RowCondition } from './condition.ts'

export interface TouchedFile {
  readonly file: AddFile
  /** positions of the rows meant; undefined: all that live */
  readonly rows: RowSet | undefined
  /** how many those are */
  readonly numRows: number
  /** how many rows of the file live */
  readonly numLive: number
}

export interface TouchedFiles {
  readonly files: readonly TouchedFile[]
  /** the transaction, which has said what it read */
  readonly transaction: Transaction
}

export interface FileSearch {
  readonly snapshot: Snapshot
  readonly transaction: Transaction
  /** absent: every row is meant */
  readonly condition: RowCondition | undefined
  readonly context: OperationContext
}

/**
 * The live files that have rows for which the condition is TRUE.
 *
 * @throws DeltaError the codes of `Engine.findRows`
 */
export async function findTouched(search: FileSearch): Promise<TouchedFiles> {
  const { snapshot, transaction, condition, context } = search
  const { signal } = context.options
  const candidates = await planScan(snapshot, condition?.filter, signal && { signal })
  if (condition === undefined) {
    return { files: await wholeFiles(candidates, search), transaction: transaction.readsTable() }
  }
  const { layout } = snapshot
  const read = transaction.reads(skippingRule(condition.filter, layout), candidates)
  const files = condition.onPartitions
    ? await wholeFiles(filesOfPartitions(candidates, condition, layout), search)
    : await filesWithRows(candidates, condition, search)
  return { files, transaction: read }
}

async function wholeFiles(files: readonly AddFile[], search: FileSearch): Promise<readonly TouchedFile[]> {
  const touched: TouchedFile[] = []
  for (const file of files) {
    const numLive = await countLive(file, search)
    touched.push({ file, rows: undefined, numRows: numLive, numLive })
  }
  return touched
}

async function filesWithRows(
  files: readonly AddFile[],
  { filter }: RowCondition,
  search: FileSearch,
): Promise<readonly TouchedFile[]> {
  const { snapshot, context } = search
  const { engine, store, options } = context
  const touched: TouchedFile[] = []
  for await (const { file, rows } of engine.findRows({ store, layout: snapshot.layout, files, filter }, options)) {
    const numLive = await countLive(file, search)
    const isWhole = rows.size === numLive
    touched.push({ file, rows: isWhole ? undefined : rows, numRows: rows.size, numLive })
  }
  return touched
}

/** From the log where it tells, else from the file's footer. */
async function countLive(file: AddFile, { snapshot, context }: FileSearch): Promise<number> {
  const { engine, store, options } = context
  return liveRows(file) ?? (await engine.count({ store, layout: snapshot.layout, files: [file], columns: [] }, options))
}

export function isWhole({ rows }: TouchedFile): boolean {
  return rows === undefined
}
