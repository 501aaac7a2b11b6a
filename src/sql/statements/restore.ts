/** RESTORE TABLE: how many files came back and went. */
import { countsResult, NO_ROWS } from '../result.ts'
import type { Execute } from './statement-context.ts'
import { readPoint } from './time-travel.ts'

/** @throws DeltaError what `DeltaTable.restoreToVersion` and `restoreToTimestamp` throw */
export const executeRestore: Execute<'restore'> = async ({ table, to }, context) => {
  const { metrics, version } = await context.backend.execute(
    {
      kind: 'restore',
      table: { location: context.locate(table) },
      to: readPoint(to, context),
      ...context.settings.commit,
    },
    context.options,
  )
  // as the reference: of the newest version nothing is told
  if (version === null) return NO_ROWS
  return countsResult({
    table_size_after_restore: metrics.tableSizeAfterRestore,
    num_of_files_after_restore: metrics.numOfFilesAfterRestore,
    num_removed_files: metrics.numRemovedFiles,
    num_restored_files: metrics.numRestoredFiles,
    removed_files_size: metrics.removedFilesSize,
    restored_files_size: metrics.restoredFilesSize,
  })
}
