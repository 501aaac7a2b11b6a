/** `bayou add-feature`: lists a table feature in the protocol. */
import type { Command } from 'commander'
import { tellVersion } from '../alter-output.ts'
import type { CliCommand } from '../cli-command.ts'
import { addTableArgument } from '../read-options.ts'

const EXAMPLES = `
Examples:
  $ bayou add-feature /lake/orders deletionVectors
  $ bayou detail /lake/orders        shows the features a table has`

export const addFeature: CliCommand = {
  define(command: Command) {
    addTableArgument(command)
    command.argument('<feature>', 'its name in the protocol, such as deletionVectors, v2Checkpoint or timestampNtz')
    command.addHelpText('after', EXAMPLES)
  },

  async run([location, feature], _options, context) {
    const table = await context.table(String(location))
    await tellVersion(await table.addFeatureSupport(String(feature), { signal: context.signal }), context)
    return 0
  },
}
