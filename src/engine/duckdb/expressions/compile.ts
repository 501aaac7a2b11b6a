/**
 * Bound expressions as DuckDB SQL with the meaning they have in TypeScript.
 *
 * What has no such form is refused, never approximated. An error is raised only for rows Spark raises it for: DuckDB
 * evaluates operands in any order, so an operand that may fail stands inside a CASE, whose branches are lazy. The time
 * zone is UTC.
 */
import { isDeltaError } from '../../../errors/index.ts'
import { type BoundExpression, evaluate, isInterval } from '../../../expressions/index.ts'
import type { Value } from '../../../schema/index.ts'
import { quoteIdent } from '../sql-text.ts'
import { literal } from '../values/literal.ts'
import { LOGICAL, sqlType } from '../values/sql-type.ts'
import { compileCast } from './casts.ts'
import { type Fragment, failing, MAX_SQL_LENGTH, mayAnyFail, notCompiled, raise, safe, typeName } from './fragment.ts'
import { type CallForm, callForms } from './functions/index.ts'

export interface CompileOptions {
  /** false: parts without columns are compiled like all others, not evaluated here; for tests of the compiled form */
  readonly foldConstants?: boolean
  /**
   * true: SQL may be given that raises `LAKE_EXPRESSION_NOT_COMPILED` when it meets a rare value, for callers that then
   * evaluate the rows themselves
   */
  readonly mayRefuseValues?: boolean
}

/**
 * SQL of a column in the type the schema gives it.
 *
 * @param path in the schema's spelling
 * @param ordinals of the same; they alone tell columns of two tables apart
 */
export type ColumnSql = (path: readonly string[], ordinals: readonly number[]) => string

/**
 * The SQL of an expression, of exactly its type.
 *
 * A query that uses it may fail with what `expressionError` turns into Spark's error.
 *
 * @throws DeltaError `LAKE_EXPRESSION_NOT_COMPILED` naming the first part that has no SQL form
 */
export function compileExpression(bound: BoundExpression, columnSql: ColumnSql, options: CompileOptions = {}): string {
  if (isInterval(bound.type)) throw notCompiled('an interval as a result')
  const { sql } = new Compiler(columnSql, options.foldConstants ?? true).compile(bound)
  if (sql.length > MAX_SQL_LENGTH) throw notCompiled('an expression this deep')
  if (options.mayRefuseValues !== true && sql.includes('LAKE_EXPRESSION_NOT_COMPILED')) {
    throw notCompiled('a conversion that SQL does for plain values only')
  }
  return sql
}

class Compiler {
  private readonly columnSql: ColumnSql
  private readonly foldConstants: boolean

  constructor(columnSql: ColumnSql, foldConstants: boolean) {
    this.columnSql = columnSql
    this.foldConstants = foldConstants
  }

  compile(bound: BoundExpression): Fragment {
    if (this.foldConstants && isConstant(bound)) return fold(bound)
    const fragment = this.compileNode(bound)
    if (fragment.sql.length > MAX_SQL_LENGTH) throw notCompiled('an expression this deep')
    return fragment
  }

  private compileNode(bound: BoundExpression): Fragment {
    if ('timeZone' in bound && bound.timeZone !== undefined) throw notCompiled(`the time zone ${bound.timeZone}`)
    switch (bound.kind) {
      case 'literal':
        return literalFragment(bound.value, bound)
      case 'column':
        return safe(this.columnSql(bound.path, bound.ordinals))
      case 'cast':
        return compileCast(this.compile(bound.child), { from: bound.child.type, to: bound.type, safe: bound.safe })
      case 'case':
        return this.compileCase(bound)
      case 'call':
        return bound.name === 'transform' ? this.compileTransform(bound) : this.compileCall(bound)
      case 'variable':
        return safe(quoteIdent(bound.name))
      default:
        throw notCompiled('a lambda')
    }
  }

  private compileCase(bound: BoundExpression & { kind: 'case' }): Fragment {
    const branches = bound.branches.map(({ when, then }) => ({ when: this.compile(when), then: this.compile(then) }))
    const otherwise = this.compile(bound.otherwise)
    const text = branches.map(({ when, then }) => `WHEN ${when.sql} THEN ${then.sql}`).join(' ')
    const parts = [otherwise, ...branches.flatMap(({ when, then }) => [when, then])]
    return { sql: `CASE ${text} ELSE ${otherwise.sql} END`, mayFail: mayAnyFail(parts) }
  }

  /** A function of the elements alone; one of their indexes too begins to count elsewhere. */
  private compileTransform({ args }: BoundExpression & { kind: 'call' }): Fragment {
    const [list, lambda] = args
    if (lambda?.kind !== 'lambda' || lambda.params.length !== 1) throw notCompiled('a lambda with an index')
    const items = this.compile(list!)
    const body = this.compile(lambda.body)
    const sql = `list_transform(${items.sql}, lambda ${quoteIdent(lambda.params[0]!.name)}: ${body.sql})`
    return { sql, mayFail: mayAnyFail([items, body]) }
  }

  private compileCall(bound: BoundExpression & { kind: 'call' }): Fragment {
    const form: CallForm | undefined = callForms.get(bound.name)
    if (form === undefined) throw notCompiled(`the function ${bound.name}`)
    const args = bound.args.map((arg) => this.compile(arg))
    const call = {
      name: bound.name,
      nodes: bound.args,
      args,
      types: bound.args.map((arg) => arg.type),
      type: bound.type,
    }
    const fragment = form.compile(call)
    return form.strict ? guardNulls(fragment, call.args, bound.args) : fragment
  }
}

/** A strict function does not look at an argument behind one that is NULL. */
function guardNulls(fragment: Fragment, args: readonly Fragment[], nodes: readonly BoundExpression[]): Fragment {
  const lastFailing = args.findLastIndex((arg) => arg.mayFail)
  const before = args.slice(0, Math.max(lastFailing, 0)).filter((_, i) => !isNotNull(nodes[i]!))
  if (before.length === 0) return fragment
  return failing(`CASE ${before.map((arg) => `WHEN ${arg.sql} IS NULL THEN NULL`).join(' ')} ELSE ${fragment.sql} END`)
}

function isNotNull(node: BoundExpression): boolean {
  return node.kind === 'literal' && node.value !== null
}

function literalFragment(value: Value, bound: BoundExpression): Fragment {
  // inside an expression an interval is its months or its microseconds
  if (isInterval(bound.type))
    return safe(`CAST(${value} AS ${bound.type.kind === 'interval_year_month' ? 'INTEGER' : 'BIGINT'})`)
  refuseOutOfRange(value, bound.type.kind)
  if (bound.type.kind === 'void' || value === null) return safe(`CAST(NULL AS ${sqlType(bound.type, LOGICAL)})`)
  if (['array', 'map', 'struct', 'variant'].includes(bound.type.kind)) {
    throw notCompiled(`a constant of the type ${typeName(bound.type)}`)
  }
  return safe(literal(value, bound.type))
}

/** DuckDB takes the ends of the range for infinities and begins its timestamps later. */
function refuseOutOfRange(value: Value, kind: string): void {
  const isDate = kind === 'date' && Math.abs(value as number) > 2_147_483_646
  const micros = kind === 'timestamp' || kind === 'timestamp_ntz' ? (value as bigint | null) : null
  const isTimestamp = micros !== null && (micros < -9_223_372_022_400_000_000n || micros > 9_223_372_036_854_775_806n)
  if (isDate || isTimestamp) throw notCompiled(`a constant ${kind} at the end of its range`)
}

function isConstant(bound: BoundExpression): boolean {
  switch (bound.kind) {
    case 'literal':
      return true
    case 'cast':
      return isConstant(bound.child)
    case 'call':
      return bound.args.every(isConstant)
    case 'case':
      return [bound.otherwise, ...bound.branches.flatMap(({ when, then }) => [when, then])].every(isConstant)
    default:
      return false
  }
}

/** The value of a part without columns; one that fails becomes SQL that fails when a row needs it. */
function fold(bound: BoundExpression): Fragment {
  if (bound.kind === 'literal') return literalFragment(bound.value, bound)
  let value: Value
  try {
    value = evaluate(bound, [])
  } catch (error) {
    if (!isDeltaError(error)) throw error
    if (error.code.startsWith('LAKE_')) throw notCompiled(error.message)
    const details = Object.entries(error.details).map(([name, detail]) => [name, String(detail)])
    return failing(
      `CAST(${raise(error.code, Object.fromEntries(details))} AS ${isInterval(bound.type) ? 'BIGINT' : sqlType(bound.type, LOGICAL)})`,
    )
  }
  return literalFragment(value, bound)
}
