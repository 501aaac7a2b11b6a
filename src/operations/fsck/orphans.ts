/** Files that lie below a table and that no version within the retention needs. */
import { property, type Snapshot } from '../../kernel/index.ts'
import type { OperationContext } from '../context.ts'
import { listedFiles } from '../vacuum/candidates.ts'
import { hiddenKeys } from '../vacuum/hidden-names.ts'
import { keptFiles } from '../vacuum/kept-files.ts'

export async function countOrphans(
  snapshot: Snapshot,
  context: OperationContext,
): Promise<{ readonly files: number; readonly bytes: number }> {
  const retentionMs = property(snapshot.configuration, 'deletedFileRetentionDuration')
  const kept = await keptFiles(snapshot, context.clock.now() - retentionMs, context)
  const count = { files: 0, bytes: 0 }
  if (!context.store.capabilities.list) return count
  for await (const page of listedFiles(context, hiddenKeys(snapshot)).candidates()) {
    for (const { key, size, isFolder } of page) {
      if (isFolder === true || kept.has(key)) continue
      count.files++
      count.bytes += size
    }
  }
  return count
}
