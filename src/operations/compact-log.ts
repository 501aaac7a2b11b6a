/** Writes one compacted file of the log, on demand. */
import { deltaError } from '../errors/index.ts'
import { compactLog } from '../kernel/index.ts'
import type { CompactLogCommand, CompactLogResult } from './command.ts'
import type { OperationContext } from './context.ts'

/** @throws DeltaError `DELTA_VERSION_NOT_FOUND`, `LAKE_INVALID_OPTION`, a `LAKE_STORAGE_…` code */
export async function executeCompactLog(
  { from, to }: CompactLogCommand,
  context: OperationContext,
): Promise<CompactLogResult> {
  return await context.withSnapshot(undefined, async ({ version, segment, store }) => {
    const first = from ?? (segment.checkpointVersion ?? -1) + 1
    const last = to ?? version
    const isAsked = from !== undefined || to !== undefined
    if (isAsked && (first >= last || first < 0 || last > version)) {
      const allowed = `two versions, the first below the last, up to ${version}`
      throw deltaError('LAKE_INVALID_OPTION', { option: 'the range to compact', value: `${first} to ${last}`, allowed })
    }
    if (first >= last) return { range: undefined }
    await compactLog(store, { from: first, to: last })
    return { range: { from: first, to: last } }
  })
}
