/** The commands of DELETE and UPDATE, from what a program says. */
import { deltaError } from '../errors/index.ts'
import { parseExpression } from '../expressions/index.ts'
import type {
  ChangeSettings,
  ColumnValue,
  CommandOptions,
  DeleteCommand,
  ExpressionInput,
  TableRef,
  UpdateCommand,
} from '../operations/index.ts'

export interface ChangeOptions extends CommandOptions, Omit<ChangeSettings, 'transaction'> {}

export interface UpdateChange {
  /** rows for which it is TRUE; every row when it is left out */
  readonly where?: ExpressionInput
  /**
   * new values by column, as SQL over the old row: `{ amount: 'amount * 2', 'address.city': "'Paris'" }`. A name with a
   * dot of its own stands in backticks; `DEFAULT` is the column's default
   */
  readonly set: ColumnValuesInput
}

/** SQL by the name of a column; a `Map`, or an object. */
export type ColumnValuesInput = ReadonlyMap<string, ExpressionInput> | Readonly<Record<string, ExpressionInput>>

/**
 * @param where the arguments of the call: a condition that was given and holds nothing is a mistake, not every row
 * @throws DeltaError `LAKE_USAGE`
 */
export function deleteCommand(
  table: TableRef,
  where: readonly (ExpressionInput | undefined)[],
  options: ChangeOptions,
): DeleteCommand {
  const [condition] = where
  if (where.length > 0) refuseNothing(condition, 'delete')
  return {
    kind: 'delete',
    table,
    ...(condition !== undefined && { where: condition }),
    ...settingsOf(options),
  }
}

/** @throws DeltaError `LAKE_USAGE`, `PARSE_SYNTAX_ERROR` for a name that is none */
export function updateCommand(table: TableRef, change: UpdateChange, options: ChangeOptions): UpdateCommand {
  const { where } = change
  if ('where' in change) refuseNothing(where, 'update')
  const set = columnValues(change.set)
  if (set.length === 0) throw usage('an update names no column to set', 'give at least one column in set')
  return {
    kind: 'update',
    table,
    set,
    ...(where !== undefined && { where }),
    ...settingsOf(options),
  }
}

/** The settings among the options of a call. */
export function settingsOf({ userMetadata, rowLevelConcurrency }: ChangeOptions): ChangeSettings {
  return {
    ...(userMetadata !== undefined && { userMetadata }),
    ...(rowLevelConcurrency !== undefined && { rowLevelConcurrency }),
  }
}

/** @throws DeltaError `LAKE_USAGE`, `PARSE_SYNTAX_ERROR` for a name that is none */
export function columnValues(values: ColumnValuesInput): ColumnValue[] {
  const pairs: Iterable<readonly [string, ExpressionInput]> = values instanceof Map ? values : Object.entries(values)
  return Array.from(pairs, ([name, value]): ColumnValue => ({ column: columnPath(name), value }))
}

function refuseNothing(condition: ExpressionInput | null | undefined, verb: string): void {
  const isText = typeof condition === 'string'
  if (condition !== undefined && condition !== null && !(isText && condition.trim() === '')) return
  throw usage(
    `the condition of ${verb} is ${isText ? 'an empty text' : condition}`,
    `leave it out to ${verb} every row`,
  )
}

function columnPath(name: string): readonly string[] {
  const parsed = parseExpression(name)
  if (parsed.kind === 'column') return parsed.path
  throw usage(`${name} in set is no column`, 'write a column, or a path of names with dots between them')
}

function usage(problem: string, advice: string): Error {
  return deltaError('LAKE_USAGE', { problem, advice })
}
