/** `bayou optimize`: makes larger files of small ones, and sorts rows where that is asked for. */
import type { Command } from 'commander'
import { InvalidArgumentError } from 'commander'
import { type LayoutPlan, type OptimizeResult, parseFileSize } from '../../operations/index.ts'
import type { CliCommand, CliContext } from '../cli-command.ts'
import { formatBytes, plural } from '../output/sizes.ts'
import { addTableArgument } from '../read-options.ts'

interface OptimizeCliOptions {
  readonly where?: string
  readonly zorderBy?: readonly string[]
  readonly full?: boolean
  readonly purge?: boolean
  readonly maxFileSize?: number
  readonly minFileSize?: number
  readonly batchSize?: number
  readonly plan?: boolean
}

const EXAMPLES = `
Examples:
  $ bayou optimize /lake/orders --plan
  $ bayou optimize /lake/orders --where "country = 'DE'"
  $ bayou optimize /lake/orders --zorder-by order_id,amount
  $ bayou optimize /lake/orders --purge`

export const optimize: CliCommand<OptimizeCliOptions> = {
  define(command: Command) {
    addTableArgument(command)
    command
      .option('--where <predicate>', 'only partitions for which it is true')
      .option(
        '--zorder-by <columns>',
        'sort rows so that conditions on any of these columns read few files',
        parseNames,
      )
      .option('--full', 'of a clustered table, sort again what is sorted already')
      .option('--purge', 'only rewrite files with deleted rows or dropped columns, without these')
      .option('--max-file-size <size>', 'of a new file, about: 256MB; else what the table says, else 1 GiB', parseSize)
      .option('--min-file-size <size>', 'leave larger files alone; --max-file-size when absent', parseSize)
      .option('--batch-size <size>', 'commit whenever files of this size are replaced; else once', parseSize)
      .option('--plan', 'say what would be rewritten, and do nothing')
      .addHelpText('after', EXAMPLES)
  },

  async run([location], options, context) {
    const table = await context.table(String(location))
    const { where, zorderBy, full, purge, plan: planOnly, ...sizes } = options
    const progress = context.progress('rewriting')
    const call = { ...sizes, signal: context.signal, onProgress: progress.update }
    if (purge === true) {
      const result = await table.purge({ ...call, ...(where !== undefined && { where }), planOnly: planOnly === true })
      progress.clear()
      await (planOnly ? tellPlan(result.plan, context) : tell(result, context))
      return 0
    }
    const chosen = where === undefined ? table.optimize(call) : table.optimize(call).where(where)
    const builder = full === true ? chosen.full() : chosen
    if (planOnly === true) await tellPlan(await builder.plan(zorderBy ?? []), context)
    else {
      const result = await (zorderBy === undefined ? builder.executeCompaction() : builder.executeZOrderBy(zorderBy))
      progress.clear()
      await tell(result, context)
    }
    return 0
  },
}

async function tellPlan(plan: LayoutPlan, { globals, output }: CliContext): Promise<void> {
  const { numFiles, numBytes, numBins, numPartitions, numBatches, numConsidered } = plan
  if (globals.json) return await output.line(JSON.stringify(plan))
  if (numFiles === 0) return await output.line(`nothing to do: ${plural(numConsidered, 'file')} looked at`)
  const what = `${numFiles} of ${plural(numConsidered, 'file')}, ${formatBytes(numBytes)}, would be rewritten`
  const how = `as ${plural(numBins, 'group')} in ${plural(numPartitions, 'partition')}, in ${plural(numBatches, 'commit')}`
  await output.line(`${what}, ${how}`)
}

async function tell({ versions, metrics }: OptimizeResult, { globals, output }: CliContext): Promise<void> {
  if (globals.json) return await output.line(JSON.stringify({ versions, metrics }))
  const { numFilesAdded, numFilesRemoved, filesAdded, filesRemoved, totalConsideredFiles } = metrics
  if (versions.length === 0)
    return await output.line(`nothing to do: ${plural(totalConsideredFiles, 'file')} looked at`)
  const made = versions.length === 1 ? `version ${versions[0]}` : `versions ${versions[0]} to ${versions.at(-1)}`
  const before = `${plural(numFilesRemoved, 'file')} (${formatBytes(filesRemoved.totalSize)})`
  const after = `${plural(numFilesAdded, 'file')} (${formatBytes(filesAdded.totalSize)})`
  await output.line(`${made}: ${before} became ${after}`)
}

function parseNames(text: string): readonly string[] {
  return text.split(',').map((name) => name.trim())
}

function parseSize(text: string): number {
  const size = parseFileSize(text)
  if (size === undefined) throw new InvalidArgumentError('It is a size: 134217728, 128MB, 1 GiB.')
  return size
}
