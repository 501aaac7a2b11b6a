/** The steps of a route: select, drop, rename, filter, cast, parseTimestamp, set. */
import { type BoundExpression, printName } from '../../expressions/index.ts'
import { foldCase, formatType } from '../../schema/index.ts'
import { isObject, printValue } from '../config/setting.ts'
import { parseFieldType } from '../records/parse-record-type.ts'
import { recordTypeOf, sameRecordType, tableTypeOf } from '../records/record-type.ts'
import {
  columnNamed,
  computedColumn,
  conditionOver,
  expressionOver,
  type RouteColumn,
  StepFault,
} from './route-columns.ts'

/** What a route has come to after some of its steps. */
export interface RouteState {
  readonly columns: readonly RouteColumn[]
  /** records for which one of these is not true are left out; in the order of the steps */
  readonly filters: readonly BoundExpression[]
}

type Step = (state: RouteState) => RouteState

interface StepKind {
  readonly form: string
  /** @returns undefined where the argument is not of the form */
  readonly read: (argument: unknown) => Step | undefined
}

function stepKind<T>(
  form: string,
  readArgument: (argument: unknown) => T | undefined,
  take: (state: RouteState, argument: T) => RouteState,
): StepKind {
  const read = (json: unknown): Step | undefined => {
    const argument = readArgument(json)
    return argument === undefined ? undefined : (state) => take(state, argument)
  }
  return { form, read }
}

/** Every step by its name: the form of its argument, and what it does. */
const stepKinds: Readonly<Record<string, StepKind>> = {
  select: stepKind('a list of fields, or of expressions AS names', textList, (state, items) =>
    withColumns(
      state,
      items.map((item) => selectItem(state.columns, item)),
    ),
  ),
  drop: stepKind('a list of fields', textList, (state, names) => {
    const dropped = new Set(names.map((name) => columnNamed(state.columns, name)))
    return withColumns(
      state,
      state.columns.filter((column) => !dropped.has(column)),
    )
  }),
  rename: stepKind('an object of fields and their new names', textEntries, (state, entries) => {
    const renamed = new Map(entries.map(([from, to]) => [columnNamed(state.columns, from), to]))
    return withColumns(
      state,
      state.columns.map((c) => ({ ...c, name: renamed.get(c) ?? c.name })),
    )
  }),
  filter: stepKind(
    'a condition; records for which it is not true are left out',
    (argument) => (typeof argument === 'string' ? argument : undefined),
    (state, text) => ({ ...state, filters: [...state.filters, conditionOver(state.columns, text)] }),
  ),
  cast: stepKind('an object of fields and their new types', textEntries, (state, entries) =>
    entries.reduce((current, [name, type]) => replace(current, castColumn(current.columns, name, type)), state),
  ),
  parseTimestamp: stepKind(
    'an object with column, and pattern where the text is not in the ISO form',
    timestampArgument,
    (state, { column, pattern }) => {
      const { name } = columnNamed(state.columns, column)
      const second = pattern === undefined ? '' : `, '${pattern.replace(/[\\']/g, '\\$&')}'`
      const text = `to_timestamp(${printName(name)}${second})`
      return replace(state, computedColumn(name, expressionOver(state.columns, text)))
    },
  ),
  set: stepKind('an object of fields and the expressions they get', textEntries, (state, entries) => {
    const columns = entries.map(([name, text]) => computedColumn(name, expressionOver(state.columns, text)))
    return columns.reduce(replace, state)
  }),
}

/** What each step takes, by its name. */
export const stepForms: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(stepKinds).map(([name, { form }]) => [name, form]),
)

/**
 * Reads one step: its name and the form of its argument.
 *
 * @returns what takes it; that throws StepFault too, and DeltaError where an expression or a type cannot be read or bound
 * @throws StepFault
 */
export function readStep(json: unknown): Step {
  const names = Object.keys(stepKinds)
  const name = nameOfStep(json)
  if (name === undefined || !isObject(json)) {
    throw new StepFault(`it is ${printValue(json)}, and a step is an object with one of the keys ${names.join(', ')}`)
  }
  const kind = Object.hasOwn(stepKinds, name) ? stepKinds[name] : undefined
  if (kind === undefined) throw new StepFault(`${name} is no step; the steps are ${names.join(', ')}`)
  const step = kind.read(json[name])
  if (step === undefined) throw new StepFault(`${name} is ${printValue(json[name])}; it is ${kind.form}`)
  return (state) => checkNames(step(state))
}

/** Whether the fields behind a step are those before it, also where the step itself is at fault. */
export function keepsFields(json: unknown): boolean {
  return nameOfStep(json) === 'filter'
}

function nameOfStep(json: unknown): string | undefined {
  const names = isObject(json) ? Object.keys(json) : []
  return names.length === 1 ? names[0] : undefined
}

function selectItem(columns: readonly RouteColumn[], item: string): RouteColumn {
  const computed = /^(.+)\s+as\s+(`(?:[^`]|``)+`|[\p{L}_][\p{L}\p{N}_]*)\s*$/isu.exec(item)
  if (computed === null) return columnNamed(columns, unquote(item.trim()))
  return computedColumn(unquote(computed[2]!), expressionOver(columns, computed[1]!))
}

function unquote(name: string): string {
  return name.startsWith('`') && name.endsWith('`') ? name.slice(1, -1).replaceAll('``', '`') : name
}

function castColumn(columns: readonly RouteColumn[], name: string, typeText: string): RouteColumn {
  const column = columnNamed(columns, name)
  const type = parseFieldType(typeText)
  const tableType = tableTypeOf(type)
  if (tableType === undefined || !sameRecordType(recordTypeOf(tableType), type)) {
    throw new StepFault(`a value cannot be cast to ${typeText}; cast to a type of the table`)
  }
  // The text of the cast goes through the binder, which knows which casts there are.
  const text = `cast(${printName(column.name)} as ${formatType(tableType)})`
  return computedColumn(column.name, expressionOver(columns, text))
}

function replace(state: RouteState, column: RouteColumn): RouteState {
  const at = state.columns.findIndex((c) => foldCase(c.name) === foldCase(column.name))
  const columns = at < 0 ? [...state.columns, column] : state.columns.with(at, column)
  return withColumns(state, columns)
}

function withColumns(state: RouteState, columns: readonly RouteColumn[]): RouteState {
  return { ...state, columns }
}

function checkNames(state: RouteState): RouteState {
  const seen = new Set<string>()
  for (const { name } of state.columns) {
    if (seen.has(foldCase(name))) throw new StepFault(`two fields would be called ${name}`)
    seen.add(foldCase(name))
  }
  if (state.columns.length === 0) throw new StepFault('no field would be left')
  return state
}

function textList(value: unknown): readonly string[] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined
  const items = value as readonly unknown[]
  return items.every((item): item is string => typeof item === 'string') ? items : undefined
}

function textEntries(value: unknown): [string, string][] | undefined {
  if (!isObject(value) || Object.keys(value).length === 0) return undefined
  const entries = Object.entries(value)
  return entries.every((entry): entry is [string, string] => typeof entry[1] === 'string') ? entries : undefined
}

function timestampArgument(value: unknown): { column: string; pattern: string | undefined } | undefined {
  if (!isObject(value) || Object.keys(value).some((key) => key !== 'column' && key !== 'pattern')) return undefined
  const { column, pattern } = value
  if (typeof column !== 'string' || (pattern !== undefined && typeof pattern !== 'string')) return undefined
  return { column, pattern }
}
