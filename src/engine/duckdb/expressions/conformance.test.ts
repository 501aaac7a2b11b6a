/**
 * Every recorded expression of the shared folder, compiled and run in DuckDB, against the evaluator in TypeScript (which
 * its own suite holds to what Spark gave).
 *
 * Each runs as it stands, and once more with its literals turned into columns, so that nothing is a constant. A case is
 * equal, not compiled (allowed, by name), or wrong (never). `FLOOR` is what is equal already: it only goes up.
 */
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sharedMissing, sharedPath } from '../../../../test/support/shared.ts'
import { isDeltaError } from '../../../errors/index.ts'
import {
  type BoundExpression,
  bindExpression,
  compileEvaluator,
  type Expression,
  isInterval,
  parseDataType,
  parseExpression,
} from '../../../expressions/index.ts'
import {
  type DataType,
  field,
  isNested,
  type Row,
  type StructType,
  structType,
  type Value,
  valueToJson,
} from '../../../schema/index.ts'
import { decodeBase64, parseDecimal, parseTimestamp } from '../../../support/index.ts'
import { DuckDatabase, type DuckSession } from '../instance.ts'
import { ChunkBatch } from '../scan/chunk-batch.ts'
import { quoteIdent } from '../sql-text.ts'
import { literal } from '../values/literal.ts'
import { compileExpression, expressionError } from './index.ts'

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
}

interface RecordedTable {
  readonly columns: readonly { readonly name: string; readonly type: string }[]
  readonly rows: readonly Readonly<Record<string, unknown>>[]
}

interface LoadedTable {
  readonly schema: StructType
  readonly rows: readonly Row[]
}

function fromRecorded(value: unknown, type: DataType): Value {
  if (value === null || value === undefined || isNested(type)) return null
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
    default:
      return value as Value
  }
}

function loadTables(): Map<string, LoadedTable> {
  const recorded = JSON.parse(readFileSync(file('tables.json'), 'utf8')) as Record<string, RecordedTable>
  const usable = Object.entries(recorded).filter(([, table]) => Array.isArray(table.columns))
  return new Map(
    usable.map(([name, table]) => {
      const schema = structType(table.columns.map((c) => field(c.name, parseDataType(c.type))))
      const rows = table.rows.map((row) => schema.fields.map((f) => fromRecorded(row[f.name], f.type)))
      return [name, { schema, rows }]
    }),
  )
}

/** The expression with every literal a column of its own, and the one row that has their values. */
function withoutLiterals(expression: Expression): { expression: Expression; table: LoadedTable } {
  const fields: { type: DataType; value: Value }[] = []
  const walk = (node: Expression): Expression => {
    switch (node.kind) {
      case 'literal':
        if (isInterval(node.type) || node.type.kind === 'void') return node
        fields.push({ type: node.type, value: node.value })
        return { kind: 'column', path: [`k${fields.length - 1}`], span: node.span }
      case 'call':
        return KEEPS_LITERALS.has(node.name) ? node : { ...node, args: node.args.map(walk) }
      case 'cast':
        return { ...node, child: walk(node.child) }
      case 'case':
        return {
          ...node,
          branches: node.branches.map(({ when, then }) => ({ when: walk(when), then: walk(then) })),
          otherwise: node.otherwise && walk(node.otherwise),
        }
      default:
        return node
    }
  }
  const walked = walk(expression)
  const schema = structType(fields.map(({ type }, i) => field(`k${i}`, type)))
  return { expression: walked, table: { schema, rows: [fields.map(({ value }) => value)] } }
}

/** Calls whose literals are names or patterns. */
const KEEPS_LITERALS: ReadonlySet<string> = new Set([
  'like',
  'getfield',
  'named_struct',
  'date_part',
  'timestamp_literal',
])

type Verdict =
  | { readonly kind: 'equal' | 'skipped' }
  | { readonly kind: 'not compiled' | 'wrong'; readonly why: string }

/** Values as texts, or the code of the error. */
type Answer = readonly string[] | string

function evaluated(bound: BoundExpression, rows: readonly Row[]): Answer {
  try {
    const evaluator = compileEvaluator(bound)
    return rows.map((row) => valueToJson(evaluator(row), bound.type as DataType))
  } catch (error) {
    if (isDeltaError(error)) return error.code
    throw error
  }
}

function valuesSql({ schema, rows }: LoadedTable): string {
  const fields = schema.fields.map((f, i) => ({ ...f, i })).filter((f) => !isNested(f.type))
  const line = (row: Row, n: number) => `(${[n, ...fields.map((f) => literal(row[f.i]!, f.type))].join(', ')})`
  const names = ['"#"', ...fields.map((f) => quoteIdent(f.name))]
  return `(VALUES ${rows.map(line).join(', ')}) AS t(${names.join(', ')})`
}

async function queried(session: DuckSession, sql: string, bound: BoundExpression, table: LoadedTable): Promise<Answer> {
  const values: string[] = []
  try {
    const query = `SELECT ${sql} AS r FROM ${valuesSql(table)} ORDER BY "#"`
    for await (const chunk of session.stream(query)) {
      const batch = new ChunkBatch(chunk, structType([field('r', bound.type as DataType)]))
      values.push(...batch.column(0).map((value) => valueToJson(value, bound.type as DataType)))
    }
    return values
  } catch (cause) {
    const error = expressionError(cause)
    if (isDeltaError(error)) return error.code
    return `${error}`.split('\n')[0]!
  }
}

async function judge(session: DuckSession, expression: Expression, table: LoadedTable): Promise<Verdict> {
  let bound: BoundExpression
  let expected: Answer
  try {
    bound = bindExpression(expression, table.schema)
    if (isInterval(bound.type)) return { kind: 'not compiled', why: 'an interval' }
    expected = evaluated(bound, table.rows)
  } catch (error) {
    // what does not bind is no matter of compiling
    if (isDeltaError(error)) return { kind: 'skipped' }
    throw error
  }
  if (typeof expected === 'string' && expected.startsWith('LAKE_')) return { kind: 'skipped' }
  let sql: string
  try {
    sql = compileExpression(
      bound,
      (path) => {
        const type = table.schema.fields.find((f) => f.name === path[0])!.type
        return isNested(type) ? 'nested' : quoteIdent(path[0]!)
      },
      { mayRefuseValues: true },
    )
    if (/\bnested\b/.test(sql)) return { kind: 'skipped' }
  } catch (error) {
    if (!isDeltaError(error, 'LAKE_EXPRESSION_NOT_COMPILED')) throw error
    return { kind: 'not compiled', why: error.message }
  }
  const actual = await queried(session, sql, bound, table)
  if (actual === 'LAKE_EXPRESSION_NOT_COMPILED') return { kind: 'not compiled', why: 'a value' }
  if (JSON.stringify(actual) === JSON.stringify(expected)) return { kind: 'equal' }
  return { kind: 'wrong', why: `gives ${actual}, TypeScript ${expected}` }
}

const NONE: LoadedTable = { schema: structType([]), rows: [[]] }

/** Cases equal in DuckDB as they stand, and with columns for literals. */
const FLOOR = { plain: 2150, columns: 1340 }

describe.runIf(present)('compiled expressions answer as evaluated ones', () => {
  const cases = present
    ? readFileSync(file('cases.jsonl'), 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Case)
        .filter((recorded) => recorded.timeZone === undefined)
    : []
  const tables = present ? loadTables() : new Map<string, LoadedTable>()
  let database: DuckDatabase
  let session: DuckSession

  beforeAll(async () => {
    database = new DuckDatabase({ threads: 1 })
    session = await database.acquire()
  })
  afterAll(() => database.close())

  test.each(['plain', 'columns'] as const)('%s', { timeout: 300_000 }, async (form) => {
    const counts = new Map<string, number>()
    const wrong: string[] = []
    const reasons = new Map<string, number>()
    for (const recorded of cases) {
      let expression: Expression
      try {
        expression = parseExpression(recorded.expr)
      } catch {
        continue
      }
      const table = recorded.table === undefined ? NONE : tables.get(recorded.table)!
      if (form === 'columns' && recorded.table !== undefined) continue
      const { expression: asked, table: from } = form === 'plain' ? { expression, table } : withoutLiterals(expression)
      const verdict = await judge(session, asked, from)
      counts.set(verdict.kind, (counts.get(verdict.kind) ?? 0) + 1)
      if (verdict.kind === 'wrong') wrong.push(`${recorded.id}: ${recorded.expr} ${verdict.why}`)
      if (verdict.kind === 'not compiled') reasons.set(verdict.why, (reasons.get(verdict.why) ?? 0) + 1)
    }
    console.log(`${form}: ${[...counts].map(([kind, count]) => `${count} ${kind}`).join(', ')}`)
    if (process.env.EXPRESSIONS_REFUSED === '1') console.log([...reasons].sort((a, b) => b[1] - a[1]))
    expect(wrong).toEqual([])
    expect(counts.get('equal') ?? 0).toBeGreaterThanOrEqual(FLOOR[form])
  })
})
