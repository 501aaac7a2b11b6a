/** `bayou drop-feature`: takes a table feature out of a table, or says what that would do. */
import type { Command } from 'commander'
import type { DropFeaturePlan, PlannedCommit } from '../../operations/index.ts'
import { formatTimestamp } from '../../support/index.ts'
import type { CliCommand, CliContext } from '../cli-command.ts'
import { formatBytes, formatCount, plural } from '../output/sizes.ts'
import { printFacts } from '../output/text-table.ts'
import { addTableArgument } from '../read-options.ts'
import { supportText } from '../support-text.ts'

interface DropFeatureCliOptions {
  readonly truncateHistory?: boolean
  readonly plan?: boolean
}

const EXAMPLES = `
With --truncate-history the log loses, for good, all history older than 24 hours
(delta.dropFeatureTruncateHistory.retentionDuration), and the command is run twice, that far apart.

Examples:
  $ bayou drop-feature /lake/orders deletionVectors --plan     says what would be done
  $ bayou drop-feature /lake/orders deletionVectors
  $ bayou drop-feature /lake/orders deletionVectors --truncate-history`

export const dropFeature: CliCommand<DropFeatureCliOptions> = {
  define(command: Command) {
    addTableArgument(command)
    command.argument('<feature>', 'its name in the protocol, as `bayou detail` lists it')
    command.option('--truncate-history', 'delete the history that needs the feature instead of protecting it')
    command.option('--plan', 'say what would be done, and do nothing')
    command.addHelpText('after', EXAMPLES)
  },

  async run([location, feature], { plan = false, truncateHistory = false }, context) {
    const table = await context.table(String(location))
    const options = { truncateHistory, signal: context.signal }
    if (plan) {
      await tellPlan(await table.planDropFeature(String(feature), options), context)
      return 0
    }
    // what cannot be taken back is said before it is done
    if (truncateHistory) context.note(historyNote(await table.planDropFeature(String(feature), options)))
    const progress = context.progress(`dropping ${feature}`)
    const { version } = await table
      .dropFeatureSupport(String(feature), { ...options, onProgress: progress.update })
      .finally(() => progress.clear())
    if (context.globals.json) await context.output.line(JSON.stringify({ version }))
    else await context.output.line(`version ${version}: the table no longer has ${feature}`)
    return 0
  },
}

function historyNote({ earliestVersion, waitUntilMs }: DropFeaturePlan): string {
  const loss = `versions before ${earliestVersion} are deleted from the history for good`
  return waitUntilMs === null
    ? loss
    : `${loss}; this run prepares the table, another one after ${timeText(waitUntilMs)} ends it`
}

async function tellPlan(plan: DropFeaturePlan, { globals, output }: CliContext): Promise<void> {
  const { waitUntilMs, ...rest } = plan
  const waitUntil = waitUntilMs === null ? null : timeText(waitUntilMs)
  if (globals.json) return await output.line(JSON.stringify({ ...rest, waitUntil }))
  const { protocol } = plan
  await printFacts(output, [
    ['feature', plan.feature],
    ['at version', String(plan.version)],
    ['files to rewrite', `${formatCount(plan.numFiles)} (${formatBytes(plan.numBytes)})`],
    ...plan.commits.map((commit, i) => [`commit ${plan.version + 1 + i}`, commitText(commit)] as const),
    ['earliest version then', String(plan.earliestVersion)],
    ['wait', waitUntil === null ? 'none' : `run the same command again after ${waitUntil}`],
    ['protocol then', `reader ${protocol.minReaderVersion}, writer ${protocol.minWriterVersion}`],
    ['features then', protocol.writerFeatures?.join(', ') ?? 'those of the versions'],
    ...plan.engines.map((engine) => [engine.engine, supportText(engine)] as const),
  ])
}

function commitText({ operation, numFiles, numBytes, checkpoint }: PlannedCommit): string {
  const files = numFiles === 0 ? '' : `, ${plural(numFiles, 'file')} written anew (${formatBytes(numBytes)})`
  return `${operation}${files}${checkpoint ? ', with a checkpoint' : ''}`
}

function timeText(ms: number): string {
  return `${formatTimestamp(BigInt(Math.ceil(ms)) * 1000n)}Z`
}
