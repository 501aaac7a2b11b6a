/** `bayou vacuum`: deletes files that no version within the retention needs. */
import type { Command } from 'commander'
import { InvalidArgumentError, Option } from 'commander'
import type { VacuumResult } from '../../operations/index.ts'
import type { CliCommand, CliContext } from '../cli-command.ts'
import { formatBytes, plural } from '../output/sizes.ts'
import { addTableArgument } from '../read-options.ts'

interface VacuumCliOptions {
  readonly dryRun?: boolean
  readonly type?: 'full' | 'lite'
  readonly retain?: number
  /** commander's form of `--no-retention-check` */
  readonly retentionCheck: boolean
  readonly inventory?: string
}

const EXAMPLES = `
Examples:
  $ bayou vacuum /lake/orders --dry-run
  $ bayou vacuum /lake/orders --retain 240
  $ bayou vacuum /lake/orders --type lite`

export const vacuum: CliCommand<VacuumCliOptions> = {
  define(command: Command) {
    addTableArgument(command)
    const types = new Option('--type <type>', 'full lists the folder, lite goes by the log alone')
    command
      .option('--dry-run', 'print what would be deleted, and do nothing')
      .addOption(types.choices(['full', 'lite']).default('full'))
      .option('--retain <hours>', 'how long removed files are kept; what the table says when absent', parseHours)
      .option('--no-retention-check', 'take less than the table asks for: files still in use may go')
      .option('--inventory <table>', 'look at the files this table lists: path, length, isDir, modificationTime')
      .addHelpText('after', EXAMPLES)
  },

  async run([location], { dryRun, type, retain, retentionCheck, inventory }, context) {
    const table = await context.table(String(location))
    const progress = context.progress('deleting')
    const result = await table.vacuum({
      signal: context.signal,
      onProgress: progress.update,
      retentionCheck,
      ...(dryRun !== undefined && { dryRun }),
      ...(type !== undefined && { type }),
      ...(retain !== undefined && { retentionHours: retain }),
      ...(inventory !== undefined && { inventory: await context.table(inventory) }),
    })
    progress.clear()
    if (dryRun === true) await tellFiles(result, context)
    await tell(result, dryRun === true, context)
    return 0
  },
}

async function tellFiles(result: VacuumResult, { globals, output }: CliContext): Promise<void> {
  for await (const keys of result.files()) {
    for (const key of keys) await output.line(globals.json ? JSON.stringify({ path: key }) : key)
  }
}

async function tell(result: VacuumResult, isDry: boolean, { globals, output, note }: CliContext): Promise<void> {
  const { numFilesToDelete, sizeOfDataToDelete, numDeletedFiles } = result
  if (isDry) {
    return note(`${plural(numFilesToDelete, 'file')}, ${formatBytes(sizeOfDataToDelete)}, would be deleted`)
  }
  const { files: _, ...counts } = result
  if (globals.json) await output.line(JSON.stringify(counts))
  else await output.line(`${plural(numDeletedFiles, 'file')} deleted, ${formatBytes(sizeOfDataToDelete)}`)
}

function parseHours(text: string): number {
  const hours = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN
  if (Number.isNaN(hours)) throw new InvalidArgumentError('It is a number of hours.')
  return hours
}
