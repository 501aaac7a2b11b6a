/** Pieces of compiled SQL, and how an error of Spark is raised from SQL and read back. */
import { catalogue, causeText, type DeltaError, deltaError, type ErrorCode } from '../../../errors/index.ts'
import { type ExpressionType, isInterval } from '../../../expressions/index.ts'
import { formatType } from '../../../schema/index.ts'
import { quoteLiteral } from '../sql-text.ts'

/** SQL of a value of exactly the type's DuckDB type. */
export interface Fragment {
  readonly sql: string
  /** whether evaluating it can raise an error, so that it must not run for rows Spark would not run it for */
  readonly mayFail: boolean
}

export function safe(sql: string): Fragment {
  return { sql, mayFail: false }
}

export function failing(sql: string): Fragment {
  return { sql, mayFail: true }
}

export function mayAnyFail(parts: readonly Fragment[]): boolean {
  return parts.some((part) => part.mayFail)
}

/** Longer SQL than this is refused: guards repeat their conditions. */
export const MAX_SQL_LENGTH = 200_000

/** The refusal of something that has no SQL form with Spark's meaning; the evaluator in TypeScript does it. */
export function notCompiled(what: string): DeltaError {
  return deltaError('LAKE_EXPRESSION_NOT_COMPILED', { what })
}

export function typeName(type: ExpressionType): string {
  return isInterval(type) ? type.text : formatType(type)
}

const MARK = 'bayou-error'
/** Only at the start: behind other errors DuckDB prints the statement, which has the mark in it. */
const RAISED = new RegExp(`^(?:Invalid Input Error: )?${MARK} (\\S+) (\\{[^\\n]*\\})`)

/**
 * SQL that raises an error of the catalogue.
 *
 * @param fixed details known now
 * @param shown SQL of values that go into the details, by name
 */
export function raise(code: ErrorCode, fixed: Record<string, string> = {}, shown: Record<string, string> = {}): string {
  const members = [
    ...Object.entries(fixed).map(([name, text]) => `${quoteLiteral(name)}, ${quoteLiteral(text)}`),
    ...Object.entries(shown).map(([name, sql]) => `${quoteLiteral(name)}, CAST(${sql} AS VARCHAR)`),
  ]
  if (members.length === 0) return `error(${quoteLiteral(`${MARK} ${code} {}`)})`
  return `error(${quoteLiteral(`${MARK} ${code} `)} || json_object(${members.join(', ')}))`
}

/**
 * A failure of a query with compiled expressions as the error it stands for.
 *
 * @returns what was raised by `raise`, DuckDB's own overflows as Spark names them; anything else unchanged
 */
export function expressionError(error: unknown): unknown {
  const text = causeText(error)
  const raised = RAISED.exec(text)
  if (raised !== null && Object.hasOwn(catalogue, raised[1]!)) {
    return deltaError(raised[1] as ErrorCode, JSON.parse(raised[2]!) as Record<string, string>, { cause: error })
  }
  return overflowError(text, error) ?? error
}

const SPARK_TYPES: Readonly<Record<string, string>> = {
  INT8: 'tinyint',
  INT16: 'smallint',
  INT32: 'int',
  INT64: 'bigint',
}

function overflowError(text: string, cause: unknown): DeltaError | undefined {
  const whole = /^Out of Range Error: Overflow in \w+ of (INT\d+) \((.*?)\)/.exec(text)
  if (whole !== null && whole[1] !== 'INT128') {
    const code = whole[1] === 'INT8' || whole[1] === 'INT16' ? 'BINARY_ARITHMETIC_OVERFLOW' : 'ARITHMETIC_OVERFLOW'
    return deltaError(code, { operation: whole[2], type: SPARK_TYPES[whole[1]!] }, { cause })
  }
  const decimal = /^Out of Range Error: Overflow in \w+ of (?:DECIMAL|INT128)\S* \((.*?)\)/.exec(text)
  if (decimal === null) return undefined
  return deltaError('NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION', { value: decimal[1], type: 'decimal(38)' }, { cause })
}
