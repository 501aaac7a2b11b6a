/**
 * A prompt for statements, with history, completion, shortcuts, times and pages.
 *
 * A statement ends with a semicolon at the end of a line. Ctrl-C drops what is typed or ends the running statement,
 * Ctrl-D leaves. History is kept in `$XDG_STATE_HOME/bayou/history`, a statement of several lines as one.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface, type Interface } from 'node:readline'
import { Writable } from 'node:stream'
import { type SqlSession, splitStatements } from '../../../sql/index.ts'
import type { CliContext } from '../../cli-command.ts'
import { Output } from '../../output/output.ts'
import { asDeltaError, errorText } from '../../output/print-error.ts'
import { completions } from './complete.ts'
import { showPages } from './pager.ts'
import { printResult } from './print-result.ts'
import { type PromptState, readShortcut, type Shortcut } from './shortcuts.ts'

const HISTORY_LINES = 1000
const FIRST = 'bayou> '
const MORE = '  ...> '
/** Rows of a result that pages show at most. */
const PAGED_ROWS = 10_000
const DEFAULT_ROWS = 24
const DEFAULT_COLUMNS = 80

/** @returns the exit status */
export async function runPrompt(session: SqlSession, context: CliContext): Promise<number> {
  return await new Prompt(session, context).run()
}

class Prompt {
  private readonly session: SqlSession
  private readonly context: CliContext
  private readonly historyFile: string | undefined
  private readonly lines: Interface
  private state: PromptState = { timing: false, paging: true }
  private columns: ReadonlyMap<string, readonly string[]> = new Map()
  private typed = ''
  private running: AbortController | undefined

  constructor(session: SqlSession, context: CliContext) {
    const { stdin, stdout, env } = context.terminal
    this.session = session
    this.context = context
    this.historyFile = historyPath(env)
    this.lines = createInterface({
      input: stdin,
      output: stdout,
      prompt: FIRST,
      history: readHistory(this.historyFile),
      historySize: HISTORY_LINES,
      removeHistoryDuplicates: true,
      completer: (line: string) => completions(line, this.columns),
    })
    this.lines.on('SIGINT', () => this.interrupt())
  }

  async run(): Promise<number> {
    this.context.note('Statements end with a semicolon. \\? helps, Ctrl-D leaves.')
    await this.learnColumns()
    this.lines.prompt()
    for await (const line of this.lines) {
      if (!(await this.take(line))) break
      this.lines.setPrompt(this.typed.trim() === '' ? FIRST : MORE)
      this.lines.prompt()
    }
    this.lines.close()
    return 0
  }

  /** @returns false where the line leaves the prompt */
  private async take(line: string): Promise<boolean> {
    const shortcut = this.typed.trim() === '' ? readShortcut(line, this.state, this.session) : undefined
    if (shortcut !== undefined) return await this.follow(shortcut)
    this.typed += `${line}\n`
    if (!line.trimEnd().endsWith(';')) return true
    const text = this.typed
    this.typed = ''
    keepHistory(this.historyFile, text)
    for (const part of parts(text)) if (!(await this.runStatement(part))) break
    await this.learnColumns()
    return true
  }

  private async follow(shortcut: Shortcut): Promise<boolean> {
    if (shortcut.kind === 'quit') return false
    if (shortcut.kind === 'statement') await this.runStatement(shortcut.sql)
    else this.write(`${shortcut.text}\n`)
    if (shortcut.kind === 'state') this.state = shortcut.state
    return true
  }

  /** @returns false where it failed */
  private async runStatement(sql: string): Promise<boolean> {
    this.running = new AbortController()
    const startedMs = performance.now()
    try {
      const result = await this.session.run(sql, { signal: this.running.signal })
      await (this.state.paging ? this.printPaged(result) : printResult(result, this.context))
    } catch (error) {
      this.context.terminal.stderr.write(`${errorText(asDeltaError(error), false)}\n`)
      return false
    } finally {
      this.running = undefined
      await this.context.output.flush()
    }
    if (this.state.timing) this.write(`Time: ${(performance.now() - startedMs).toFixed(1)} ms\n`)
    return true
  }

  private async printPaged(result: Parameters<typeof printResult>[0]): Promise<void> {
    const { terminal, globals, output } = this.context
    const sink = new TextSink(terminal.stdout.columns ?? DEFAULT_COLUMNS)
    const own = new Output({ ...terminal, stdout: sink }, output.color ? 'always' : globals.color, () => {})
    const cut = await printResult(result, { ...this.context, output: own, note: () => {} }, PAGED_ROWS)
    const rows = (terminal.stdout as { readonly rows?: number }).rows ?? DEFAULT_ROWS
    if (sink.text !== '') await showPages(sink.text, { lines: this.lines, rows, write: (text) => this.write(text) })
    if (cut.all) this.context.note(cut.text)
    else this.context.note(`The first ${PAGED_ROWS} rows; \\pager shows all.`)
  }

  private interrupt(): void {
    if (this.running !== undefined) {
      this.running.abort()
      return
    }
    this.typed = ''
    this.write('\n')
    this.lines.setPrompt(FIRST)
    this.lines.prompt()
  }

  private async learnColumns(): Promise<void> {
    this.columns = await this.session.columnNames()
  }

  private write(text: string): void {
    this.context.terminal.stdout.write(text)
  }
}

/** Text that goes to a terminal later. */
class TextSink extends Writable {
  readonly isTTY = true
  readonly columns: number
  text = ''

  constructor(columns: number) {
    super({ decodeStrings: false })
    this.columns = columns
  }

  override _write(chunk: string | Uint8Array, _: BufferEncoding, done: () => void): void {
    this.text += typeof chunk === 'string' ? chunk : new TextDecoder().decode(chunk)
    done()
  }
}

function parts(text: string): readonly string[] {
  return splitStatements(text).map((part) => part.text)
}

function historyPath(env: Readonly<Record<string, string | undefined>>): string | undefined {
  if (env.XDG_STATE_HOME !== undefined) return join(env.XDG_STATE_HOME, 'bayou', 'history')
  return env.HOME === undefined ? undefined : join(env.HOME, '.local', 'state', 'bayou', 'history')
}

/** Newest first, as the editor of lines wants it. */
function readHistory(file: string | undefined): string[] {
  try {
    return file === undefined ? [] : readFileSync(file, 'utf8').split('\n').filter(Boolean)
  } catch {
    // no history yet, or none that can be read: the prompt works without
    return []
  }
}

/** A statement of several lines becomes one, so that it can be called up whole. */
function keepHistory(file: string | undefined, statement: string): void {
  if (file === undefined) return
  const line = oneLine(statement)
  try {
    const before = readHistory(file).filter((known) => known !== line)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, `${[line, ...before].slice(0, HISTORY_LINES).join('\n')}\n`, { mode: 0o600 })
  } catch {
    // a home that cannot be written to keeps no history
  }
}

/** Where a comment or a text spans a line break, what comes behind the break would change: such breaks are kept out. */
function oneLine(statement: string): string {
  const lines = statement.trim().split('\n')
  return lines.map((line) => (/--/.test(line) ? line.replace(/--[^']*$/, '') : line).trim()).join(' ')
}
