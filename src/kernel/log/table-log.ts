/** Questions to a log that need no snapshot. */
import { isDeltaError } from '../../errors/index.ts'
import type { ObjectStore } from '../../storage/index.ts'
import type { Commit } from '../actions/actions.ts'
import { commitKey, LOG_PREFIX, parseLogName } from '../paths/index.ts'
import { commitFile, readCommitActions } from './commit-file.ts'
import { newestVersion } from './listing.ts'
import { isVersion, openLog, openWholeLog, versionNotFound } from './segment.ts'
import { type LoadOptions, WarningList } from './warnings.ts'

/** Whether a log with a commit or a checkpoint lies there. */
export async function isDeltaTable(store: ObjectStore, { signal }: LoadOptions = {}): Promise<boolean> {
  const options = signal === undefined ? {} : { signal }
  if (!store.capabilities.list) {
    const open = openLog(store, { warnings: new WarningList(), ...options })
    return await open.then(
      () => true,
      (error: unknown) => {
        if (isDeltaError(error, 'DELTA_TABLE_NOT_FOUND')) return false
        throw error
      },
    )
  }
  for await (const page of store.list({ prefix: LOG_PREFIX, shallow: true, ...options })) {
    const kinds = page.map(({ key }) => parseLogName(key.slice(LOG_PREFIX.length))?.kind)
    if (kinds.includes('commit') || kinds.includes('checkpoint')) return true
  }
  return false
}

/** @throws DeltaError `DELTA_TABLE_NOT_FOUND` */
export async function latestVersion(store: ObjectStore, { signal, onWarning }: LoadOptions = {}): Promise<number> {
  const warnings = new WarningList(onWarning)
  return (await openLog(store, { warnings, ...(signal && { signal }) })).version
}

/**
 * One commit with all its actions.
 *
 * @throws DeltaError `DELTA_TABLE_NOT_FOUND`, `DELTA_VERSION_NOT_FOUND`, `FAILED_READ_FILE.NO_HINT`
 */
export async function readCommit(
  store: ObjectStore,
  version: number,
  { signal, onWarning }: LoadOptions = {},
): Promise<Commit> {
  const options = { warnings: new WarningList(onWarning), ...(signal && { signal }) }
  if (!isVersion(version)) throw versionNotFound(store, version, await openWholeLog(store, options))
  try {
    const { modifiedMs } = await store.head(commitKey(version), signal === undefined ? {} : { signal })
    return { version, modifiedMs, actions: await readCommitActions(store, commitFile(version), options) }
  } catch (error) {
    if (!isDeltaError(error, 'LAKE_OBJECT_NOT_FOUND')) throw error
    const listing = await openWholeLog(store, options)
    if (newestVersion(listing) === undefined) await openLog(store, options)
    throw versionNotFound(store, version, listing)
  }
}
