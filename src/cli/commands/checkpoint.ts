/** `bayou checkpoint`: writes a checkpoint of the newest version. */
import type { Command } from 'commander'
import type { CliCommand } from '../cli-command.ts'
import { addTableArgument } from '../read-options.ts'

const EXAMPLES = `
Examples:
  $ bayou checkpoint /lake/orders`

export const checkpoint: CliCommand = {
  define(command: Command) {
    addTableArgument(command)
    command.addHelpText('after', EXAMPLES)
  },

  async run([location], _options, context) {
    const table = await context.table(String(location))
    const { version } = await table.checkpoint()
    if (context.globals.json) await context.output.line(JSON.stringify({ version }))
    else await context.output.line(`checkpoint of version ${version} written`)
    return 0
  },
}
