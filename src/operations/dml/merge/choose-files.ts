/**
 * Which files a MERGE must open.
 *
 * A row of the table can only match where the parts of the condition that speak of the table alone are TRUE, and where
 * its keys are among those of the source: both become a predicate that skips files. Rows that no row of the source
 * matches lie in any file, unless the clauses about them say which.
 */
import {
  conjunctsOf,
  type JoinKey,
  joinKeys,
  type KeySummary,
  readsOnly,
  type StagedRows,
} from '../../../engine/index.ts'
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
  /** TRUE for every row that may match; absent: every row may */
  readonly within: BoundExpression | undefined
  /** columns of the source that are null in some row and are compared by `=`, which such a row never matches by */
  readonly nullKeys: readonly string[]
}

/** @throws DeltaError the codes of `StagedRows.summarize` */
export async function chooseFiles(
  staged: StagedRows,
  ground: MatchGround,
  options: CommandOptions,
): Promise<FileChoice> {
  const { condition, width } = ground
  const unmatched = ground.clauses.filter(({ when }) => when === 'notMatchedBySource').map((clause) => clause.condition)
  const onTarget = conjunctsOf(condition).filter((part) => part.kind !== 'literal' && readsOnly(part, 0, width))
  const keys = await knownKeys(staged, ground, options)
  const nullKeys = keys.flatMap((known) => (known.summary.hasNull ? nullKey(known.key) : []))
  const matches = connect('and', [...onTarget, ...keys.map(among)])
  const within = connect('and', keys.flatMap(bounded))
  if (unmatched.length === 0) return { rests: connect('and', onTarget), opens: matches, within, nullKeys }
  const isOpen = matches === undefined || unmatched.some((clause) => clause === undefined)
  const opens = isOpen ? undefined : connect('or', [matches, ...unmatched.map((clause) => clause!)])
  return { rests: 'table', opens, within, nullKeys }
}

function nullKey({ source, nullSafe }: JoinKey): string[] {
  return !nullSafe && source.kind === 'column' ? [source.path.join('.')] : []
}

interface KnownKey {
  readonly key: JoinKey
  readonly summary: KeySummary
}

async function knownKeys(
  staged: StagedRows,
  { condition, width }: MatchGround,
  options: CommandOptions,
): Promise<readonly KnownKey[]> {
  const keys = joinKeys(condition, width).filter(({ target, source }) => isColumn(target) && isPlain(source.type.kind))
  if (keys.length === 0) return []
  const onSource = conjunctsOf(condition).filter((part) => readsOnly(part, width, Number.POSITIVE_INFINITY))
  const where = connect('and', onSource)
  const summaries = await staged.summarize(
    keys.map(({ source }) => ofSource(source, width)),
    where && ofSource(where, width),
    options,
  )
  return keys.flatMap((key, i) => {
    const summary = summaries[i]
    return summary === undefined ? [] : [{ key, summary }]
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

/** That the table's side of a key may be one of the source's. */
function among(known: KnownKey): BoundExpression {
  const { target, source, nullSafe } = known.key
  const { hasNull, values } = known.summary
  const [between = NEVER] = bounds(known)
  const isOne =
    values === undefined || values.length === 0
      ? between
      : call('in', target, ...values.map((value) => literal(value, source.type as DataType)))
  return nullSafe && hasNull ? call('or', isOne, call('isnull', target)) : isOne
}

/** That the table's side of a key lies between the least and the greatest of the source's; nothing where it may be null. */
function bounded(known: KnownKey): readonly BoundExpression[] {
  return known.key.nullSafe && known.summary.hasNull ? [] : bounds(known)
}

function bounds({ key: { target, source }, summary: { min, max } }: KnownKey): readonly BoundExpression[] {
  if (min === null || max === null) return []
  const type = source.type as DataType
  return [call('and', call('>=', target, literal(min, type)), call('<=', target, literal(max, type)))]
}

function literal(value: Value, type: DataType): BoundExpression {
  return { kind: 'literal', value, type }
}

const NEVER: BoundExpression = { kind: 'literal', value: false, type: booleanType }

function call(name: string, ...args: readonly BoundExpression[]): BoundExpression {
  return { kind: 'call', name, args, type: booleanType }
}

function connect(name: 'and' | 'or', parts: readonly BoundExpression[]): BoundExpression | undefined {
  const [first, ...rest] = parts
  return first === undefined ? undefined : rest.reduce((all, part) => call(name, all, part), first)
}
