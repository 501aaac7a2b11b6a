/** `bayou detail`: what a table is, as DESCRIBE DETAIL says it, and which known engines can read and write it. */
import type { Command } from 'commander'
import { type EngineSupport, engineSupport, type FeatureSupport, featureSupport } from '../../operations/index.ts'
import type { DetailRecord } from '../../table/index.ts'
import type { CliCommand } from '../cli-command.ts'
import { isLakeAddress } from '../ducklake/lake-address.ts'
import { formatBytes, formatCount } from '../output/sizes.ts'
import { type Cell, printFacts } from '../output/text-table.ts'
import { addReadPointOptions, addTableArgument, type ReadPointOptions, readPoint } from '../read-options.ts'
import { supportText } from '../support-text.ts'

const EXAMPLES = `
Examples:
  $ bayou detail /lake/orders
  $ bayou detail /lake/orders --json | jq .tableFeatures`

export const detail: CliCommand<ReadPointOptions> = {
  define(command: Command) {
    addTableArgument(command)
    addReadPointOptions(command)
    command.addHelpText('after', EXAMPLES)
  },

  async run([location], options, context) {
    if (isLakeAddress(String(location))) {
      const { lakeDetail } = await import('../ducklake/lake-facts.ts')
      return await lakeDetail(String(location), options, context)
    }
    const table = (await context.table(String(location))).at(readPoint(options))
    const record = await table.detail()
    const engines = engineSupport(record)
    const features = featureSupport(record.tableFeatures)
    const { unwritableFeatures: _, unreadableFeatures, ...columns } = record
    if (context.globals.json)
      await context.output.line(
        JSON.stringify({
          ...columns,
          ...(unreadableFeatures.length > 0 && { unreadableFeatures }),
          engines,
          featureSupport: features,
        }),
      )
    else await printFacts(context.output, facts(record, engines, features))
    return 0
  },
}

function facts(
  record: DetailRecord,
  engines: readonly EngineSupport[],
  features: readonly FeatureSupport[],
): (readonly [string, Cell])[] {
  return [
    ['location', record.location],
    ['id', record.id],
    ['name', record.name],
    ['description', record.description],
    ['created', record.createdAt],
    ['last modified', record.lastModified],
    ['partitioned by', record.partitionColumns.join(', ') || 'nothing'],
    ...(record.clusteringColumns.length === 0 ? [] : [['clustered by', record.clusteringColumns.join(', ')] as const]),
    ...filesFacts(record),
    ['protocol', `reader ${record.minReaderVersion}, writer ${record.minWriterVersion}`],
    ['features', record.tableFeatures.join(', ') || 'none'],
    ...Object.entries(record.properties).map(([key, value]) => [`property ${key}`, value] as const),
    ...features.map((feature) => [`feature ${feature.feature}`, featureText(feature)] as const),
    ...engines.map((engine) => [engine.engine, supportText(engine)] as const),
  ]
}

function filesFacts({ numFiles, sizeInBytes, unreadableFeatures }: DetailRecord): (readonly [string, Cell])[] {
  if (numFiles === null || sizeInBytes === null) {
    return [['rows', `cannot be read: this version does not know ${unreadableFeatures.join(', ')}`]]
  }
  return [
    ['files', formatCount(numFiles)],
    ['size', `${formatBytes(sizeInBytes)} (${formatCount(sizeInBytes)} bytes)`],
  ]
}

/** Only what somebody does not do in every version: `read since Spark with Delta 2.3; not written by delta-rs`. */
function featureText({ engines }: FeatureSupport): string {
  const texts = engines.flatMap(({ engine, reads, writes }) => {
    const same = reads === writes ? [sinceText('read and written', engine, reads)] : []
    const apart = [sinceText('read', engine, reads), sinceText('written', engine, writes)]
    return (reads === writes ? same : apart).filter((text) => text !== undefined)
  })
  return texts.length === 0 ? 'read and written by all' : texts.join('; ')
}

function sinceText(what: string, engine: string, since: string): string | undefined {
  if (since === 'always') return undefined
  return since === 'never' ? `not ${what.replace(' and ', ' or ')} by ${engine}` : `${what} since ${engine} ${since}`
}
