/** `bayou restore`: a table becomes what it was at an older version, by a new one. */
import type { Command } from 'commander'
import { deltaError } from '../../errors/index.ts'
import type { RestoreResult } from '../../operations/index.ts'
import type { CliCommand } from '../cli-command.ts'
import { parseWholeNumber } from '../globals.ts'
import { formatBytes, plural } from '../output/sizes.ts'
import { addTableArgument } from '../read-options.ts'

interface RestoreCliOptions {
  readonly version?: number
  readonly timestamp?: string
  readonly plan?: boolean
  readonly ignoreMissingFiles?: boolean
}

const EXAMPLES = `
Examples:
  $ bayou restore /lake/orders --version 4 --plan
  $ bayou restore /lake/orders --timestamp 2024-02-29T12:00:00Z`

export const restore: CliCommand<RestoreCliOptions> = {
  define(command: Command) {
    addTableArgument(command)
    command
      .option('--version <n>', 'the version that comes back', parseWholeNumber)
      .option('--timestamp <t>', 'the newest version of that time comes back')
      .option('--plan', 'say what would be done, and do nothing')
      .option('--ignore-missing-files', 'restore although files of the version are gone')
      .addHelpText('after', EXAMPLES)
  },

  async run([location], { version, timestamp, plan = false, ignoreMissingFiles = false }, context) {
    if ((version === undefined) === (timestamp === undefined)) {
      throw deltaError('LAKE_USAGE', {
        problem: 'restore takes one of --version and --timestamp',
        advice: 'say which version is to come back',
      })
    }
    const table = await context.table(String(location))
    const progress = context.progress('looking for files')
    const options = { dryRun: plan, ignoreMissingFiles, signal: context.signal, onProgress: progress.update }
    const result =
      version === undefined
        ? await table.restoreToTimestamp(timestamp!, options)
        : await table.restoreToVersion(version, options)
    progress.clear()
    await context.output.line(context.globals.json ? JSON.stringify(result) : resultText(result, plan))
    return 0
  },
}

function resultText({ version, restored, metrics }: RestoreResult, plan: boolean): string {
  const { numRestoredFiles, restoredFilesSize, numRemovedFiles, removedFilesSize, numOfFilesAfterRestore } = metrics
  const came = `version ${restored} ${plan ? 'would come' : 'is'} back`
  const head = version === null ? came : `version ${version}: ${came}`
  const back = `${plural(numRestoredFiles, 'file')} restored (${formatBytes(restoredFilesSize)})`
  const gone = `${plural(numRemovedFiles, 'file')} removed (${formatBytes(removedFilesSize)})`
  return `${head}; ${back}, ${gone}, ${plural(numOfFilesAfterRestore, 'file')} then`
}
