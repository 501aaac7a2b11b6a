/** `bayou changes`: the rows that changed from one version of a table to another. */
import { type Command, Option } from 'commander'
import type { ChangesOptions } from '../../table/index.ts'
import type { CliCommand } from '../cli-command.ts'
import { isLakeAddress } from '../ducklake/lake-address.ts'
import { parseWholeNumber } from '../globals.ts'
import { printRowsToFile, showRows } from '../output/print-rows.ts'
import { ROW_FORMATS, type RowFormat } from '../output/row-format.ts'
import { addDataPathOption, addTableArgument, parseNameList } from '../read-options.ts'

type Given = Omit<ChangesOptions, 'signal' | 'onProgress' | 'as'> & {
  readonly format?: RowFormat
  readonly output?: string
  readonly dataPath?: string
}

const EXAMPLES = `
Examples:
  $ bayou changes /lake/orders --from 3
  $ bayou changes /lake/orders --from 3 --to 5 --where "_change_type = 'delete'" --format ndjson
  $ bayou changes /lake/orders --from-timestamp 2024-02-29T12:00:00Z --select order_id,_change_type`

export const changes: CliCommand<Given> = {
  define(command: Command) {
    addTableArgument(command)
    addDataPathOption(command)
    command
      .option('--from <n>', 'the first version', parseWholeNumber)
      .option('--from-timestamp <t>', 'instead: the first version committed at or after a time')
      .option('--to <n>', 'the last version; the latest when absent', parseWholeNumber)
      .option('--to-timestamp <t>', 'instead: the last version committed at or before a time')
      .option('--where <predicate>', 'only rows for which the predicate is true')
      .option('--select <columns>', 'only these columns, such as order_id,_change_type', parseNameList)
      .option('--limit <n>', 'at most so many rows', parseWholeNumber)
      .addOption(
        new Option('--format <format>', 'how rows are printed; table unless --json is given').choices(ROW_FORMATS),
      )
      .option('-o, --output <file>', 'write into a file, which appears whole')
      .addHelpText('after', EXAMPLES)
  },

  async run([location], { format: given, output: file, ...range }, context) {
    if (isLakeAddress(String(location))) {
      const { lakeChanges } = await import('../ducklake/lake-rows.ts')
      const { fromTimestamp, toTimestamp, ...rest } = range
      return await lakeChanges(
        String(location),
        given ?? (context.globals.json ? 'ndjson' : 'table'),
        {
          ...rest,
          ...(fromTimestamp !== undefined && { fromTimestamp: String(fromTimestamp) }),
          ...(toTimestamp !== undefined && { toTimestamp: String(toTimestamp) }),
          ...(file !== undefined && { output: file }),
        },
        context,
      )
    }
    const format = given ?? (context.globals.json ? 'ndjson' : 'table')
    const read = (await context.table(String(location))).changes({ ...range, signal: context.signal })
    if (file === undefined) await showRows(read, format, context)
    else await printRowsToFile(read, { format, file, context })
    return 0
  },
}
