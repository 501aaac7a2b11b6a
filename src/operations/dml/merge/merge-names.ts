/** Names in the conditions and values of a MERGE, and what is said of those that mean nothing. */
import { type DeltaError, deltaError, isDeltaError } from '../../../errors/index.ts'
import {
  type BoundExpression,
  bindScoped,
  bindScopedCondition,
  type Expression,
  printExpression,
  type Scope,
} from '../../../expressions/index.ts'
import { foldCase, formatType, type StructType, structType } from '../../../schema/index.ts'
import type { ExpressionInput } from '../../command.ts'

/** Which side of a MERGE an expression may speak of. */
export type Sight = 'both' | 'target' | 'source'

export interface MergeNames {
  /** the table's own columns, then those that no name reaches, then the source's */
  readonly target: StructType
  readonly extra: StructType
  readonly source: StructType
  readonly alias: string | undefined
  readonly sourceAlias: string | undefined
}

/** Number of columns before those of the source. */
export function targetWidth({ target, extra }: MergeNames): number {
  return target.fields.length + extra.fields.length
}

export function scopesOf(names: MergeNames, sight: Sight): readonly Scope[] {
  const { target, extra, source, alias, sourceAlias } = names
  return [
    { schema: target, hidden: sight === 'source', ...(alias !== undefined && { name: alias }) },
    { schema: extra, hidden: true },
    { schema: source, hidden: sight === 'target', ...(sourceAlias !== undefined && { name: sourceAlias }) },
  ]
}

/** Columns that no name reaches: those of a layout behind the table's own. */
export function extraColumns(layout: StructType, own: StructType): StructType {
  return structType(layout.fields.slice(own.fields.length))
}

/** @throws DeltaError as `inClause`; `JOIN_CONDITION_IS_NOT_BOOLEAN_TYPE` */
export function bindOn(on: Expression, names: MergeNames): BoundExpression {
  return inClause({ operation: SEARCH, input: on }, names, 'both', () => {
    const scopes = scopesOf(names, 'both')
    const { type } = bindScoped(on, scopes)
    if (type.kind === 'boolean' || type.kind === 'void') return bindScopedCondition(on, scopes)
    const details = { expression: printExpression(on), type: 'text' in type ? type.text : formatType(type) }
    throw deltaError('JOIN_CONDITION_IS_NOT_BOOLEAN_TYPE', details)
  })
}

/** The condition by which rows match, in messages. */
export const SEARCH = 'the search condition of MERGE'

export interface ClausePart {
  /** for messages: `the UPDATE condition of MERGE` */
  readonly operation: string
  readonly input?: ExpressionInput
}

/**
 * Binds a part of a MERGE, with the names its refusals have there.
 *
 * @throws DeltaError `DELTA_MERGE_UNRESOLVED_EXPRESSION`, those of `withRefusals`, what `bind` throws
 */
export function inClause<T>(part: ClausePart, names: MergeNames, sight: Sight, bind: () => T): T {
  return withRefusals(part, () => {
    try {
      return bind()
    } catch (cause) {
      if (!isDeltaError(cause, 'UNRESOLVED_COLUMN.WITH_SUGGESTION', 'UNRESOLVED_COLUMN.WITHOUT_SUGGESTION')) throw cause
      throw unresolved(cause, part, names, sight)
    }
  })
}

/**
 * Reads a part of a MERGE.
 *
 * @throws DeltaError `DELTA_UNSUPPORTED_SUBQUERY`, `DELTA_AGGREGATION_NOT_SUPPORTED`,
 * `DELTA_NON_DETERMINISTIC_FUNCTION_NOT_SUPPORTED`, what `read` throws
 */
export function withRefusals<T>(part: ClausePart, read: () => T): T {
  try {
    return read()
  } catch (cause) {
    throw isDeltaError(cause, 'LAKE_EXPRESSION_UNSUPPORTED') ? refusalOf(cause, part) : cause
  }
}

function unresolved(cause: DeltaError, { operation }: ClausePart, names: MergeNames, sight: Sight): DeltaError {
  const columns = scopesOf(names, sight).flatMap(({ name, schema, hidden }) =>
    hidden ? [] : schema.fields.map((field) => (name === undefined ? field.name : `${name}.${field.name}`)),
  )
  const details = { name: cause.details.name, clause: operation, columns: columns.join(', ') }
  return deltaError('DELTA_MERGE_UNRESOLVED_EXPRESSION', details, { cause })
}

function refusalOf(cause: DeltaError, { operation, input }: ClausePart): DeltaError {
  const expression = input === undefined ? 'a value' : typeof input === 'string' ? input : printExpression(input)
  switch (cause.details.construct) {
    case 'subquery':
      return deltaError('DELTA_UNSUPPORTED_SUBQUERY', { operation, expression }, { cause })
    case 'aggregate':
      return deltaError('DELTA_AGGREGATION_NOT_SUPPORTED', { operation, expression }, { cause })
    case 'random':
      return deltaError('DELTA_NON_DETERMINISTIC_FUNCTION_NOT_SUPPORTED', { operation, expression }, { cause })
    default:
      return cause
  }
}

/** The path of a column to be set, without the table's own name before it. */
export function targetPath(path: readonly string[], { alias, target }: MergeNames): readonly string[] {
  const [first, second] = path
  if (alias === undefined || second === undefined || foldCase(first!) !== foldCase(alias)) return path
  return target.fields.some(({ name }) => foldCase(name) === foldCase(second)) ? path.slice(1) : path
}
