/** INSERT INTO, INSERT OVERWRITE and INSERT … REPLACE WHERE, of values or of a query. */
import { deltaError } from '../../errors/index.ts'
import { bindExpression, type Expression, evaluate, isInterval } from '../../expressions/index.ts'
import type { ColumnAssignment, TableDescription, WriteCommand } from '../../operations/index.ts'
import { field, foldCase, type Row, type StructField, structType } from '../../schema/index.ts'
import type { PartitionSpec, StatementOf } from '../parser/index.ts'
import { NO_ROWS, type QueryRows } from '../result.ts'
import type { Execute, StatementContext } from './statement-context.ts'
import { valueRows } from './values-list.ts'

type Insert = StatementOf<'insert'>

/**
 * Values go to columns by place, or by name with BY NAME, cast as the reference casts them.
 *
 * @throws DeltaError what `DeltaTable.append` and `overwrite` throw, `DELTA_TABLE_NOT_FOUND`,
 * `LAKE_STATEMENT_UNSUPPORTED` for IF NOT EXISTS of a partition
 */
export const executeInsert: Execute<'insert'> = async (statement, context) => {
  if (statement.ifPartitionNotExists) {
    throw deltaError('LAKE_STATEMENT_UNSUPPORTED', { statement: 'INSERT OVERWRITE … PARTITION … IF NOT EXISTS' })
  }
  const table = { location: context.locate(statement.table) }
  const description = await context.backend.execute({ kind: 'describe', table }, context.options)
  const fixed = fixedValues(statement.partition ?? [], description)
  const given = givenColumns(statement, description, fixed)
  const rows = await sourceRows(statement, { given, fixed, description }, context)
  const command: WriteCommand = {
    kind: 'write',
    table,
    mustExist: true,
    source: { kind: 'rows', schema: rows.source.schema, source: rows.source },
    assignment: assignmentOf(statement, given, fixed),
    ...(rows.reads !== undefined && { reads: rows.reads }),
    ...modeOf(statement, context, fixed),
    ...(context.settings.mergesSchema && { mergeSchema: true }),
    ...context.settings.commit,
    ...context.settings.transaction,
  }
  await context.backend.execute(command, context.options)
  return NO_ROWS
}

/** A partition column whose value the statement says. */
interface FixedValue {
  readonly column: StructField
  readonly expression: Expression
}

function fixedValues(partition: PartitionSpec, { schema, partitionColumns }: TableDescription): FixedValue[] {
  const columns = schema.fields.filter(({ name }) => partitionColumns.includes(name))
  return partition.flatMap(({ column, value }) => {
    const found = columns.find(({ name }) => foldCase(name) === foldCase(column))
    if (found === undefined) {
      throw deltaError('NON_PARTITION_COLUMN', { column, columns: partitionColumns.join(', ') || 'none' })
    }
    return value === undefined ? [] : [{ column: found, expression: value }]
  })
}

/** The columns that values are given for, by place; undefined where they are given by name. */
function givenColumns({ columns, byName }: Insert, { schema }: TableDescription, fixed: readonly FixedValue[]) {
  if (byName) return undefined
  if (columns !== undefined) return columns
  return schema.fields.map(({ name }) => name).filter((name) => !fixed.some(({ column }) => column.name === name))
}

function assignmentOf(
  { columns, byName }: Insert,
  given: readonly string[] | undefined,
  fixed: readonly FixedValue[],
): ColumnAssignment {
  if (byName || given === undefined) return { by: 'name' }
  if (columns === undefined && fixed.length === 0) return { by: 'position' }
  return { by: 'position', columns: [...given, ...fixed.map(({ column }) => column.name)] }
}

function modeOf(
  { overwrite, replaceWhere, partition }: Insert,
  { settings, atTime }: StatementContext,
  fixed: readonly FixedValue[],
): Pick<WriteCommand, 'mode' | 'replaceWhere' | 'partitionOverwrite'> {
  if (replaceWhere !== undefined) return { mode: 'overwrite', replaceWhere: atTime(replaceWhere) }
  if (!overwrite) return { mode: 'append' }
  if (settings.overwritesDynamically) return { mode: 'overwrite', partitionOverwrite: 'dynamic' }
  const conditions = fixed.map(({ column, expression }) => equality(column.name, expression))
  if (partition === undefined || conditions.length === 0) return { mode: 'overwrite' }
  return { mode: 'overwrite', replaceWhere: conditions.reduce((left, right) => call('and', left, right)) }
}

function equality(name: string, value: Expression): Expression {
  return call('<=>', { kind: 'column', path: [name], span: value.span }, value)
}

function call(name: string, left: Expression, right: Expression): Expression {
  return { kind: 'call', name, args: [left, right], span: { start: left.span.start, end: right.span.end } }
}

/** Where values go. */
interface Placement {
  readonly given: readonly string[] | undefined
  readonly fixed: readonly FixedValue[]
  readonly description: TableDescription
}

async function sourceRows(
  statement: Insert,
  { given, fixed, description }: Placement,
  context: StatementContext,
): Promise<QueryRows> {
  const { source } = statement
  if ('text' in source) {
    return withFixed(await context.rows([statement.with?.text, source.text].filter(Boolean).join(' ')), fixed, context)
  }
  const targets = (given ?? []).map((name) => {
    return description.schema.fields.find((column) => foldCase(column.name) === foldCase(name))
  })
  const { schema, rows } = valueRows(source, targets, (expression) => context.atTime(expression))
  return withFixed({ source: { kind: 'rows', schema, rows: onePage(rows) } }, fixed, context)
}

/** The rows with the values of the fixed columns behind their own. */
function withFixed(rows: QueryRows, fixed: readonly FixedValue[], context: StatementContext): QueryRows {
  if (fixed.length === 0) return rows
  const bound = fixed.map(({ expression }) => bindExpression(expression, structType([])))
  const values = bound.map((expression) => evaluate(expression, []))
  const fields = fixed.map(({ column }, i) => {
    const { type } = bound[i]!
    return field(column.name, isInterval(type) ? column.type : type)
  })
  const schema = structType([...rows.source.schema.fields, ...fields])
  return { ...rows, source: { kind: 'rows', schema, rows: appended(context.pages(rows.source), values) } }
}

async function* appended(pages: AsyncIterable<readonly Row[]>, values: Row): AsyncGenerator<readonly Row[]> {
  for await (const rows of pages) yield rows.map((row) => [...row, ...values])
}

async function* onePage(rows: readonly Row[]): AsyncGenerator<readonly Row[]> {
  yield rows
}
