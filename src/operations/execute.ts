/** Carries out a command on the table it names: one entry a command, one file each. */
import { deltaError } from '../errors/index.ts'
import type { Command, CommandMap, CommandResult } from './command.ts'
import type { OperationContext } from './context.ts'
import { executeDescribe, executeDetail, executeExists } from './describe.ts'
import { executeHistory } from './history.ts'
import { executeCommits, executeLog } from './log.ts'

type Executor<K extends keyof CommandMap> = (
  command: CommandMap[K]['command'],
  context: OperationContext,
) => Promise<CommandMap[K]['result']>

const executors: { readonly [K in keyof CommandMap]: Executor<K> } = {
  create: notYet,
  write: notYet,
  scan: notYet,
  count: notYet,
  describe: executeDescribe,
  detail: executeDetail,
  history: executeHistory,
  files: notYet,
  log: executeLog,
  commits: executeCommits,
  checkpoint: notYet,
  exists: (_, context) => executeExists(context),
}

async function notYet(command: Command): Promise<never> {
  throw deltaError('LAKE_OPTION_UNSUPPORTED', {
    option: command.kind,
    reason: 'the kernel part it needs is being written',
  })
}

/** @throws what the command's own file says; a failed command leaves the table at the version it had */
export async function executeCommand<C extends Command>(
  command: C,
  context: OperationContext,
): Promise<CommandResult<C>> {
  const execute = executors[command.kind] as unknown as Executor<C['kind']>
  return (await execute(command, context)) as CommandResult<C>
}
