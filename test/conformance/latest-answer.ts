/** What the latest version of a table comes to, for tables without a recording: the engines must say the same. */
import type { Engine } from '../../src/engine/index.ts'
import { isDeltaError } from '../../src/errors/index.ts'
import { latestVersion, loadSnapshot } from '../../src/kernel/index.ts'
import { localStore } from '../../src/storage/fs/index.ts'
import { readRows } from './compare-version.ts'

/** A line with the number of rows and then the rows, sorted; or the code of an error. */
export async function latestAnswer(engine: Engine, folder: string): Promise<string> {
  try {
    const store = localStore(folder)
    const snapshot = await loadSnapshot(store, engine, { version: await latestVersion(store) })
    try {
      const rows = await readRows(engine, snapshot)
      return `${rows.length} rows\n${rows.sort().join('\n')}`
    } finally {
      await snapshot.close()
    }
  } catch (error) {
    if (isDeltaError(error)) return error.code
    throw error
  }
}
