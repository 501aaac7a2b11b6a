/** A query over data files, written again for the files' own shapes where it must be. */
import type { TableLayout } from '../../../kernel/index.ts'
import type { LocalFile } from '../scan/local-files.ts'
import { isShapeMismatch, readFailure } from '../scan/read-error.ts'
import { needsShapes } from '../scan/read-sql.ts'

/** @param run makes and runs the query; done twice where a file shares no member with a struct */
export async function withShapes<T>(
  layout: TableLayout,
  ordinals: readonly number[],
  files: readonly LocalFile[],
  run: (byShape: boolean) => Promise<T>,
): Promise<T> {
  const byShape = needsShapes(layout, ordinals)
  try {
    return await run(byShape).catch((error: unknown) => {
      if (byShape || !isShapeMismatch(error)) throw error
      return run(true)
    })
  } catch (error) {
    throw readFailure(error, files)
  }
}
