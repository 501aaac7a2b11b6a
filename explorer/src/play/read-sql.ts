/** Reads a statement as one of the playground's calls, where there is one that spells it; others run as they are. */
import type { Call, Clause, RowInput, Value } from '../calls/call.ts'
import {
  bindExpression,
  type Expression,
  evaluate,
  isInterval,
  parseExpression,
  parseStatement,
  printExpression,
  type Statement,
  splitStatements,
  structType,
  valueToText,
} from '../library.ts'
import { SUPPLIER_ROWS } from './starter.ts'

type StatementOf<K extends Statement['kind']> = Extract<Statement, { kind: K }>

/**
 * @param columns of the table, for rows without a list of columns
 * @throws DeltaError `PARSE_SYNTAX_ERROR`
 */
export function readSql(sql: string, columns: readonly string[], source: readonly RowInput[] | undefined): Call {
  const parts = splitStatements(sql)
  const [only] = parts
  if (only === undefined || parts.length !== 1) {
    for (const part of parts) parseStatement(part.text)
    return { op: 'sql', text: sql }
  }
  const statement = parseStatement(only.text)
  return callOf({ statement, text: only.text }, columns, source ?? SUPPLIER_ROWS) ?? { op: 'sql', text: only.text }
}

/** A statement, and the text it was read from. */
interface Read<S extends Statement = Statement> {
  readonly statement: S
  readonly text: string
}

function callOf({ statement, text }: Read, columns: readonly string[], source: readonly RowInput[]): Call | undefined {
  const textOf = (expression: Expression | undefined) => writtenText(expression, text)
  if (!('table' in statement) || !isOrders(statement.table)) return undefined
  switch (statement.kind) {
    case 'insert':
      return insertCall({ statement, text }, columns)
    case 'update':
      return { op: 'update', set: assignments(statement.set, text), where: textOf(statement.where) }
    case 'delete':
      return { op: 'delete', where: textOf(statement.where) }
    case 'merge':
      return mergeCall({ statement, text }, source)
    case 'restore':
      return 'version' in statement.to ? { op: 'restore', version: statement.to.version } : undefined
    case 'optimize':
      if (statement.full) return undefined
      return {
        op: 'optimize',
        where: textOf(statement.where),
        zorderBy: statement.zorderBy.map((path) => path.join('.')),
      }
    case 'vacuum':
      if (statement.type === 'lite' || statement.inventory !== undefined) return undefined
      return { op: 'vacuum', hours: statement.retainHours ?? 168, dryRun: statement.dryRun }
    case 'alter table':
      return alterCall(statement)
    case 'checkpoint':
      return { op: 'checkpoint' }
    default:
      return undefined
  }
}

function isOrders(target: object): boolean {
  return 'parts' in target && Array.isArray(target.parts) && String(target.parts[0]).toLowerCase() === 'orders'
}

function insertCall({ statement, text }: Read<StatementOf<'insert'>>, all: readonly string[]): Call | undefined {
  const { source, overwrite, replaceWhere, partition, byName } = statement
  if (!('rows' in source) || partition !== undefined || byName) return undefined
  const columns = statement.columns ?? all
  const rows = source.rows.map((row) => rowOf(row, columns))
  if (rows.some((row) => row === undefined)) return undefined
  const known = rows as RowInput[]
  if (overwrite || replaceWhere !== undefined) {
    return { op: 'overwrite', rows: known, overwriteSchema: false, replaceWhere: writtenText(replaceWhere, text) }
  }
  return { op: 'append', rows: known, mergeSchema: false }
}

function rowOf(values: readonly (Expression | 'default')[], columns: readonly string[]): RowInput | undefined {
  const row: (readonly [string, Value])[] = []
  for (const [place, value] of values.entries()) {
    const name = columns[place]
    if (name === undefined || value === 'default') return undefined
    row.push([name, constantOf(value)])
  }
  return row
}

/** Decimals and times stay texts, so that no digit is lost. */
function constantOf(expression: Expression): Value {
  const bound = bindExpression(expression, structType([]))
  const value = evaluate(bound, [])
  if (value === null || typeof value === 'boolean') return value
  const { type } = bound
  if (isInterval(type)) return printExpression(expression)
  if (typeof value === 'number' && type.kind !== 'date') return value
  return valueToText(value, type)
}

function mergeCall({ statement, text }: Read<StatementOf<'merge'>>, source: readonly RowInput[]): Call | undefined {
  if (!('parts' in statement.source) || statement.source.parts[0]?.toLowerCase() !== 'today') return undefined
  if (statement.alias !== 't' || statement.sourceAlias !== 's') return undefined
  const clausesOf = (list: typeof statement.matched, when: Clause['when']) =>
    list.map(({ if: condition, action }): Clause => {
      const set = action.do === 'delete' ? [] : action.set === '*' ? '*' : assignments(action.set, text)
      return { when, action: action.do, set, condition: writtenText(condition, text) }
    })
  return {
    op: 'merge',
    source,
    on: writtenText(statement.on, text),
    clauses: [
      ...clausesOf(statement.matched, 'matched'),
      ...clausesOf(statement.notMatched, 'notMatched'),
      ...clausesOf(statement.notMatchedBySource, 'notMatchedBySource'),
    ],
    schemaEvolution: statement.schemaEvolution,
  }
}

function alterCall({ action }: StatementOf<'alter table'>): Call | undefined {
  if (action.kind === 'drop feature') {
    return { op: 'dropFeature', feature: action.feature, truncateHistory: action.truncateHistory }
  }
  if (action.kind !== 'set properties' || action.properties.size !== 1) return undefined
  const [[key, value] = ['', '']] = action.properties
  return { op: 'setProperty', key, value }
}

function assignments(
  set: readonly { readonly column: readonly string[]; readonly value: Expression | 'default' }[],
  text: string,
): (readonly [string, string])[] {
  return set.map(({ column, value }) => {
    return [column.join('.'), value === 'default' ? 'DEFAULT' : writtenText(value, text)] as const
  })
}

/** An expression as it stands in its statement; printed anew where its place does not hold all of it, as with brackets. */
function writtenText(expression: Expression | undefined, text: string): string {
  if (expression === undefined) return ''
  const printed = printExpression(expression)
  const { start, end } = expression.span
  const written = text.slice(start, end)
  try {
    return printExpression(parseExpression(written)) === printed ? written : printed
  } catch {
    return printed
  }
}
