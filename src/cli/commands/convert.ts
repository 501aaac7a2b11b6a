/** `bayou convert`: a folder of Parquet files becomes a table where it lies. */
import type { Command } from 'commander'
import { parseTableSchema } from '../../expressions/index.ts'
import type { ConvertResult } from '../../operations/index.ts'
import { formatType, printSchema } from '../../schema/index.ts'
import type { CliCommand } from '../cli-command.ts'
import { formatBytes, plural } from '../output/sizes.ts'
import { parseProperty } from '../property-option.ts'

interface ConvertCliOptions {
  readonly partitionBy?: string
  readonly statistics: boolean
  readonly property: ReadonlyMap<string, string>
  readonly plan?: boolean
}

const EXAMPLES = `
Examples:
  $ bayou convert /data/orders --plan
  $ bayou convert /data/orders --partition-by 'country STRING, day DATE'`

export const convert: CliCommand<ConvertCliOptions> = {
  define(command: Command) {
    command
      .argument('<folder>', 'a folder of Parquet files, or its address')
      .option('--partition-by <columns>', "columns that folders name=value stand for: 'country STRING, day DATE'")
      .option('--no-statistics', 'collect no statistics: readers can skip no file then')
      .option('--property <key=value>', 'property of the table; may be repeated', parseProperty, new Map())
      .option('--plan', 'say what the table would be, and do nothing')
      .addHelpText('after', EXAMPLES)
  },

  async run([location], { partitionBy, statistics, property, plan = false }, context) {
    const { backend } = await context.session()
    const progress = context.progress('reading footers')
    const result = await backend.execute(
      {
        kind: 'convert',
        table: { location: String(location) },
        collectStatistics: statistics,
        properties: property,
        dryRun: plan,
        ...(partitionBy !== undefined && { partitionBy: parseTableSchema(partitionBy).fields }),
      },
      { signal: context.signal, onProgress: progress.update },
    )
    progress.clear()
    await context.output.line(context.globals.json ? resultJson(result) : resultText(result))
    return 0
  },
}

function resultJson({ schema, ...result }: ConvertResult): string {
  return JSON.stringify({ ...result, ...(schema && { schema: JSON.parse(printSchema(schema)) }) })
}

function resultText({ version, numConvertedFiles, sizeInBytes, schema }: ConvertResult): string {
  if (schema === undefined) return 'a table is there already'
  const files = `${plural(numConvertedFiles, 'file')} (${formatBytes(sizeInBytes)})`
  const columns = schema.fields.map(({ name, type }) => `${name} ${formatType(type)}`).join(', ')
  return `${version === null ? 'the table would have' : `version ${version}:`} ${files}; ${columns}`
}
