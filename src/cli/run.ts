/**
 * Runs one command line: finds the command, imports its module and no other, carries it out, prints failures.
 *
 * Exit status: 0 done; 1 the operation failed; 2 the command was not understood; 130 interrupted.
 */
import { Command, CommanderError } from 'commander'
import type { Session } from '../session/index.ts'
import type { DeltaTable } from '../table/index.ts'
import type { CliContext, CommandEntry } from './cli-command.ts'
import { addGlobalOptions, type GlobalOptions, resolveGlobals } from './globals.ts'
import { Output } from './output/output.ts'
import { asDeltaError, EXIT_INTERRUPTED, errorText, exitStatusOf } from './output/print-error.ts'
import { ProgressLine } from './output/progress.ts'
import { registry } from './registry.ts'
import type { Terminal } from './terminal.ts'
import { versionText } from './version.ts'

const DESCRIPTION = 'Delta Lake and DuckLake tables: read, write, stream into, explore and publish them.'

/** @returns the exit status */
export async function runCommandLine(argv: readonly string[], terminal: Terminal): Promise<number> {
  if (argv[0] === '--version' || argv[0] === '-V') {
    terminal.stdout.write(`${versionText()}\n`)
    return 0
  }
  try {
    return await runProgram(argv, terminal)
  } catch (thrown) {
    if (thrown instanceof CommanderError && thrown.exitCode === 0) return 0
    const error = asDeltaError(thrown)
    terminal.stderr.write(`${errorText(error, argv.includes('--json'))}\n`)
    return exitStatusOf(error)
  }
}

async function runProgram(argv: readonly string[], terminal: Terminal): Promise<number> {
  const program = new Command('bayou')
    .description(DESCRIPTION)
    .exitOverride()
    .configureOutput({ writeOut: (text) => terminal.stdout.write(text), writeErr: () => {}, outputError: () => {} })
    .configureHelp({ showGlobalOptions: true })
    .helpCommand(false)
    .usage('<command> [arguments] [options]')
  addGlobalOptions(program)
  let status = 0
  const entries = new Map<Command, CommandEntry>()
  for (const entry of registry) entries.set(program.command(entry.name).description(entry.summary), entry)
  program.hook('preSubcommand', async (_, command) => {
    const module = await entries.get(command)?.load()
    module?.define(command)
    command.action(async (...given: unknown[]) => {
      const globals = resolveGlobals(program.opts(), terminal)
      const args = given.slice(0, -2)
      status = await runWithContext(globals, terminal, async (context) => {
        const ended = await module?.run(args, command.opts() as never, context)
        return module?.runsUntilInterrupted || !context.signal.aborted ? ended : EXIT_INTERRUPTED
      })
    })
  })
  if (argv.length === 0) {
    program.outputHelp()
    return 0
  }
  await program.parseAsync(argv, { from: 'user' })
  return status
}

type Work = (context: CliContext) => Promise<number | undefined>

async function runWithContext(globals: GlobalOptions, terminal: Terminal, work: Work): Promise<number> {
  const stop = new AbortController()
  const state = { readerGone: false, session: undefined as Promise<Session> | undefined }
  const output = new Output(terminal, globals.color, () => {
    state.readerGone = true
    stop.abort()
  })
  const interrupt = () => {
    if (stop.signal.aborted) process.exit(EXIT_INTERRUPTED)
    stop.abort()
  }
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt)
  const lines: ProgressLine[] = []
  const session = () => (state.session ??= openCliSession(globals, terminal, (text) => note(text)))
  const note = (text: string) => {
    for (const line of lines) line.clear()
    if (!globals.quiet) terminal.stderr.write(`${text}\n`)
  }
  const context: CliContext = {
    globals,
    commands: registry,
    terminal,
    output,
    note,
    signal: stop.signal,
    session,
    table: async (location): Promise<DeltaTable> => await (await session()).tables.forPath(location),
    progress: (title) => {
      const line = new ProgressLine(terminal, title, !globals.quiet)
      lines.push(line)
      return line
    },
  }
  try {
    const status = (await work(context)) ?? 0
    await output.flush()
    return state.readerGone ? 0 : status
  } catch (error) {
    if (state.readerGone) return 0
    await output.flush()
    throw error
  } finally {
    for (const line of lines) line.clear()
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt)
    await (await state.session)?.close()
  }
}

async function openCliSession(
  globals: GlobalOptions,
  { env }: Terminal,
  onWarning: (text: string) => void,
): Promise<Session> {
  const { openCommandSession } = await import('./session.ts')
  return openCommandSession(globals, env, onWarning)
}
