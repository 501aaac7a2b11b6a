/** `bayou set`, `bayou unset`: properties of a table come, change and go. */
import type { Command } from 'commander'
import { tellVersion } from '../alter-output.ts'
import type { CliCommand } from '../cli-command.ts'
import { parseProperty } from '../property-option.ts'
import { addTableArgument } from '../read-options.ts'

const EXAMPLES = `
Examples:
  $ bayou set /lake/orders delta.enableDeletionVectors=true
  $ bayou set /lake/orders delta.columnMapping.mode=name comment='orders of the shop'`

export const set: CliCommand = {
  define(command: Command) {
    addTableArgument(command)
    const none: ReadonlyMap<string, string> = new Map()
    command.argument('<key=value...>', 'properties, those of the format with the prefix delta.', parseProperty, none)
    command.addHelpText('after', EXAMPLES)
  },

  async run([location, properties], _options, context) {
    const wanted = properties as ReadonlyMap<string, string>
    const table = await context.table(String(location))
    await tellVersion(await table.setProperties(wanted, { signal: context.signal }), context)
    return 0
  },
}

const UNSET_EXAMPLES = `
Examples:
  $ bayou unset /lake/orders delta.appendOnly`

export const unset: CliCommand = {
  define(command: Command) {
    addTableArgument(command)
    command.argument('<key...>', 'properties to take away; one that is not set passes')
    command.addHelpText('after', UNSET_EXAMPLES)
  },

  async run([location, keys], _options, context) {
    const table = await context.table(String(location))
    await tellVersion(await table.unsetProperties(keys as string[], { signal: context.signal }), context)
    return 0
  },
}
