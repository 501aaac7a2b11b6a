/**
 * Rows taken out of files by deletion vectors: each file is listed anew with a vector that names its deleted rows.
 *
 * Source: Delta protocol, "Deletion Vectors"
 */
import { type AddFile, loadDeletionVector, RowSet } from '../../kernel/index.ts'
import { isJsonObject, mapParallel, parseJson, printJson } from '../../support/index.ts'
import type { OperationContext } from '../context.ts'
import type { PendingFiles } from './pending-files.ts'
import type { TouchedFile } from './touched-files.ts'

/** Vectors read at once. */
const PARALLEL = 8

export interface MarkedFiles {
  /** files that live on, each with its new vector */
  readonly adds: readonly AddFile[]
  /** all that were touched, as they were */
  readonly removes: readonly AddFile[]
  readonly numDeletionVectorsAdded: number
  readonly numDeletionVectorsRemoved: number
  readonly numDeletionVectorsUpdated: number
}

/**
 * Writes vectors for the files of which rows stay; files of which none stays are only removed.
 *
 * @throws DeltaError a `LAKE_STORAGE_…` code, those of `loadDeletionVector`
 */
export async function markDeleted(
  touched: readonly TouchedFile[],
  { pending, context, configuration }: MarkTools,
): Promise<MarkedFiles> {
  const partial = touched.filter(({ rows }) => rows !== undefined)
  const sets = await mapParallel(partial, PARALLEL, async ({ file, rows }) =>
    rows!.union(await deletedBefore(file, context)),
  )
  const vectors = await pending.writeVectors(sets, configuration)
  const isMarked = ({ file }: TouchedFile) => file.deletionVector !== undefined
  return {
    adds: partial.map(({ file, numLive }, i) => ({
      ...file,
      dataChange: true,
      stats: loosened(file.stats, numLive + (file.deletionVector?.cardinality ?? 0)),
      deletionVector: vectors[i]!,
    })),
    removes: touched.map(({ file }) => file),
    numDeletionVectorsAdded: partial.length,
    numDeletionVectorsRemoved: touched.filter(isMarked).length,
    numDeletionVectorsUpdated: partial.filter(isMarked).length,
  }
}

export interface MarkTools {
  readonly pending: PendingFiles
  readonly context: OperationContext
  /** the table's properties */
  readonly configuration: ReadonlyMap<string, string>
}

async function deletedBefore({ deletionVector }: AddFile, { store, options }: OperationContext): Promise<RowSet> {
  if (deletionVector === undefined) return RowSet.of([])
  const { signal } = options
  return RowSet.ofWords(await loadDeletionVector(store, deletionVector, signal && { signal }))
}

/** Statistics that still bound the rows left, and say that they may bound them loosely. */
function loosened(stats: string | undefined, numRecords: number): string {
  const known = stats === undefined ? {} : parseJson(stats)
  return printJson({ numRecords, ...(isJsonObject(known) ? known : {}), tightBounds: false })
}
