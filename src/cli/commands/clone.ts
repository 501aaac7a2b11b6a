/** `bayou clone`: makes another table of one. */
import type { Command } from 'commander'
import type { CloneResult } from '../../operations/index.ts'
import type { CliCommand } from '../cli-command.ts'
import { formatBytes, plural } from '../output/sizes.ts'
import { parseProperty } from '../property-option.ts'
import { addReadPointOptions, addTableArgument, type ReadPointOptions, readPoint } from '../read-options.ts'

interface CloneCliOptions extends ReadPointOptions {
  readonly shallow?: boolean
  readonly replace?: boolean
  readonly property: ReadonlyMap<string, string>
}

const EXAMPLES = `
Examples:
  $ bayou clone /lake/orders /backup/orders
  $ bayou clone /lake/orders /backup/orders --replace
  $ bayou clone /lake/orders /trial/orders --shallow --version 4`

export const clone: CliCommand<CloneCliOptions> = {
  define(command: Command) {
    addTableArgument(command)
    command.argument('<target>', 'where the clone goes')
    addReadPointOptions(command)
    command
      .option('--shallow', 'name the files where they lie instead of copying them')
      .option('--replace', 'make a table that is there what the source is; only what differs is copied')
      .option('--property <key=value>', 'property of the clone; may be repeated', parseProperty, new Map())
      .addHelpText('after', EXAMPLES)
  },

  async run([location, target], { shallow, replace, property, ...options }, context) {
    const table = (await context.table(String(location))).at(readPoint(options))
    const progress = context.progress('copying')
    const result = await table.clone(String(target), {
      properties: property,
      signal: context.signal,
      onProgress: progress.update,
      ...(shallow !== undefined && { shallow }),
      ...(replace !== undefined && { replace }),
    })
    progress.clear()
    await context.output.line(context.globals.json ? JSON.stringify(result) : resultText(result))
    return 0
  },
}

function resultText({ version, sourceVersion, metrics }: CloneResult): string {
  const { sourceNumOfFiles, sourceTableSize, numCopiedFiles, copiedFilesSize, numRemovedFiles } = metrics
  const all = `${plural(sourceNumOfFiles, 'file')} of version ${sourceVersion} (${formatBytes(sourceTableSize)})`
  const copied = `${plural(numCopiedFiles, 'file')} copied (${formatBytes(copiedFilesSize)})`
  return `version ${version}: ${all}; ${copied}, ${plural(numRemovedFiles, 'file')} removed`
}
