/** `bayou fsck`: looks at a table and says what is wrong with it; puts right what can be where it is told to. */
import type { Command } from 'commander'
import type { FsckProblem, FsckResult } from '../../operations/index.ts'
import type { CliCommand, CliContext } from '../cli-command.ts'
import { formatBytes, plural } from '../output/sizes.ts'
import { addTableArgument } from '../read-options.ts'

interface FsckCliOptions {
  readonly repair?: boolean
  readonly deep?: boolean
}

const EXAMPLES = `
Examples:
  $ bayou fsck /lake/orders
  $ bayou fsck /lake/orders --deep
  $ bayou fsck /lake/orders --repair`

export const fsck: CliCommand<FsckCliOptions> = {
  define(command: Command) {
    addTableArgument(command)
    command
      .option('--repair', 'put right what can be, after saying what')
      .option('--deep', 'read data files whole, for the checksums of their pages')
      .addHelpText('after', EXAMPLES)
  },

  /** 1 where something is wrong and stays so */
  async run([location], { repair = false, deep = false }, context) {
    const table = await context.table(String(location))
    const progress = context.progress('looking at files')
    const onPlan = (plan: FsckResult) => {
      progress.clear()
      for (const { path, repair: remedy } of plan.problems) if (remedy !== null) context.note(`${path}: ${remedy}`)
    }
    const result = await table.fsck({ repair, deep, onPlan, signal: context.signal, onProgress: progress.update })
    progress.clear()
    if (context.globals.json) await context.output.line(JSON.stringify(result))
    else await tell(result, context)
    const left = result.problems.filter((problem) => problem.repair === null || result.repairedVersion === null)
    return left.length === 0 ? 0 : 1
  },
}

async function tell(result: FsckResult, { output }: CliContext): Promise<void> {
  const { version, numFiles, problems, numProblems, numOrphans, sizeOfOrphans, repairedVersion } = result
  for (const problem of problems) await output.line(line(problem, repairedVersion !== null))
  if (numProblems > problems.length) await output.line(`and ${numProblems - problems.length} more`)
  const orphans = `${plural(numOrphans, 'file')} in no version (${formatBytes(sizeOfOrphans)}), for vacuum to delete`
  if (numOrphans > 0) await output.line(orphans)
  const looked = version === null ? 'no version can be loaded' : `version ${version}, ${plural(numFiles, 'file')}`
  const repaired = repairedVersion === null ? '' : `; repaired as version ${repairedVersion}`
  await output.line(`${looked}: ${numProblems === 0 ? 'nothing is wrong' : plural(numProblems, 'problem')}${repaired}`)
}

function line({ kind, path, problem, repair }: FsckProblem, isRepaired: boolean): string {
  const remedy = repair === null ? '' : isRepaired ? ` (${repair})` : ` (--repair: ${repair})`
  return `${kind}: ${path === null ? '' : `${path}: `}${problem}${remedy}`
}
