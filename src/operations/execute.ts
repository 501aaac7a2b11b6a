/** Carries out a command on the table it names: one entry a command, one file each. */

import { executeAlter } from './alter/alter.ts'
import { executeCheckpoint } from './checkpoint.ts'
import { executeClone } from './clone/clone.ts'
import type { Command, CommandMap, CommandResult } from './command.ts'
import { executeCompactLog } from './compact-log.ts'
import type { OperationContext } from './context.ts'
import { executeConvert } from './convert/convert.ts'
import { executeCreate } from './create/create.ts'
import { executeDescribe, executeDetail, executeExists } from './describe.ts'
import { executeDelete } from './dml/delete.ts'
import { executeMerge } from './dml/merge/merge.ts'
import { executeUpdate } from './dml/update.ts'
import { executeDropFeature } from './drop-feature/drop-feature.ts'
import { executePlanDropFeature } from './drop-feature/plan.ts'
import { executeFsck } from './fsck/fsck.ts'
import { executeGenerate } from './generate/generate.ts'
import { executeHistory } from './history.ts'
import { executeCommits, executeLog } from './log.ts'
import { compactBehind } from './optimize/auto-compaction.ts'
import { executeOptimize } from './optimize/optimize.ts'
import { executeReorg } from './optimize/reorg.ts'
import { executeChanges } from './read/changes.ts'
import { executeCount } from './read/count.ts'
import { executeFiles } from './read/files.ts'
import { executeFollow } from './read/follow.ts'
import { executeScan } from './read/scan.ts'
import { executeRestore } from './restore/restore.ts'
import { executeVacuum } from './vacuum/vacuum.ts'
import { executeWrite } from './write/write.ts'

type Executor<K extends keyof CommandMap> = (
  command: CommandMap[K]['command'],
  context: OperationContext,
) => Promise<CommandMap[K]['result']>

const executors: { readonly [K in keyof CommandMap]: Executor<K> } = {
  create: executeCreate,
  alter: executeAlter,
  write: thenCompact(executeWrite),
  delete: thenCompact(executeDelete),
  update: thenCompact(executeUpdate),
  merge: thenCompact(executeMerge),
  optimize: executeOptimize,
  reorg: executeReorg,
  scan: executeScan,
  changes: executeChanges,
  follow: executeFollow,
  count: executeCount,
  describe: executeDescribe,
  detail: executeDetail,
  history: executeHistory,
  files: executeFiles,
  log: executeLog,
  commits: executeCommits,
  checkpoint: executeCheckpoint,
  compactLog: executeCompactLog,
  vacuum: executeVacuum,
  restore: executeRestore,
  dropFeature: executeDropFeature,
  planDropFeature: executePlanDropFeature,
  clone: executeClone,
  convert: executeConvert,
  fsck: executeFsck,
  generate: executeGenerate,
  exists: (_, context) => executeExists(context),
}

/** Commands that make files, behind which a table may ask for compaction. */
type WritingKind = 'write' | 'delete' | 'update' | 'merge'

/** Compaction that is due comes behind the write and does not change its answer. */
function thenCompact<K extends WritingKind>(execute: Executor<K>): Executor<K> {
  return async (command, context) => {
    const result = await execute(command, context)
    if (result.version !== null) await compactBehind(result.version, context)
    return result
  }
}

/** @throws what the command's own file says; a failed command leaves the table at the version it had */
export async function executeCommand<C extends Command>(
  command: C,
  context: OperationContext,
): Promise<CommandResult<C>> {
  const execute = executors[command.kind] as unknown as Executor<C['kind']>
  return (await execute(command, context)) as CommandResult<C>
}
