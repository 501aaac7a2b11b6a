/**
 * Every recorded expression of the shared folder: type, values and error class as Spark gave them.
 *
 * A case is equal, refused by name (allowed), or wrong (never). `FLOOR` is what is equal already: it only goes up.
 */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { sharedMissing, sharedPath } from '../../test/support/shared.ts'
import { isDeltaError } from '../errors/index.ts'
import {
  type DataType,
  field,
  type MapEntry,
  type Row,
  type StructType,
  structType,
  type Value,
} from '../schema/index.ts'
import { decodeBase64, parseDecimal, parseTimestamp } from '../support/index.ts'
import { valueToCanonical } from './canonical-form.ts'
import { typeText } from './cast/rules.ts'
import { bindExpression, compileEvaluator, parseDataType, parseExpression } from './index.ts'

const file = (name: string): string => sharedPath('expressions', name)
const missing = sharedMissing('expressions', 'cases.jsonl')
const present = missing === undefined
if (!present) console.log(`skipped: ${missing}`)

interface Case {
  readonly id: string
  readonly group: string
  readonly expr: string
  readonly table?: string
  readonly timeZone?: string
  readonly type?: string
  readonly values?: readonly unknown[]
  readonly error?: { readonly class: string | null }
}

interface RecordedTable {
  readonly columns: readonly { readonly name: string; readonly type: string }[]
  readonly rows: readonly Readonly<Record<string, unknown>>[]
}

function fromCanonical(value: unknown, type: DataType): Value {
  if (value === null || value === undefined) return null
  switch (type.kind) {
    case 'long':
      return BigInt(value as string)
    case 'decimal':
      return parseDecimal(value as string)!
    case 'float':
      return Math.fround(Number(value))
    case 'double':
      return Number(value)
    case 'binary':
      return decodeBase64(value as string)!
    case 'date':
      return Number(parseTimestamp(`${value}`)!.micros / 86_400_000_000n)
    case 'timestamp':
    case 'timestamp_ntz':
      return parseTimestamp(value as string)!.micros
    case 'array':
      return (value as unknown[]).map((item) => fromCanonical(item, type.element))
    case 'map':
      return (value as { key: unknown; value: unknown }[]).map((entry) => ({
        key: fromCanonical(entry.key, type.key),
        value: fromCanonical(entry.value, type.value),
      })) as MapEntry[]
    case 'struct':
      return type.fields.map((f) => fromCanonical((value as Record<string, unknown>)[f.name], f.type))
    default:
      return value as Value
  }
}

interface LoadedTable {
  readonly schema: StructType
  readonly rows: readonly Row[]
}

function loadTables(): Map<string, LoadedTable> {
  const recorded = JSON.parse(readFileSync(file('tables.json'), 'utf8')) as Record<string, RecordedTable>
  const usable = Object.entries(recorded).filter(([, table]) => Array.isArray(table.columns))
  return new Map(
    usable.map(([name, table]) => {
      const schema = structType(table.columns.map((c) => field(c.name, parseDataType(c.type))))
      const rows = table.rows.map((row) => schema.fields.map((f) => fromCanonical(row[f.name], f.type)))
      return [name, { schema, rows }]
    }),
  )
}

type Verdict = { readonly kind: 'equal' } | { readonly kind: 'refused' | 'wrong'; readonly why: string }

const NONE: LoadedTable = { schema: structType([]), rows: [[]] }
const LIBRARY =
  /\b(sin|cos|tan|asin|acos|atan|atan2|sinh|cosh|tanh|asinh|acosh|atanh|exp|expm1|ln|log|log2|log10|log1p|pow|power|cbrt|sqrt|degrees|radians|cot|sec|csc|hypot)\(/

function judge(recorded: Case, tables: ReadonlyMap<string, LoadedTable>): Verdict {
  const { schema, rows } = recorded.table === undefined ? NONE : tables.get(recorded.table)!
  try {
    const options = recorded.timeZone === undefined ? {} : { timeZone: recorded.timeZone }
    const bound = bindExpression(parseExpression(recorded.expr), schema, options)
    const evaluator = compileEvaluator(bound)
    const values = rows.map((row) => valueToCanonical(evaluator(row), bound.type))
    if (recorded.error !== undefined) return { kind: 'wrong', why: `gives ${values}, Spark ${recorded.error.class}` }
    const type = typeText(bound.type)
    if (type !== recorded.type) return { kind: 'wrong', why: `has the type ${type}, Spark ${recorded.type}` }
    const ours = values.map((text) => JSON.parse(text) as unknown)
    const loose = LIBRARY.test(recorded.expr)
    const same = ours.every((value, i) => sameValue(value, recorded.values![i], bound.type as DataType, loose))
    return same
      ? { kind: 'equal' }
      : { kind: 'wrong', why: `gives ${values}, Spark ${JSON.stringify(recorded.values)}` }
  } catch (error) {
    if (!isDeltaError(error)) return { kind: 'wrong', why: `throws ${error instanceof Error ? error.stack : error}` }
    return judgeError(recorded, error.code, error.message)
  }
}

function judgeError(recorded: Case, code: string, message: string): Verdict {
  if (recorded.error?.class === code || recorded.error?.class === null) return { kind: 'equal' }
  if (code === 'LAKE_EXPRESSION_UNSUPPORTED' || code === 'UNSUPPORTED_TIME_TYPE')
    return { kind: 'refused', why: message }
  if (code === 'UNRESOLVED_ROUTINE') return { kind: 'refused', why: message }
  const spark = recorded.error?.class ?? JSON.stringify(recorded.values)
  return { kind: 'wrong', why: `is refused (${code}: ${message}), Spark ${spark}` }
}

function sameValue(ours: unknown, spark: unknown, type: DataType, loose: boolean): boolean {
  if (type.kind === 'float' && typeof spark === 'number' && typeof ours === 'number') {
    return Object.is(Math.fround(ours), Math.fround(spark))
  }
  if (type.kind === 'double' && typeof spark === 'number' && typeof ours === 'number') {
    return Object.is(ours, spark) || (loose && Math.abs(ours - spark) <= Math.abs(spark) * 2.3e-16)
  }
  if (type.kind === 'array' && Array.isArray(spark) && Array.isArray(ours)) {
    return ours.length === spark.length && ours.every((item, i) => sameValue(item, spark[i], type.element, loose))
  }
  if (type.kind === 'decimal' && typeof spark === 'string' && typeof ours === 'string') {
    return ours === spark || spark.replace(/0+$/, '') === ours.replace(/0+$/, '')
  }
  return JSON.stringify(ours) === JSON.stringify(spark)
}

const FLOOR: Readonly<Record<string, number>> = {
  arithmetic: 380,
  binary: 38,
  cast: 171,
  'cast-boolean': 24,
  'cast-pairs': 310,
  'cast-string-datetime': 106,
  'cast-string-number': 128,
  collections: 182,
  comparison: 205,
  conditional: 82,
  datetime: 216,
  decimal: 225,
  json: 47,
  like: 83,
  literals: 129,
  logic: 75,
  math: 141,
  string: 246,
  timezone: 55,
}

describe.runIf(present)('expressions answer as Spark does', () => {
  const cases = present
    ? readFileSync(file('cases.jsonl'), 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Case)
    : []
  const tables = present ? loadTables() : new Map<string, LoadedTable>()
  const groups = [...new Set(cases.map((recorded) => recorded.group))]

  test.each(groups)('%s', (group) => {
    const verdicts = cases
      .filter((recorded) => recorded.group === group)
      .map((recorded) => ({ recorded, verdict: judge(recorded, tables) }))
    const of = (kind: Verdict['kind']): typeof verdicts => verdicts.filter(({ verdict }) => verdict.kind === kind)
    const show = (kind: 'refused' | 'wrong'): string[] =>
      of(kind).map(({ recorded, verdict }) => `${recorded.id}: ${recorded.expr} ${'why' in verdict ? verdict.why : ''}`)
    console.log(`${group}: ${of('equal').length} equal, ${of('refused').length} refused, ${of('wrong').length} wrong`)
    if (process.env.EXPRESSIONS_REFUSED === '1') console.log(show('refused').join('\n'))
    expect(show('wrong')).toEqual([])
    expect(of('equal').length).toBeGreaterThanOrEqual(FLOOR[group] ?? 0)
  })
})
