/** `bayou eval`: expressions of the predicate language over literals, or over NDJSON rows from standard input. */
import { type Command, Option } from 'commander'
import type { ExpressionEvaluator } from '../../engine/duckdb/index.ts'
import { type DeltaError, isDeltaError } from '../../errors/index.ts'
import {
  type BoundExpression,
  bindExpression,
  castValue,
  type ExpressionType,
  evaluate as evaluateBound,
  isInterval,
  parseExpression,
  parseTableSchema,
} from '../../expressions/index.ts'
import { rowEncoder } from '../../operations/index.ts'
import {
  formatType,
  type Row,
  type StructType,
  stringType,
  structType,
  type Value,
  valueToJson,
  valueToText,
} from '../../schema/index.ts'
import type { CliCommand, CliContext } from '../cli-command.ts'
import { duckDbOptions } from '../globals.ts'
import { RecordPlaces, readRecords } from '../input/record-file.ts'
import { errorText } from '../output/print-error.ts'

interface EvalOptions {
  readonly schema?: StructType
  readonly engine: 'duckdb' | 'js'
}

const EXAMPLES = `
Examples:
  $ bayou eval "1 + 1" "date_add(DATE'2024-02-28', 1)"
  $ bayou eval "amount * 2" --schema 'amount DECIMAL(10,2)' < orders.ndjson
  $ bayou eval "CAST('x' AS INT)" --json`

export const evaluate: CliCommand<EvalOptions> = {
  define(command: Command) {
    const engines = new Option('--engine <engine>', 'which engine evaluates').choices(['duckdb', 'js'])
    command
      .argument('<expressions...>', 'expressions of the predicate language')
      .option('--schema <columns>', "columns of the rows on standard input: 'a INT, b STRING'", parseTableSchema)
      .addOption(engines.default('js'))
      .addHelpText('after', EXAMPLES)
  },

  async run([expressions], { schema, engine }, context) {
    const columns = schema ?? structType([])
    const questions = (expressions as string[]).map((text) => bindQuestion(text, columns))
    const evaluator = await evaluatorOf(engine, context)
    let failed = false
    try {
      for await (const row of inputRows(schema, context)) {
        for (const question of questions) {
          const answer = 'error' in question ? question : await answerOf(question, { columns, row, evaluator })
          if ('error' in answer) failed = true
          await printAnswer(answer, context)
        }
      }
    } finally {
      await evaluator.close()
    }
    return failed ? 1 : 0
  },
}

async function evaluatorOf(engine: EvalOptions['engine'], { globals }: CliContext): Promise<ExpressionEvaluator> {
  if (engine === 'js') {
    return { evaluate: async (bound, _schema, row) => evaluateBound(bound, row), close: async () => {} }
  }
  const { duckdbEvaluator } = await import('../../engine/duckdb/index.ts')
  return duckdbEvaluator(duckDbOptions(globals))
}

/** One row without columns where no schema is given. */
async function* inputRows(schema: StructType | undefined, { terminal, signal }: CliContext): AsyncGenerator<Row> {
  if (schema === undefined) {
    yield []
    return
  }
  const places = new RecordPlaces()
  const encode = rowEncoder(schema, { form: 'json', table: 'the schema', placeName: places.name })
  let count = 0
  for await (const batch of readRecords({ file: '-', format: 'ndjson' }, { terminal, places, signal })) {
    for (const record of batch) yield encode(record, ++count)
  }
}

interface Failure {
  readonly error: DeltaError
}
type Answer = { readonly value: Value; readonly type: ExpressionType } | Failure

/** An expression that fails is an answer too; a fault of this package is not. */
function failureOf(error: unknown): Failure {
  if (isDeltaError(error) && error.code !== 'LAKE_INTERNAL') return { error }
  throw error
}

function bindQuestion(text: string, columns: StructType): BoundExpression | Failure {
  try {
    return bindExpression(parseExpression(text), columns)
  } catch (error) {
    return failureOf(error)
  }
}

interface EvaluateOver {
  readonly columns: StructType
  readonly row: Row
  readonly evaluator: ExpressionEvaluator
}

async function answerOf(bound: BoundExpression, { columns, row, evaluator }: EvaluateOver): Promise<Answer> {
  try {
    return { value: await evaluator.evaluate(bound, columns, row), type: bound.type }
  } catch (error) {
    return failureOf(error)
  }
}

async function printAnswer(answer: Answer, { globals, output, terminal }: CliContext): Promise<void> {
  if (globals.json) await output.line(answerJson(answer))
  else if ('error' in answer) {
    await output.flush()
    terminal.stderr.write(`${errorText(answer.error, false)}\n`)
  } else await output.line(valueText(answer.value, answer.type))
}

function answerJson(answer: Answer): string {
  if ('error' in answer) {
    const { code, sqlState, message } = answer.error
    return JSON.stringify({ error: { code, sqlState, message } })
  }
  const { value, type } = answer
  const json = isInterval(type) ? JSON.stringify(intervalText(value, type)) : valueToJson(value, type)
  return `{"value":${json},"type":${JSON.stringify(typeText(type))}}`
}

function valueText(value: Value, type: ExpressionType): string {
  if (value === null) return 'null'
  return (isInterval(type) ? intervalText(value, type) : valueToText(value, type)) ?? 'null'
}

/** As Spark prints an interval: `INTERVAL '1 00:00:00' DAY TO SECOND`. */
function intervalText(value: Value, type: ExpressionType): string | null {
  return castValue(value, type, stringType) as string | null
}

function typeText(type: ExpressionType): string {
  return isInterval(type) ? type.text : formatType(type)
}
