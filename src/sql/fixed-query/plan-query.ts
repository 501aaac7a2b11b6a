/** What a query that asks no table gives: its columns at once, its rows page by page as they are read. */
import { deltaError, isDeltaError } from '../../errors/index.ts'
import {
  type BoundExpression,
  bindScoped,
  bindScopedCondition,
  compileEvaluator,
  type Expression,
  isInterval,
  printExpression,
  type Scope,
} from '../../expressions/index.ts'
import {
  type DataType,
  field,
  foldCase,
  longType,
  type Row,
  type StructType,
  sameType,
  structType,
} from '../../schema/index.ts'
import { typeOfColumn, widthOfRows } from '../inline-table.ts'
import { type FixedQuery, type FixedRelation, readFixedQuery, type SelectItem } from './read-query.ts'

/** Rows as the expression language gives them, on any engine. */
export interface FixedRows {
  readonly schema: StructType
  pages(): AsyncIterable<readonly Row[]>
}

export interface FixedOptions {
  /** puts in what an expression asks of the clock and of parameters */
  readonly settle: (expression: Expression) => Expression
  readonly timeZone?: string
}

/** Rows of a page that is made, not read. */
const PAGE_ROWS = 8192
const span = { start: 0, end: 0 }

/**
 * Plans a query that asks no table, such as `SELECT id, concat('v', id) FROM range(10)` or a VALUES list.
 *
 * @returns undefined where the text is another query, or speaks of a name or function that only the engine can know
 * @throws DeltaError `DATATYPE_MISMATCH.…` and the other codes of `bindExpression`; reading the pages throws those of a
 * value that cannot be worked out
 */
export function planFixedQuery(text: string, options: FixedOptions): FixedRows | undefined {
  const query = readFixedQuery(text)
  if (query === undefined) return undefined
  try {
    return new Planner(options).query(query)
  } catch (error) {
    if (isDeltaError(error) && FOR_THE_ENGINE.test(error.code)) return undefined
    throw error
  }
}

/** A name or a construct that the expression language has not, and the engine may have. */
const FOR_THE_ENGINE = /^(UNRESOLVED_|LAKE_EXPRESSION_UNSUPPORTED|WRONG_NUM_ARGS|UNSUPPORTED_|INVALID_USAGE_OF_STAR)/

class Planner {
  private readonly options: FixedOptions

  constructor(options: FixedOptions) {
    this.options = options
  }

  query(query: FixedQuery): FixedRows {
    switch (query.kind) {
      case 'select':
        return this.select(query)
      case 'values':
        return this.values(query.rows)
      case 'union':
        return this.union(query.parts.map((part) => this.query(part)))
    }
  }

  private select({ items, from, where }: Extract<FixedQuery, { kind: 'select' }>): FixedRows {
    const source = from === undefined ? ONE_ROW : this.relation(from)
    const scope: Scope = { schema: source.schema, ...(from?.alias !== undefined && { name: from.alias }) }
    const columns = items.flatMap((item) => this.item(item, scope))
    const condition = where && compileEvaluator(this.bindCondition(where, scope))
    const values = columns.map(({ bound }) => compileEvaluator(bound))
    return {
      schema: structType(columns.map(({ name, bound }) => field(name, typeOf(bound)))),
      async *pages() {
        for await (const page of source.pages()) {
          const kept = condition === undefined ? page : page.filter((row) => condition(row) === true)
          yield kept.map((row) => values.map((value) => value(row)))
        }
      },
    }
  }

  private item(item: SelectItem, scope: Scope): { name: string; bound: BoundExpression }[] {
    if (item.star) {
      const isKnown = item.of === undefined || (scope.name !== undefined && foldCase(scope.name) === foldCase(item.of))
      if (!isKnown) throw deltaError('UNRESOLVED_COLUMN.WITHOUT_SUGGESTION', { name: `${item.of}.*` })
      return scope.schema.fields.map(({ name }) => ({ name, bound: this.bind(columnNamed(name), scope) }))
    }
    const { expression, name } = item
    const given = name ?? (expression.kind === 'column' ? expression.path.at(-1)! : printExpression(expression))
    return [{ name: given, bound: this.bind(expression, scope) }]
  }

  private relation({ rows, columns }: FixedRelation): FixedRows {
    const source = rows.kind === 'range' ? this.range(rows.bounds) : this.query(rows)
    if (columns === undefined) return source
    const { fields } = source.schema
    if (columns.length !== fields.length) {
      throw deltaError('LAKE_EXPRESSION_UNSUPPORTED', {
        what: `${columns.length} names for ${fields.length} columns`,
        advice: 'name each column',
      })
    }
    const schema = structType(fields.map(({ type }, i) => field(columns[i]!, type)))
    return { schema, pages: () => source.pages() }
  }

  /** `range(end)`, `range(start, end)`, `range(start, end, step)`: one column `id`. */
  private range(bounds: readonly Expression[]): FixedRows {
    const numbers = bounds.map((bound) => this.wholeNumber(bound))
    const [start, end, step] =
      numbers.length === 1 ? [0n, numbers[0]!, 1n] : [numbers[0]!, numbers[1]!, numbers[2] ?? 1n]
    if (numbers.length > 3 || step === 0n) {
      throw deltaError('LAKE_EXPRESSION_UNSUPPORTED', {
        what: 'range with these ends',
        advice: 'give start, end, step',
      })
    }
    return { schema: structType([field('id', longType)]), pages: () => rangePages(start, end, step) }
  }

  private wholeNumber(expression: Expression): bigint {
    const cast: Expression = { kind: 'cast', child: expression, type: longType, safe: false, span }
    const value = compileEvaluator(this.bind(cast, { schema: structType([]) }))([])
    if (typeof value === 'bigint') return value
    throw deltaError('LAKE_EXPRESSION_UNSUPPORTED', { what: 'range without an end', advice: 'give whole numbers' })
  }

  private values(rows: readonly (readonly Expression[])[]): FixedRows {
    widthOfRows(rows)
    const parts = rows.map((row) => {
      const bound = row.map((value) => this.bind(value, { schema: structType([]) }))
      const schema = structType(bound.map((value, i) => field(`col${i + 1}`, typeOf(value))))
      return { schema, values: bound.map((value) => compileEvaluator(value)) }
    })
    const united = this.commonCasts(
      parts.map(({ schema }) => schema),
      typeOfColumn,
    )
    const made = parts.map(({ values }, i) => united.cast(i)(values.map((value) => value([]))))
    return { schema: united.schema, pages: () => onePage(made) }
  }

  private union(parts: readonly FixedRows[]): FixedRows {
    const [first] = parts
    const width = first!.schema.fields.length
    const other = parts.find(({ schema }) => schema.fields.length !== width)
    if (other !== undefined) {
      throw deltaError('NUM_COLUMNS_MISMATCH', { operator: 'UNION', first: width, other: other.schema.fields.length })
    }
    const united = this.commonCasts(parts.map(({ schema }) => schema))
    return {
      schema: united.schema,
      async *pages() {
        for (const [i, part] of parts.entries()) {
          const cast = united.cast(i)
          for await (const page of part.pages()) yield page.map(cast)
        }
      },
    }
  }

  /** The types that hold the values of all parts column by column, and how a row of a part is cast to them. */
  private commonCasts(
    schemas: readonly StructType[],
    meet: (types: readonly DataType[], column: number) => DataType = (types) => this.commonType(types),
  ): {
    schema: StructType
    cast: (part: number) => (row: Row) => Row
  } {
    const types = schemas[0]!.fields.map((_, column) =>
      meet(
        schemas.map((schema) => schema.fields[column]!.type),
        column,
      ),
    )
    const schema = structType(schemas[0]!.fields.map(({ name }, i) => field(name, types[i]!)))
    return {
      schema,
      cast: (part) => {
        const given = schemas[part]!
        if (given.fields.every(({ type }, i) => sameType(type, types[i]!))) return (row) => row
        const scope = { schema: structType(given.fields.map(({ type }, i) => field(`c${i}`, type))) }
        const casts = types.map((type, i) => {
          return compileEvaluator(
            this.bind({ kind: 'cast', child: columnNamed(`c${i}`), type, safe: false, span }, scope),
          )
        })
        return (row) => casts.map((cast) => cast(row))
      },
    }
  }

  /** COALESCE of all values has their common type. */
  private commonType(types: readonly DataType[]): DataType {
    const [first] = types
    if (types.every((type) => sameType(type, first!))) return first!
    const scope = { schema: structType(types.map((type, i) => field(`c${i}`, type))) }
    const args = types.map((_, i) => columnNamed(`c${i}`))
    return typeOf(this.bind({ kind: 'call', name: 'coalesce', args, span }, scope))
  }

  private bind(expression: Expression, scope: Scope): BoundExpression {
    return bindScoped(this.options.settle(expression), [scope], this.bindOptions)
  }

  private bindCondition(expression: Expression, scope: Scope): BoundExpression {
    return bindScopedCondition(this.options.settle(expression), [scope], this.bindOptions)
  }

  private get bindOptions() {
    const { timeZone } = this.options
    return timeZone === undefined ? {} : { timeZone }
  }
}

const ONE_ROW: FixedRows = { schema: structType([]), pages: () => onePage([[]]) }

async function* onePage(rows: readonly Row[]): AsyncGenerator<readonly Row[]> {
  yield rows
}

async function* rangePages(start: bigint, end: bigint, step: bigint): AsyncGenerator<readonly Row[]> {
  const isBefore = step > 0n ? (value: bigint) => value < end : (value: bigint) => value > end
  let rows: Row[] = []
  for (let value = start; isBefore(value); value += step) {
    rows.push([value])
    if (rows.length < PAGE_ROWS) continue
    yield rows
    rows = []
  }
  if (rows.length > 0) yield rows
}

function columnNamed(name: string): Expression {
  return { kind: 'column', path: [name], span }
}

function typeOf({ type }: BoundExpression): DataType {
  if (!isInterval(type)) return type
  throw deltaError('LAKE_EXPRESSION_UNSUPPORTED', {
    what: `a column of the type ${type.text}`,
    advice: 'keep the number of days or seconds',
  })
}
