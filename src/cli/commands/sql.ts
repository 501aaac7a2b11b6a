/** `bayou sql`: one statement, a file of statements, or a prompt. */
import { readFileSync } from 'node:fs'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { causeText, type DeltaError, deltaError } from '../../errors/index.ts'
import { bindExpression, castValue, evaluate, parseExpression } from '../../expressions/index.ts'
import { stringType, structType } from '../../schema/index.ts'
import { type ParameterValue, type ParameterValues, SqlSession, splitStatements } from '../../sql/index.ts'
import type { CliCommand, CliContext } from '../cli-command.ts'
import { asDeltaError, errorText } from '../output/print-error.ts'
import { printReadings } from './sql/print-readings.ts'
import { printJsonResult, printResult, statementErrorJson } from './sql/print-result.ts'

interface SqlOptions {
  readonly file?: string
  readonly table?: readonly string[]
  readonly continueOnError?: boolean
  readonly parseOnly?: boolean
  readonly param?: readonly GivenParameter[]
  readonly namesFolder?: string
}

const EXAMPLES = `
Examples:
  $ bayou sql "select count(*) from delta.\`/lake/orders\`"
  $ bayou sql --table orders=/lake/orders "select country, sum(amount) from orders group by all"
  $ bayou sql --table orders=/lake/orders "select * from orders version as of 3 where amount > 100"
  $ bayou sql --table orders=/lake/orders --param country=DE "delete from orders where country = :country"
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
      .addOption(
        new Option('--param <name=value>', 'the text of the parameter :name; name:=value takes an expression such as 5')
          .argParser(collectParameters)
          .default([]),
      )
      .option('--names-folder <dir>', 'where CREATE TABLE keeps names (namesFolder of the configuration)')
      .option('--continue-on-error', 'go on behind a statement that failed')
      .option('--parse-only', 'read the statements without running them: one JSON line each')
      .addHelpText('after', EXAMPLES)
  },

  async run([statement], options, context) {
    const session = await openSqlSession(options, context)
    try {
      return await runSession(session, statement, options, context)
    } finally {
      await session.close()
    }
  },
}

async function runSession(
  session: SqlSession,
  statement: unknown,
  options: SqlOptions,
  context: CliContext,
): Promise<number | undefined> {
  const asks = statement === undefined && options.file === undefined
  if (asks && isTerminal(context.terminal.stdin)) {
    const { runPrompt } = await import('./sql/prompt.ts')
    return await runPrompt(session, context)
  }
  const text = statement === undefined ? readStatements(options.file ?? '-') : String(statement)
  const parts = splitStatements(text)
  if (options.parseOnly) return await printReadings(session, { parts, script: text }, context)
  const parameters = parameterValues(options.param ?? [])
  return await runStatements(
    { session, goOn: options.continueOnError === true, ...(parameters && { parameters }) },
    parts.map((part) => part.text),
    context,
  )
}

function isTerminal(stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean }): boolean {
  return stdin.isTTY === true
}

async function openSqlSession(options: SqlOptions, context: CliContext): Promise<SqlSession> {
  const { engine, backend, openStore, openTables, clock } = await context.session()
  const tables = new Map((options.table ?? []).map(parseTable))
  const namesFolder = options.namesFolder ?? context.globals.namesFolder
  const names = namesFolder === undefined ? { tables } : { tables, namesFolder }
  return new SqlSession({ engine, backend, openStore, openTables, clock, ...names })
}

interface GivenParameter {
  readonly name: string
  readonly value: ParameterValue
}

/** `name=text`, or `name:=expression`. */
function collectParameters(text: string, before: readonly GivenParameter[]): readonly GivenParameter[] {
  const match = /^([A-Za-z_]\w*|\d+)(:?=)(.*)$/s.exec(text)
  if (match === null) throw new InvalidArgumentError('It is name=text or name:=expression.')
  const [, name, sign, value] = match
  return [...before, { name: name!, value: sign === '=' ? value! : evaluated(value!) }]
}

/** What is no plain value is given as its text, and cast where it is used. */
function evaluated(text: string): ParameterValue {
  const bound = bindExpression(parseExpression(text), structType([]))
  const value = evaluate(bound, [])
  if (PLAIN.has(bound.type.kind)) return value as ParameterValue
  return castValue(value, bound.type, stringType) as ParameterValue
}

const PLAIN: ReadonlySet<string> = new Set('void boolean byte short integer long float double string binary'.split(' '))

/** A list where the parameters are numbered from 1, as `?` takes them. */
function parameterValues(given: readonly GivenParameter[]): ParameterValues | undefined {
  if (given.length === 0) return undefined
  if (!given.every(({ name }) => /^\d+$/.test(name))) {
    return Object.fromEntries(given.map(({ name, value }) => [name, value]))
  }
  const numbered = new Map(given.map(({ name, value }) => [Number(name), value]))
  const missing = given.findIndex((_, i) => !numbered.has(i + 1))
  if (missing === -1) return given.map((_, i) => numbered.get(i + 1)!)
  throw deltaError('LAKE_USAGE', { problem: `parameter ${missing + 1} has no value`, advice: 'number them from 1' })
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

interface StatementRun {
  readonly session: SqlSession
  /** whether statements behind one that failed are run */
  readonly goOn: boolean
  readonly parameters?: ParameterValues
}

async function runStatements(run: StatementRun, statements: readonly string[], context: CliContext): Promise<number> {
  const { goOn } = run
  let failed = 0
  for (const [index, statement] of statements.entries()) {
    try {
      const error = await runStatement(run, statement, index + 1, context)
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
  { session, parameters }: StatementRun,
  statement: string,
  number: number,
  context: CliContext,
): Promise<DeltaError | undefined> {
  const result = await session.run(statement, { signal: context.signal, ...(parameters && { parameters }) })
  if (context.globals.json) return await printJsonResult(number, result, context.output)
  await printResult(result, context)
  return undefined
}
