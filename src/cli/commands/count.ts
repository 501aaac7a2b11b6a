/** `bayou count`: the number of rows, from the log where it is exact there, else from the files. */
import type { Command } from 'commander'
import type { CliCommand } from '../cli-command.ts'
import { isLakeAddress } from '../ducklake/lake-address.ts'
import { addReadPointOptions, addTableArgument, type ReadPointOptions, readPoint } from '../read-options.ts'

interface CountOptions extends ReadPointOptions {
  readonly where?: string
}

const EXAMPLES = `
Examples:
  $ bayou count /lake/orders
  $ bayou count /lake/orders --where "country = 'DE'"`

export const count: CliCommand<CountOptions> = {
  define(command: Command) {
    addTableArgument(command)
    addReadPointOptions(command)
    command.option('--where <predicate>', 'count the rows for which the predicate is true')
    command.addHelpText('after', EXAMPLES)
  },

  async run([location], options, context) {
    if (isLakeAddress(String(location))) {
      const { lakeCount } = await import('../ducklake/lake-rows.ts')
      return await lakeCount(String(location), options, context)
    }
    const table = await context.table(String(location))
    const { where } = options
    const scan = table.scan({ ...readPoint(options), ...(where !== undefined && { where }), signal: context.signal })
    const number = await scan.count()
    await context.output.line(context.globals.json ? JSON.stringify({ count: number }) : String(number))
    return 0
  },
}
