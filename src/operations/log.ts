/** The commits of a table as they stand in its log. */

import { isDeltaError } from '../errors/index.ts'
import { type Commit, latestVersion, readCommit } from '../kernel/index.ts'
import type { CommitsCommand, LogCommand } from './command.ts'
import type { OperationContext } from './context.ts'

/** @throws DeltaError `DELTA_VERSION_NOT_FOUND`, `FAILED_READ_FILE.NO_HINT` */
export async function executeLog(command: LogCommand, context: OperationContext): Promise<Commit> {
  return await readCommit(
    context.store,
    command.version,
    context.options.signal ? { signal: context.options.signal } : {},
  )
}

/** Newest first, each read when it is asked for, down to the first commit the log still has. */
export async function executeCommits(
  command: CommitsCommand,
  context: OperationContext,
): Promise<AsyncIterable<Commit>> {
  const options = context.options.signal ? { signal: context.options.signal } : {}
  const latest = await latestVersion(context.store, options)
  const first = command.limit === undefined ? 0 : Math.max(0, latest - command.limit + 1)
  return commitsDown(context, latest, first)
}

async function* commitsDown(context: OperationContext, latest: number, first: number): AsyncGenerator<Commit> {
  for (let version = latest; version >= first; version--) {
    const commit = await commitIfThere(context, version)
    if (commit !== undefined) yield commit
    else if (version < latest) return
  }
}

/** Cleanup removes old commits from the front; what is missing there ends the list. */
async function commitIfThere(context: OperationContext, version: number): Promise<Commit | undefined> {
  try {
    return await executeLog({ kind: 'log', table: { location: context.location }, version }, context)
  } catch (error) {
    if (isDeltaError(error, 'DELTA_VERSION_NOT_FOUND', 'LAKE_OBJECT_NOT_FOUND')) return undefined
    throw error
  }
}
