/**
 * What a plan does to rows that have the columns of the table: columns worked out, numbers given, conditions tried.
 *
 * All of it is SQL around the relation that gives the rows. Expressions without an SQL form are evaluated over the values
 * of the relation before. The row that breaks a condition is looked for once the query has failed.
 */
import { causeText, deltaError, isDeltaError } from '../../../errors/index.ts'
import { type BoundExpression, compileEvaluator } from '../../../expressions/index.ts'
import { field, type Row, type StructType, structType, type Value } from '../../../schema/index.ts'
import type { RowCheck, WritePlan } from '../../index.ts'
import type { DuckSession, QueryOptions } from '../instance.ts'
import { columnPath, ordinalsOf, sqlOf } from '../scan/filter.ts'
import { quoteLiteral } from '../sql-text.ts'
import { readVector } from '../values/read-vector.ts'
import { sqlType } from '../values/sql-type.ts'
import { CHUNK_ROWS, ChunkBuilder } from '../values/write-chunk.ts'
import { requiredTests } from './required.ts'

const NULL_MARK = 'required column is null: '
const CHECK_MARK = 'row check is broken: '
/** Rows evaluated in TypeScript at once. */
const PAGE_ROWS = 16 * CHUNK_ROWS

interface CompiledCheck {
  readonly check: RowCheck
  /** undefined where the condition has no SQL form */
  readonly sql: string | undefined
}

export class RowFinish {
  private readonly session: DuckSession
  private readonly plan: WritePlan
  private readonly options: QueryOptions
  private readonly checks: readonly CompiledCheck[]
  private readonly condition: string | undefined
  /** `d<ordinal>` → SQL; undefined where a column that is computed has no SQL form */
  private readonly computed: ReadonlyMap<number, string> | undefined
  /** rows whose numbers are given out */
  private numRows = 0n

  constructor(session: DuckSession, plan: WritePlan, options: QueryOptions) {
    this.session = session
    this.plan = plan
    this.options = options
    this.checks = (plan.checks ?? []).map((check) => ({ check, sql: this.compile(check.condition) }))
    this.condition = this.conditionSql()
    const computed = (plan.computed ?? []).map(({ ordinal, value }) => [ordinal, this.compile(value)] as const)
    this.computed = computed.every(hasSql) ? new Map(computed) : undefined
  }

  /** The rows of a relation with every column that the plan fills. */
  async fill(relation: string): Promise<string> {
    const base = this.computed === undefined ? await this.fillByValues(relation) : relation
    // one level each, so that a column may name those before it
    const computed = [...(this.computed ?? [])].reduce((inner, column) => replaceColumns(inner, [column]), base)
    return replaceColumns(computed, this.numbered())
  }

  /**
   * Rows of a filled relation, in a query that fails at one that breaks NOT NULL or a condition.
   *
   * @throws DeltaError the error of a check whose condition has no SQL form
   */
  async checked(relation: string): Promise<string> {
    for (const { check, sql } of this.checks) if (sql === undefined) await this.checkByValues(check, relation)
    return `SELECT * FROM (${relation})${this.condition === undefined ? '' : ` WHERE ${this.condition}`}`
  }

  /** Says that the rows of a relation are written, so that numbers go on behind them. */
  written(rows: number): void {
    this.numRows += BigInt(rows)
  }

  /** Why a query over `checked` failed, where it is about the rows. */
  async explain(cause: unknown, relation: string): Promise<unknown> {
    if (isDeltaError(cause)) return cause
    const text = causeText(cause)
    const column = markedText(text, NULL_MARK)
    if (column !== undefined) return deltaError('DELTA_NOT_NULL_CONSTRAINT_VIOLATED', { column }, { cause })
    const index = markedText(text, CHECK_MARK)
    if (index === undefined) return this.numberError(text, cause) ?? cause
    const { check, sql } = this.checks[Number(index)]!
    const columns = check.shown.map((column) => this.compile(column))
    const query = `SELECT ${[...columns, '1'].join(', ')} FROM (${relation}) WHERE (${sql}) IS NOT TRUE LIMIT 1`
    for await (const chunk of this.session.stream(query, this.options)) {
      return check.violation(
        check.shown.map((column, i) => readVector(chunk.getColumnVector(i), typeOf(column))[0] ?? null),
      )
    }
    return check.violation(check.shown.map(() => null))
  }

  private compile(bound: BoundExpression): string | undefined {
    const { layout } = this.plan
    return sqlOf(bound, (path) => columnPath(path, layout.schema, layout, 'd'))
  }

  private conditionSql(): string | undefined {
    const tests = [
      ...requiredTests(this.plan.layout).map(({ path, sql }) => ({ broken: sql, mark: NULL_MARK + path })),
      ...this.checks.flatMap(({ sql }, i) =>
        sql === undefined ? [] : [{ broken: `(${sql}) IS NOT TRUE`, mark: `${CHECK_MARK}${i}` }],
      ),
    ]
    if (tests.length === 0) return undefined
    const branches = tests.map(({ broken, mark }) => `WHEN ${broken} THEN error(${quoteLiteral(mark)})`)
    return `CASE ${branches.join(' ')} ELSE true END`
  }

  private numbered(): [number, string][] {
    return (this.plan.numbered ?? []).map(({ ordinal, start, step }) => {
      const first = start + step * (this.numRows - 1n)
      const next = `(${first}::HUGEINT + ${step}::HUGEINT * row_number() OVER ())::BIGINT`
      return [ordinal, `coalesce(d${ordinal}, ${next})`]
    })
  }

  private numberError(text: string, cause: unknown): Error | undefined {
    if (this.plan.numbered === undefined || !/INT128 with value .* can't be cast .* INT64/.test(text)) return undefined
    return deltaError('ARITHMETIC_OVERFLOW', { operation: 'the next identity value', type: 'bigint' }, { cause })
  }

  private get stored(): readonly { ordinal: number; name: string }[] {
    const { fields } = this.plan.layout.schema
    return fields.flatMap(({ type }, ordinal) => (type.kind === 'void' ? [] : [{ ordinal, name: `d${ordinal}` }]))
  }

  private async fillByValues(relation: string): Promise<string> {
    const { layout, computed = [] } = this.plan
    const evaluators = computed.map(({ ordinal, value }) => ({ ordinal, evaluate: compileEvaluator(value) }))
    const columns = this.stored.map(
      ({ ordinal, name }) => `${name} ${sqlType(layout.schema.fields[ordinal]!.type, layout)}`,
    )
    const { session, options } = this
    await session.run(`CREATE OR REPLACE TEMP TABLE unfilled AS SELECT * FROM (${relation})`, options)
    await session.run(`CREATE OR REPLACE TEMP TABLE filled (${columns.join(', ')})`, options)
    const builder = new ChunkBuilder(await import('@duckdb/node-api'), layout.schema, layout)
    for await (const rows of this.pages('unfilled')) {
      const appender = await session.connection.createAppender('filled')
      for (const row of rows) for (const { ordinal, evaluate } of evaluators) row[ordinal] = evaluate(row)
      for (let at = 0; at < rows.length; at += CHUNK_ROWS) {
        appender.appendDataChunk(builder.build(rows.slice(at, at + CHUNK_ROWS)))
      }
      appender.closeSync()
    }
    await session.run('DROP TABLE unfilled', options)
    return 'SELECT * FROM filled'
  }

  /** Rows of a temporary table with all columns, some thousand at once. */
  private async *pages(table: string): AsyncGenerator<Value[][]> {
    const { fields } = this.plan.layout.schema
    for (let from = 0; ; from += PAGE_ROWS) {
      const query = `SELECT * FROM ${table} WHERE rowid BETWEEN ${from} AND ${from + PAGE_ROWS - 1} ORDER BY rowid`
      const rows: Value[][] = []
      for await (const chunk of this.session.stream(query, this.options)) {
        const columns = this.stored.map(({ ordinal }, i) => readVector(chunk.getColumnVector(i), fields[ordinal]!.type))
        for (let at = 0; at < chunk.rowCount; at++) {
          const row = new Array<Value>(fields.length).fill(null)
          for (const [i, { ordinal }] of this.stored.entries()) row[ordinal] = columns[i]![at]!
          rows.push(row)
        }
      }
      if (rows.length === 0) return
      yield rows
    }
  }

  private async checkByValues(check: RowCheck, relation: string): Promise<void> {
    const { layout } = this.plan
    const ordinals = [...new Set([check.condition, ...check.shown].flatMap(ordinalsOf))]
    const schema = structType(ordinals.map((ordinal) => layout.schema.fields[ordinal]!))
    const holds = compileEvaluator(check.condition)
    const query = `SELECT ${[...ordinals.map((ordinal) => `d${ordinal}`), '1'].join(', ')} FROM (${relation})`
    for await (const row of this.rows(query, schema)) {
      const wide = new Array<Value>(layout.schema.fields.length).fill(null)
      for (const [i, ordinal] of ordinals.entries()) wide[ordinal] = row[i]!
      if (holds(wide) === true) continue
      throw check.violation(check.shown.map((column) => compileEvaluator(column)(wide)))
    }
  }

  private async *rows(query: string, { fields }: StructType): AsyncGenerator<Row> {
    for await (const chunk of this.session.stream(query, this.options)) {
      const columns = fields.map(({ type }, i) => readVector(chunk.getColumnVector(i), type))
      for (let at = 0; at < chunk.rowCount; at++) yield columns.map((column) => column[at]!)
    }
  }
}

function replaceColumns(relation: string, columns: readonly (readonly [number, string])[]): string {
  if (columns.length === 0) return relation
  return `SELECT * REPLACE (${columns.map(([ordinal, sql]) => `${sql} AS d${ordinal}`).join(', ')}) FROM (${relation})`
}

function hasSql(entry: readonly [number, string | undefined]): entry is readonly [number, string] {
  return entry[1] !== undefined
}

function typeOf(column: RowCheck['shown'][number]) {
  // an interval is no column's type
  return field('', column.type as StructType).type
}

/** Only at the start: behind other errors DuckDB prints the statement, which has the marks in it. */
function markedText(message: string, mark: string): string | undefined {
  const text = message.replace(/^Invalid Input Error: /, '')
  return text.startsWith(mark) ? text.slice(mark.length).split('\n')[0] : undefined
}
