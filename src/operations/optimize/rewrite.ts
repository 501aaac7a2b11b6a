/** Groups of files written anew: the same rows with the same ids, in fewer files or another order. */
import type { WrittenFile } from '../../engine/index.ts'
import { type AddFile, type MovedRows, movedRows, type Snapshot, type TableLayout } from '../../kernel/index.ts'
import type { Progress } from '../command.ts'
import type { OperationContext } from '../context.ts'
import type { PendingFiles } from '../dml/pending-files.ts'
import { addFileOf, writePlanOf } from '../write/write-plan.ts'
import type { Bin } from './bins.ts'
import type { LayoutStrategy } from './strategy.ts'

export interface Rewrite {
  readonly snapshot: Snapshot
  readonly strategy: LayoutStrategy
  /** bytes of a new file, about */
  readonly maxFileSize: number
  readonly pending: PendingFiles
  readonly context: OperationContext
}

export interface RewrittenBin {
  readonly removed: readonly AddFile[]
  readonly written: readonly WrittenFile[]
  readonly added: readonly AddFile[]
}

/**
 * Writes the rows of a group anew; nothing is committed.
 *
 * @param number of the group
 * @throws DeltaError the codes of `Engine.write`
 */
export async function rewriteBin({ files }: Bin, number: number, rewrite: Rewrite): Promise<RewrittenBin> {
  const { snapshot, strategy, maxFileSize, pending, context } = rewrite
  const { layout, configuration, domains } = snapshot
  const { store } = context
  const { read, write } = movedLayouts(layout, movedRows(layout))
  const { curve } = strategy
  const { files: written } = await pending.write(
    { kind: 'scan', plan: { store, layout: read, files, columns: storedOrdinals(read) }, ...(curve && { curve }) },
    writePlanOf({ store, layout: write, configuration, domains, targetFileSize: maxFileSize }),
  )
  const added = written.map((file) => strategy.tag({ ...addFileOf(file), dataChange: false }, number))
  return { removed: files, written, added }
}

function movedLayouts(layout: TableLayout, moved: MovedRows | undefined) {
  return moved ?? { read: layout, write: layout }
}

/** What rows have in files: a column of no type has no values. */
function storedOrdinals({ schema }: TableLayout): number[] {
  return schema.fields.flatMap(({ type }, ordinal) => (type.kind === 'void' ? [] : [ordinal]))
}

/** Tells of several writes, one behind the other, as of one. */
export class SummedProgress {
  private readonly tell: ((progress: Progress) => void) | undefined
  private done: Progress = { rows: 0, bytes: 0, files: 0 }
  private last: Progress = this.done

  constructor(tell: ((progress: Progress) => void) | undefined) {
    this.tell = tell
  }

  /** Bound, to be handed on as `onProgress`. */
  readonly update = (progress: Progress): void => {
    this.last = progress
    this.tell?.(sum(this.done, progress))
  }

  /** Ends one write; the next one counts from 0. */
  next(): void {
    this.done = sum(this.done, this.last)
    this.last = { rows: 0, bytes: 0, files: 0 }
  }
}

function sum(a: Progress, b: Progress): Progress {
  return { rows: a.rows + b.rows, bytes: a.bytes + b.bytes, files: a.files + b.files }
}
