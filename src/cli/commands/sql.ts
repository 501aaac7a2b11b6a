/** `bayou sql`: one statement, a file of statements, or a prompt. */
import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { causeText, deltaError } from '../../errors/index.ts'
import { SqlSession, splitStatements } from '../../sql/index.ts'
import type { CliCommand, CliContext } from '../cli-command.ts'
import { asDeltaError, errorText } from '../output/print-error.ts'
import { printJsonResult, printResult, statementErrorJson } from './sql/print-result.ts'

interface SqlOptions {
  readonly file?: string
  readonly table?: readonly string[]
  readonly continueOnError?: boolean
}

const EXAMPLES = `
Examples:
  $ bayou sql "select count(*) from delta.\`/lake/orders\`"
  $ bayou sql --table orders=/lake/orders "select country, sum(amount) from orders group by all"
  $ bayou sql --table orders=/lake/orders "select * from orders version as of 3 where amount > 100"
  $ bayou sql --table orders=/lake/orders

A SELECT is DuckDB's; tables are named by --table or by their path.`

export const sql: CliCommand<SqlOptions> = {
  define(command: Command) {
    command
      .argument('[statement]', 'what to run; a prompt when neither this nor -f is given')
      .option('-f, --file <file>', 'run the statements of a file; - is standard input')
      .option('--table <name=table>', 'a name for a table; may be given again', collectTables, [])
      .option('--continue-on-error', 'go on behind a statement that failed')
      .addHelpText('after', EXAMPLES)
  },

  async run([statement], options, context) {
    const session = await openSqlSession(options.table ?? [], context)
    if (statement === undefined && options.file === undefined) {
      const { runPrompt } = await import('./sql/prompt.ts')
      return await runPrompt(session, context)
    }
    const text = options.file === undefined ? String(statement) : readStatements(options.file)
    return await runStatements(session, splitStatements(text), options.continueOnError === true, context)
  },
}

async function openSqlSession(names: readonly string[], context: CliContext): Promise<SqlSession> {
  const { engine, openStore } = await context.session()
  return new SqlSession({ engine, openStore, tables: new Map(names.map(parseTable)) })
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
      await runStatement(session, statement, index + 1, context)
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

async function runStatement(
  session: SqlSession,
  statement: string,
  number: number,
  context: CliContext,
): Promise<void> {
  const result = await session.run(statement, { signal: context.signal })
  if (context.globals.json) await printJsonResult(number, result, context.output)
  else await printResult(result, context)
}
