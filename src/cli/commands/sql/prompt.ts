/**
 * A prompt for statements, with history and completion.
 *
 * A statement ends with a semicolon at the end of a line. Ctrl-C drops what is typed or ends the running statement,
 * Ctrl-D leaves. History is kept in `$XDG_STATE_HOME/bayou/history`.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface, type Interface } from 'node:readline'
import { type SqlSession, splitStatements } from '../../../sql/index.ts'
import type { CliContext } from '../../cli-command.ts'
import { asDeltaError, errorText } from '../../output/print-error.ts'
import { printResult } from './print-result.ts'

const HISTORY_LINES = 1000
const WORDS = (
  'select from where group by order limit join left on using having with as distinct union all case when then else ' +
  'end and or not null is in like between version timestamp of count sum min max avg'
).split(' ')

/** @returns the exit status */
export async function runPrompt(session: SqlSession, context: CliContext): Promise<number> {
  const { stdin, stdout, env } = context.terminal
  const historyFile = historyPath(env)
  const lines = createInterface({
    input: stdin,
    output: stdout,
    prompt: 'bayou> ',
    history: readHistory(historyFile),
    historySize: HISTORY_LINES,
    removeHistoryDuplicates: true,
    completer: (line: string) => complete(line, session.tableNames),
  })
  lines.on('history', (history) => keepHistory(historyFile, history))
  context.note('Statements end with a semicolon. Ctrl-D leaves.')
  await readLoop(lines, session, context)
  return 0
}

async function readLoop(lines: Interface, session: SqlSession, context: CliContext): Promise<void> {
  let typed = ''
  let running: AbortController | undefined
  lines.on('SIGINT', () => {
    if (running !== undefined) return running.abort()
    typed = ''
    context.terminal.stdout.write('\n')
    lines.setPrompt('bayou> ')
    lines.prompt()
  })
  lines.prompt()
  for await (const line of lines) {
    typed += `${line}\n`
    if (line.trimEnd().endsWith(';')) {
      running = new AbortController()
      await runTyped(session, typed, running.signal, context)
      running = undefined
      typed = ''
    }
    lines.setPrompt(typed.trim() === '' ? 'bayou> ' : '  ...> ')
    lines.prompt()
  }
}

async function runTyped(session: SqlSession, text: string, signal: AbortSignal, context: CliContext): Promise<void> {
  try {
    for (const { text: statement } of splitStatements(text)) {
      await printResult(await session.run(statement, { signal }), context)
    }
  } catch (error) {
    context.terminal.stderr.write(`${errorText(asDeltaError(error), false)}\n`)
  }
  await context.output.flush()
}

function complete(line: string, tables: readonly string[]): [string[], string] {
  const word = /[\w.]*$/.exec(line)?.[0] ?? ''
  const hits = [...tables, ...WORDS].filter((candidate) => candidate.startsWith(word.toLowerCase()))
  return [hits, word]
}

function historyPath(env: NodeJS.ProcessEnv): string | undefined {
  if (env.XDG_STATE_HOME !== undefined) return join(env.XDG_STATE_HOME, 'bayou', 'history')
  return env.HOME === undefined ? undefined : join(env.HOME, '.local', 'state', 'bayou', 'history')
}

function readHistory(file: string | undefined): string[] {
  try {
    return file === undefined ? [] : readFileSync(file, 'utf8').split('\n').filter(Boolean)
  } catch {
    // no history yet, or none that can be read: the prompt works without
    return []
  }
}

function keepHistory(file: string | undefined, history: readonly string[]): void {
  if (file === undefined) return
  try {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, `${history.join('\n')}\n`, { mode: 0o600 })
  } catch {
    // a home that cannot be written to keeps no history
  }
}
