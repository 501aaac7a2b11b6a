/** CREATE TABLE … SHALLOW | DEEP CLONE: sizes and numbers of files, as the reference counts them. */
import { countsResult } from '../result.ts'
import { placeOf } from './create-table.ts'
import type { Execute } from './statement-context.ts'
import { readPoint } from './time-travel.ts'

/**
 * A table that is there is refused with IF NOT EXISTS too, as the reference does it.
 *
 * @throws DeltaError what `DeltaTable.clone` throws
 */
export const executeClone: Execute<'clone'> = async (statement, context) => {
  const { table, source, at, depth, mode, properties } = statement
  const { location, managed } = placeOf(table, statement.location, context)
  const { metrics } = await context.backend.execute(
    {
      kind: 'clone',
      table: { location },
      source: { location: context.locate(source) },
      depth,
      ifExists: mode === 'create' ? 'error' : 'replace',
      properties,
      ...(mode === 'replace' && { mustExist: true }),
      ...(at !== undefined && { at: readPoint(at, context) }),
      ...context.settings.commit,
    },
    context.options,
  )
  await context.name(table, location, managed)
  return countsResult({
    source_table_size: metrics.sourceTableSize,
    source_num_of_files: metrics.sourceNumOfFiles,
    num_removed_files: metrics.numRemovedFiles,
    num_copied_files: metrics.numCopiedFiles,
    removed_files_size: metrics.removedFilesSize,
    copied_files_size: metrics.copiedFilesSize,
  })
}
