/**
 * Which files a MERGE must open.
 *
 * A row of the table can only match where the parts of the condition that speak of the table alone are TRUE, and where
 * its keys are among those of the source: both become a predicate that skips files. Rows that no row of the source
 * matches lie in any file, unless the clauses about them say which.
 */
import { conjunctsOf, joinKeys, type KeySummary, readsOnly, type StagedRows } from '../../../engine/index.ts'
import { type BoundExpression, mapBound } from '../../../expressions/index.ts'
import { booleanType, type DataType, type Value } from '../../../schema/index.ts'
import type { CommandOptions } from '../../command.ts'
import type { BoundClause } from './bind-clauses.ts'

export interface MatchGround {
  readonly condition: BoundExpression
  /** number of the table's columns in the joint row */
  readonly width: number
  readonly clauses: readonly BoundClause[]
}

export interface FileChoice {
  /** rows for which it is TRUE are what the change rests on, any row when absent; `table`: on the whole table as it is */
  readonly rests: BoundExpression | 'table' | undefined
  /** files that hold no row for which it is TRUE need not be opened; absent: all must be */
  readonly opens: BoundExpression | undefined
}

/** @throws DeltaError the codes of `StagedRows.summarize` */
export async function chooseFiles(
  staged: StagedRows,
  ground: MatchGround,
  options: CommandOptions,
): Promise<FileChoice> {
  const { condition, width } = ground
  const unmatched = ground.clauses.filter(({ when }) => when === 'notMatchedBySource').map((clause) => clause.condition)
  if (unmatched.some((clause) => clause === undefined)) return { rests: 'table', opens: undefined }
  const onTarget = conjunctsOf(condition).filter((part) => part.kind !== 'literal' && readsOnly(part, 0, width))
  const keys = await keyPredicates(staged, ground, options)
  const matches = connect('and', [...onTarget, ...keys])
  if (unmatched.length === 0) return { rests: connect('and', onTarget), opens: matches }
  const opens = matches === undefined ? undefined : connect('or', [matches, ...unmatched.map((clause) => clause!)])
  return { rests: 'table', opens }
}

async function keyPredicates(
  staged: StagedRows,
  { condition, width }: MatchGround,
  options: CommandOptions,
): Promise<readonly BoundExpression[]> {
  const keys = joinKeys(condition, width).filter(({ target, source }) => isColumn(target) && isPlain(source.type.kind))
  if (keys.length === 0) return []
  const onSource = conjunctsOf(condition).filter((part) => readsOnly(part, width, Number.POSITIVE_INFINITY))
  const where = connect('and', onSource)
  const summaries = await staged.summarize(
    keys.map(({ source }) => ofSource(source, width)),
    where && ofSource(where, width),
    options,
  )
  return keys.flatMap(({ target, source, nullSafe }, i) => {
    const summary = summaries[i]
    return summary === undefined ? [] : [among(target, summary, { type: source.type as DataType, nullSafe })]
  })
}

/** A column, or one under casts. */
function isColumn(expression: BoundExpression): boolean {
  return expression.kind === 'column' || (expression.kind === 'cast' && isColumn(expression.child))
}

const NOT_PLAIN = new Set(['array', 'map', 'struct', 'variant', 'void', 'interval_year_month', 'interval_day_time'])

function isPlain(kind: string): boolean {
  return !NOT_PLAIN.has(kind)
}

/** An expression over the joint row as one over a row of the source. */
function ofSource(expression: BoundExpression, width: number): BoundExpression {
  return mapBound(expression, (node) => {
    if (node.kind !== 'column') return undefined
    const [top, ...members] = node.ordinals
    return { ...node, ordinals: [top! - width, ...members] }
  })
}

/** That a value may be one of those of the source. */
function among(
  target: BoundExpression,
  { hasNull, min, max, values }: KeySummary,
  { type, nullSafe }: { readonly type: DataType; readonly nullSafe: boolean },
): BoundExpression {
  const literal = (value: Value): BoundExpression => ({ kind: 'literal', value, type })
  const known =
    min === null || max === null
      ? NEVER
      : values === undefined
        ? call('and', call('>=', target, literal(min)), call('<=', target, literal(max)))
        : call('in', target, ...values.map(literal))
  return nullSafe && hasNull ? call('or', known, call('isnull', target)) : known
}

const NEVER: BoundExpression = { kind: 'literal', value: false, type: booleanType }

function call(name: string, ...args: readonly BoundExpression[]): BoundExpression {
  return { kind: 'call', name, args, type: booleanType }
}

function connect(name: 'and' | 'or', parts: readonly BoundExpression[]): BoundExpression | undefined {
  const [first, ...rest] = parts
  return first === undefined ? undefined : rest.reduce((all, part) => call(name, all, part), first)
}
