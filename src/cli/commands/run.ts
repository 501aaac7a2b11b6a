/** `bayou run`: a worker that streams records from sources into tables until it is stopped, or its sources end. */
import { readFileSync } from 'node:fs'
import { type Command, Option } from 'commander'
import { duckdbEngine } from '../../engine/duckdb/index.ts'
import { causeText, type DeltaError, deltaError, isDeltaError } from '../../errors/index.ts'
import { formatType, printSchema } from '../../schema/index.ts'
import { parseStrictJson } from '../../support/index.ts'
import {
  checkWorker,
  checkWorkerConfig,
  formatRecordType,
  memoryLimitOf,
  type RunOptions,
  runWorker,
  type WorkerConfig,
  type WorkerEvent,
  type WorkerSummary,
  workerThreads,
} from '../../worker/index.ts'
import type { CliCommand, CliContext } from '../cli-command.ts'
import { errorText } from '../output/print-error.ts'
import { formatBytes, plural } from '../output/sizes.ts'

interface RunCommandOptions {
  readonly check?: boolean
  readonly printSchema?: boolean
  readonly once?: boolean
  readonly log: 'text' | 'json'
}

const EXAMPLES = `
Examples:
  $ bayou run worker.json
  $ bayou run worker.json --check
  $ bayou run worker.json --once --log json`

export const run: CliCommand<RunCommandOptions> = {
  runsUntilInterrupted: true,

  define(command: Command) {
    command.argument('<config>', 'the configuration, a JSON file')
    command.option('--check', 'say everything that is wrong with it, and do nothing')
    command.option('--print-schema', 'show the record type of each route, and the schema of the table it would create')
    command.option('--once', 'stop when every bounded source is drained and committed')
    command.addOption(new Option('--log <form>', 'what is told on the way').choices(['text', 'json']).default('text'))
    command.addHelpText('after', EXAMPLES)
  },

  async run([file], options, context) {
    const { config, faults } = checkWorkerConfig(readConfig(String(file)))
    if (config === undefined || faults.length > 0) return refuse(faults, context)
    if (config.routes.length === 0) {
      const details = { key: 'routes', name: 'routes', allowed: 'a list of one route or more' }
      return refuse([deltaError('WORKER_CONFIG_MISSING', details)], context)
    }
    if (options.printSchema === true) return await printSchemas(config, context)
    const { memoryLimit = memoryLimitOf(config), threads = workerThreads(), tempDir } = context.globals
    const engine = duckdbEngine({
      memoryLimit,
      threads,
      ...(tempDir !== undefined && { tempDirectory: tempDir }),
    })
    try {
      if (options.check === true) return await check(config, { engine }, context)
      return await runToEnd(
        config,
        { engine, once: options.once === true, ...(await reporting(options, context)) },
        context,
      )
    } finally {
      await engine.close()
    }
  },
}

function readConfig(file: string): unknown {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (cause) {
    throw deltaError('LAKE_CONFIG_INVALID', { file, problem: `it cannot be read: ${causeText(cause)}` }, { cause })
  }
  try {
    parseStrictJson(text)
  } catch (cause) {
    const { position, reason } = isDeltaError(cause, 'LAKE_JSON_MALFORMED') ? cause.details : {}
    throw deltaError('WORKER_CONFIG_MALFORMED', { what: `JSON: ${file}, character ${position}: ${reason}` }, { cause })
  }
  return JSON.parse(text.replace(/^\ufeff/, '')) as unknown
}

/** Every fault is a line of its own. */
function refuse(faults: readonly DeltaError[], { terminal, globals }: CliContext): number {
  for (const fault of faults) terminal.stderr.write(`${errorText(fault, globals.json)}\n`)
  return 1
}

async function check(config: WorkerConfig, options: RunOptions, context: CliContext): Promise<number> {
  const faults = await checkWorker(config, { ...options, env: context.terminal.env })
  if (faults.length > 0) return refuse(faults, context)
  if (context.globals.json) await context.output.line(JSON.stringify({ ok: true }))
  else await context.output.line(`${config.name}: nothing is wrong with ${plural(config.routes.length, 'route')}`)
  return 0
}

/** What each route writes, and the schema of the table that its destination would create of it. */
async function printSchemas({ routes }: WorkerConfig, { globals, output }: CliContext): Promise<number> {
  for (const { id, source, destination, output: record, outputSchema } of routes) {
    const columns = record.fields.map(({ name, type }) => ({ name, type: formatRecordType(type) }))
    if (globals.json) {
      const schema = JSON.parse(printSchema(outputSchema)) as unknown
      await output.line(JSON.stringify({ route: id, source, destination, columns, schema }))
      continue
    }
    await output.line(`${id} (${source} to ${destination})`)
    const types = new Map(outputSchema.fields.map((column) => [column.name, formatType(column.type)]))
    for (const { name, type } of columns) await output.line(`  ${name}  ${type}  ${types.get(name)}`)
  }
  return 0
}

async function runToEnd(config: WorkerConfig, options: RunOptions, context: CliContext): Promise<number> {
  const isLogged = options.log !== undefined
  const summary = await runWorker(config, {
    ...options,
    signal: context.signal,
    env: context.terminal.env,
    input: context.terminal.stdin as AsyncIterable<Uint8Array>,
    print: async (text) => {
      await context.output.write(text)
      await context.output.flush()
    },
  })
  if (context.globals.json) await context.output.line(JSON.stringify(summary))
  else if (!isLogged) for (const line of summaryLines(summary)) context.note(line)
  return 0
}

/** Lines for people and a progress line, or pino's JSON lines, on standard error. */
async function reporting(
  { log }: RunCommandOptions,
  context: CliContext,
): Promise<Pick<RunOptions, 'log' | 'onEvent'>> {
  if (log === 'json') {
    const { destination, pino } = await import('pino')
    return { log: pino({ base: null }, destination({ dest: 2, sync: true })) }
  }
  const progress = context.progress('running')
  return {
    onEvent: (event) => {
      if (event.kind === 'progress') progress.update({ rows: event.records, files: event.commits, bytes: event.bytes })
      else context.note(eventLine(event))
    },
  }
}

function eventLine(event: Exclude<WorkerEvent, { kind: 'progress' }>): string {
  switch (event.kind) {
    case 'started': {
      const targets = event.destinations.map(({ id, target }) => `${id} to ${target}`)
      return `${event.name}: started, ${targets.join(', ')}${event.url === undefined ? '' : `, serving ${event.url}`}`
    }
    case 'commit': {
      const { destination, version, rows, files, fileBytes, refused, ms } = event
      const kept = refused === 0 ? '' : `, ${plural(refused, 'record')} refused`
      return `${destination}: version ${version}, ${plural(rows, 'row')} in ${plural(files, 'file')}, ${formatBytes(fileBytes)}, ${ms} ms${kept}`
    }
    case 'checkpoint':
      return `${event.destination}: checkpoint of version ${event.version}`
    case 'stalled':
      return event.reason === undefined
        ? `${event.destination}: writing works again`
        : `${event.destination}: writing fails and is tried again: ${event.reason}`
    case 'warning':
      return `${event.destination}: ${event.text}`
    case 'source-warning':
      return `${event.source}: ${event.text}`
    case 'stopping':
      return 'stopping: what is held is being committed'
  }
}

function summaryLines({ destinations }: WorkerSummary): string[] {
  return destinations.flatMap((destination) => {
    const { id, records, rows, refused, filtered, ignoredFields, commits, lastVersion, deadLetterFile } = destination
    const reached = lastVersion === undefined ? '' : `, ${plural(commits, 'commit')} up to version ${lastVersion}`
    const left = filtered === 0 ? '' : `, ${filtered} left out`
    const lines = [`${id}: ${plural(records, 'record')}, ${plural(rows, 'row')}${reached}${left}`]
    if (ignoredFields > 0)
      lines.push(`${id}: ${plural(ignoredFields, 'field')} of records passed over, no column is for them`)
    if (refused > 0) lines.push(`${id}: ${plural(refused, 'record')} refused, kept in ${deadLetterFile}`)
    return lines
  })
}
