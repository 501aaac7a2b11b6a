/** Files of an older version that are no longer in the store: VACUUM may have taken them. */
import { deltaError, isDeltaError } from '../../errors/index.ts'
import { type AddFile, deletionVectorPath, openDataFile } from '../../kernel/index.ts'
import { mapParallel } from '../../support/index.ts'
import type { OperationContext } from '../context.ts'

const PARALLEL = 16
/** Files an error names. */
const MOST_NAMED = 100

/**
 * Looks for each file, and for the one that holds its deletion vector.
 *
 * @throws DeltaError `LAKE_RESTORE_MISSING_FILES`, a `LAKE_STORAGE_…` code
 */
export async function refuseMissing(
  files: readonly AddFile[],
  version: number,
  context: OperationContext,
): Promise<void> {
  const paths = [...new Set(files.flatMap(pathsOf))]
  const { onProgress } = context.options
  let looked = 0
  const found = await mapParallel(paths, PARALLEL, async (path) => {
    const isThere = await exists(path, context)
    onProgress?.({ rows: 0, bytes: 0, files: ++looked })
    return isThere
  })
  const missing = paths.filter((_, i) => !found[i])
  if (missing.length === 0) return
  throw deltaError('LAKE_RESTORE_MISSING_FILES', {
    path: context.location,
    version,
    count: missing.length,
    files: missing.slice(0, MOST_NAMED),
  })
}

function pathsOf({ path, deletionVector }: AddFile): readonly string[] {
  const vector = deletionVector && deletionVectorPath(deletionVector)
  return vector === undefined ? [path] : [path, vector]
}

async function exists(path: string, { store, options: { signal } }: OperationContext): Promise<boolean> {
  const place = openDataFile(store, path)
  try {
    await place.store.head(place.key, signal && { signal })
    return true
  } catch (error) {
    if (isDeltaError(error, 'LAKE_OBJECT_NOT_FOUND')) return false
    throw error
  }
}
