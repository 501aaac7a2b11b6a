/** `bayou eval`: expressions of the predicate language over literals, or over NDJSON rows from standard input. */
import { type Command, Option } from 'commander'
import { type DeltaError, deltaError, isDeltaError } from '../../errors/index.ts'
import {
  type BoundExpression,
  bindExpression,
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
  structType,
  type Value,
  valueToJson,
  valueToText,
} from '../../schema/index.ts'
import type { CliCommand, CliContext } from '../cli-command.ts'
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
    if (engine === 'duckdb') {
      throw deltaError('LAKE_OPTION_UNSUPPORTED', {
        option: '--engine duckdb',
        reason: 'DuckDB evaluates in scans only',
      })
    }
    let failed = false
    for await (const row of inputRows(schema, context)) {
      for (const text of expressions as string[]) {
        const answer = answerOf(text, schema ?? structType([]), row)
        if ('error' in answer) failed = true
        await printAnswer(answer, context)
      }
    }
    return failed ? 1 : 0
  },
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

type Answer = { readonly value: Value; readonly type: ExpressionType } | { readonly error: DeltaError }

/** An expression that fails is an answer too; a fault of this package is not. */
function answerOf(text: string, schema: StructType, row: Row): Answer {
  try {
    const bound: BoundExpression = bindExpression(parseExpression(text), schema)
    return { value: evaluateBound(bound, row), type: bound.type }
  } catch (error) {
    if (isDeltaError(error) && error.code !== 'LAKE_INTERNAL') return { error }
    throw error
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
  const json = isInterval(type) ? JSON.stringify(value === null ? null : String(value)) : valueToJson(value, type)
  return `{"value":${json},"type":${JSON.stringify(typeText(type))}}`
}

function valueText(value: Value, type: ExpressionType): string {
  if (value === null) return 'null'
  return isInterval(type) ? String(value) : valueToText(value, type)
}

function typeText(type: ExpressionType): string {
  return isInterval(type) ? type.text : formatType(type)
}
