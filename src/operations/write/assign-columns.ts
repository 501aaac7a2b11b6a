/**
 * The columns of an INSERT: which value goes into which column, and as what.
 *
 * Values are cast to their column's type as CAST does it; a number that is too large for its column, and a text that is
 * no value of its type, fail the write. Members of structs follow the columns: by place, or by name.
 * Source: `spark-behaviour`, schema enforcement and store assignment.
 */
import { type DeltaError, deltaError, isDeltaError } from '../../errors/index.ts'
import { bindExpression, compileEvaluator } from '../../expressions/index.ts'
import {
  type DataType,
  findField,
  foldCase,
  formatType,
  type Row,
  type StructField,
  type StructType,
  structType,
  type Value,
} from '../../schema/index.ts'
import type { ColumnAssignment } from '../command.ts'
import { columnExpression } from '../rules/index.ts'
import { castToColumn, extraColumn } from './cast-to-column.ts'
import { mergeSchemas } from './merge-schema.ts'

export interface AssignedColumns {
  /** the columns of the rows behind the assignment: table columns under the table's names and types, then new ones */
  readonly schema: StructType
  /** true: every column of the source goes into its column as it is */
  readonly isPlain: boolean
  /** @throws DeltaError `CAST_INVALID_INPUT`, `CAST_OVERFLOW_IN_TABLE_INSERT` and others of a cast */
  assign(row: Row): Row
}

export interface AssignmentTarget {
  readonly schema: StructType
  /** ordinals of the columns that get a value where none is given, whatever their type says of null */
  readonly filled: ReadonlySet<number>
  /** true: columns of the source that the table lacks are kept, to be added to it */
  readonly growing: boolean
  /** true: where columns may come, types grow to those of the source as type widening lists */
  readonly widens?: boolean
  /** for messages */
  readonly location: string
}

/**
 * Plans an assignment.
 *
 * @throws DeltaError `DELTA_INSERT_COLUMN_ARITY_MISMATCH`, `INSERT_COLUMN_ARITY_MISMATCH.…`, `DELTA_METADATA_MISMATCH`,
 * `UNRESOLVED_COLUMN.WITH_SUGGESTION`, `COLUMN_ALREADY_EXISTS`, `DELTA_DUPLICATE_COLUMNS_FOUND.READ_SCHEMA`,
 * `DELTA_INSERT_COLUMN_MISMATCH`, `DATATYPE_MISMATCH.CAST_…`
 */
export function assignColumns(
  source: StructType,
  assignment: ColumnAssignment,
  target: AssignmentTarget,
): AssignedColumns {
  const found =
    assignment.by === 'name' ? pairByName(source, target) : pairByPosition(source, assignment.columns, target)
  refuseLacking(found, target)
  const pairs = target.growing ? found.map((pair) => grownPair(pair, assignment.by, target)) : found
  refuseTwice(pairs)
  const columns = pairs.map(({ from, to }) => assignedColumn(from, to, { source, by: assignment.by, target }))
  return {
    schema: structType(pairs.map(({ from, to }) => to ?? { ...from, nullable: true })),
    isPlain: columns.every(({ expression }) => expression.kind === 'column'),
    assign: (row) => columns.map(({ evaluate }) => evaluate(row)),
  }
}

interface Pair {
  readonly from: StructField
  /** undefined: a column the table lacks */
  readonly to: StructField | undefined
}

function pairByName(source: StructType, target: AssignmentTarget): Pair[] {
  const folded = source.fields.map(({ name }) => foldCase(name))
  const twice = source.fields.filter((_, i) => folded.filter((name) => name === folded[i]).length > 1)
  if (twice.length > 0) {
    throw deltaError('DELTA_DUPLICATE_COLUMNS_FOUND.READ_SCHEMA', { columns: twice.map(({ name }) => name) })
  }
  return source.fields.map((from) => pairWith(from, findField(target.schema, from.name), target))
}

function pairByPosition(source: StructType, names: readonly string[] | undefined, target: AssignmentTarget): Pair[] {
  const columns = names === undefined ? target.schema.fields : namedColumns(names, target.schema)
  if (source.fields.length < columns.length) throw tooFew(source, columns, names !== undefined)
  if (names !== undefined && source.fields.length > columns.length) {
    throw deltaError('INSERT_COLUMN_ARITY_MISMATCH.TOO_MANY_DATA_COLUMNS', counts(source, columns))
  }
  return source.fields.map((from, i) => pairWith(from, columns[i], target))
}

function tooFew(source: StructType, columns: readonly StructField[], named: boolean): DeltaError {
  const code = named ? 'INSERT_COLUMN_ARITY_MISMATCH.NOT_ENOUGH_DATA_COLUMNS' : 'DELTA_INSERT_COLUMN_ARITY_MISMATCH'
  return deltaError(code, { ...counts(source, columns), what: 'columns' })
}

function counts(source: { readonly fields: readonly StructField[] }, columns: readonly StructField[]) {
  return { wanted: columns.length, given: source.fields.length, columns: columns.map(({ name }) => name) }
}

function namedColumns(names: readonly string[], schema: StructType): StructField[] {
  const seen = new Set<string>()
  return names.map((name) => {
    const field = findField(schema, name)
    if (field === undefined) {
      const proposal = schema.fields.map((column) => column.name)
      throw deltaError('UNRESOLVED_COLUMN.WITH_SUGGESTION', { name, names: 'the columns are', proposal })
    }
    if (seen.has(field.name)) throw deltaError('COLUMN_ALREADY_EXISTS', { column: field.name })
    seen.add(field.name)
    return field
  })
}

function pairWith(from: StructField, to: StructField | undefined, { growing, location }: AssignmentTarget): Pair {
  if (to !== undefined || growing) return { from, to }
  throw extraColumn(from.name, location)
}

function refuseLacking(pairs: readonly Pair[], { schema, filled }: AssignmentTarget): void {
  const given = new Set(pairs.map(({ to }) => to))
  const lacking = schema.fields.find((field, i) => !field.nullable && !given.has(field) && !filled.has(i))
  if (lacking !== undefined) throw deltaError('DELTA_INSERT_COLUMN_MISMATCH', { column: lacking.name })
}

/** The column as the table will have it: members of structs come by name alone, as a place says nothing of them. */
function grownPair({ from, to }: Pair, by: ColumnAssignment['by'], { widens = false }: AssignmentTarget): Pair {
  if (to === undefined || (by === 'position' && holdsStruct(to.type))) return { from, to }
  const given = structType([{ ...from, name: to.name }])
  return { from, to: mergeSchemas(structType([to]), given, { widens, casts: true }).schema.fields[0]! }
}

function holdsStruct(type: DataType): boolean {
  if (type.kind === 'array') return holdsStruct(type.element)
  if (type.kind === 'map') return holdsStruct(type.key) || holdsStruct(type.value)
  return type.kind === 'struct'
}

/** @throws DeltaError `COLUMN_ALREADY_EXISTS` where a new column is called as another */
function refuseTwice(pairs: readonly Pair[]): void {
  const names = pairs.map(({ from, to }) => foldCase((to ?? from).name))
  const twice = names.find((name, i) => names.indexOf(name) < i)
  if (twice !== undefined) throw deltaError('COLUMN_ALREADY_EXISTS', { column: twice })
}

interface Place {
  readonly source: StructType
  readonly by: ColumnAssignment['by']
  readonly target: AssignmentTarget
}

function assignedColumn(from: StructField, to: StructField | undefined, { source, by, target }: Place) {
  const column = columnExpression([from.name])
  const ordinal = source.fields.indexOf(from)
  // columns of a query may share a name, so each stands alone
  const alone = structType([from])
  const { location, growing } = target
  const expression =
    to === undefined
      ? column
      : castToColumn(column, { from: from.type, to: to.type, path: [to.name], by, fills: growing, location })
  const evaluate = compileEvaluator(bindExpression(expression, alone))
  return {
    expression,
    evaluate: (row: Row): Value => {
      try {
        return evaluate([row[ordinal] ?? null])
      } catch (error) {
        throw to === undefined ? error : namedOverflow(error, to)
      }
    },
  }
}

function namedOverflow(error: unknown, { name, type }: StructField): unknown {
  const codes = ['CAST_OVERFLOW', 'NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION'] as const
  if (!isDeltaError(error, ...codes)) return error
  const { value } = error.details
  const details = { place: 'a row', value, column: name, type: formatType(type) }
  return deltaError('CAST_OVERFLOW_IN_TABLE_INSERT', details, { cause: error })
}
