/** `bayou sql`: one statement, a file of statements, or a prompt. */
import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { causeText, type DeltaError, deltaError } from '../../errors/index.ts'
import { SqlSession, splitStatements } from '../../sql/index.ts'
import type { CliCommand, CliContext } from '../cli-command.ts'
import { asDeltaError, errorText } from '../output/print-error.ts'
import { printReadings } from './sql/print-readings.ts'
import { printJsonResult, printResult, statementErrorJson } from './sql/print-result.ts'

interface SqlOptions {
  readonly file?: string
  readonly table?: readonly string[]
  readonly continueOnError?: boolean
  readonly parseOnly?: boolean
}

const EXAMPLES = `
Examples:
  $ bayou sql "select count(*) from delta.\`/lake/orders\`"
  $ bayou sql --table orders=/lake/orders "select country, sum(amount) from orders group by all"
  $ bayou sql --table orders=/lake/orders "select * from orders version as of 3 where amount > 100"
  $ bayou sql --table orders=/lake/orders

A SELECT is DuckDB's, other statements are Spark's; tables are named by --table, by CREATE TABLE … LOCATION or by
their path.`

export const sql: CliCommand<SqlOptions> = {
  define(command: Command) {
    command
      .argument(
        '[statement]',
        'what to run; a prompt on a terminal, or standard input, when neither this nor -f is given',
      )
      .option('-f, --file <file>', 'run the statements of a file; - is standard input')
      .option('--table <name=table>', 'a name for a table; may be given again', collectTables, [])
      .option('--continue-on-error', 'go on behind a statement that failed')
      .option('--parse-only', 'read the statements without running them: one JSON line each')
      .addHelpText('after', EXAMPLES)
  },

  async run([statement], options, context) {
    const session = await openSqlSession(options.table ?? [], context)
    const asks = statement === undefined && options.file === undefined
    if (asks && isTerminal(context.terminal.stdin)) {
      const { runPrompt } = await import('./sql/prompt.ts')
      return await runPrompt(session, context)
    }
    const text = statement === undefined ? readStatements(options.file ?? '-') : String(statement)
    const parts = splitStatements(text)
    if (options.parseOnly) return await printReadings(session, { parts, script: text }, context)
    return await runStatements(
      session,
      parts.map((part) => part.text),
      options.continueOnError === true,
      context,
    )
  },
}

function isTerminal(stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean }): boolean {
  return stdin.isTTY === true
}

async function openSqlSession(names: readonly string[], context: CliContext): Promise<SqlSession> {
  const { engine, backend, openStore } = await context.session()
  return new SqlSession({ engine, backend, openStore, tables: new Map(names.map(parseTable)) })
}

function collectTables(text: string, before: readonly string[]): readonly string[] {
  return [...before, text]
}

function parseTable(text: string): [string, string] {
  const at = text.indexOf('=')
  if (at > 0 && at < text.length - 1) return [text.slice(0, at), text.slice(at + 1)]
  throw deltaError('LAKE_USAGE', { problem: `--table ${text} names no table`, advice: 'write --table NAME=TABLE' })
}

function readStatements(file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8')
  } catch (cause) {
    throw deltaError(
      'LAKE_USAGE',
      { problem: `${file} cannot be read: ${causeText(cause)}`, advice: 'give a file of statements' },
      { cause },
    )
  }
}

async function runStatements(
  session: SqlSession,
  statements: readonly string[],
  goOn: boolean,
  context: CliContext,
): Promise<number> {
  let failed = 0
  for (const [index, statement] of statements.entries()) {
    try {
      const error = await runStatement(session, statement, index + 1, context)
      if (error === undefined) continue
      failed++
      if (!goOn) break
    } catch (thrown) {
      if (!context.globals.json && !goOn) throw thrown
      failed++
      const error = asDeltaError(thrown)
      if (context.globals.json) await context.output.line(statementErrorJson(index + 1, error))
      else context.terminal.stderr.write(`${errorText(error, false)}\n`)
      if (!goOn) break
    }
  }
  return failed === 0 ? 0 : 1
}

/** @returns an error that stands in the output already */
async function runStatement(
  session: SqlSession,
  statement: string,
  number: number,
  context: CliContext,
): Promise<DeltaError | undefined> {
  const result = await session.run(statement, { signal: context.signal })
  if (context.globals.json) return await printJsonResult(number, result, context.output)
  await printResult(result, context)
  return undefined
}
