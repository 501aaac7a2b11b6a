/** The rows of live files written into new ones, as the table is or as it will be; nothing is committed. */
import type { WriteResult } from '../../engine/index.ts'
import { type AddFile, movedRows, type TableLayout } from '../../kernel/index.ts'
import type { OperationContext } from '../context.ts'
import { columnAt } from '../dml/expressions.ts'
import type { PendingFiles } from '../dml/pending-files.ts'
import { writePlanOf } from './write-plan.ts'

/** How a table's files are laid out: what decides how they are read, or written. */
export interface FilesLayout {
  readonly layout: TableLayout
  readonly configuration: ReadonlyMap<string, string>
}

export interface RewriteTask {
  /** each file once; deleted rows stay behind */
  readonly files: readonly AddFile[]
  /** by which the files were written */
  readonly from: FilesLayout
  /** with the same columns under the same logical names */
  readonly to: FilesLayout & { readonly domains: Parameters<typeof writePlanOf>[0]['domains'] }
  readonly pending: PendingFiles
  readonly context: OperationContext
}

/**
 * Writes rows anew, with the ids they have where the table tracks its rows.
 *
 * @throws DeltaError the codes of `Engine.write`
 */
export async function rewriteFiles({ files, from, to, pending, context }: RewriteTask): Promise<WriteResult> {
  const { store } = context
  const read = movedRows(from.layout)?.read ?? from.layout
  const layout = movedRows(to.layout)?.write ?? to.layout
  const select = read.schema.fields.flatMap(({ name, type }, ordinal) =>
    type.kind === 'void' ? [] : [{ name, expression: columnAt(read, ordinal) }],
  )
  const source = { kind: 'scan', plan: { store, layout: read, files, columns: [] }, select } as const
  const { configuration, domains } = to
  return await pending.write(source, writePlanOf({ store, layout, configuration, ...(domains && { domains }) }))
}
