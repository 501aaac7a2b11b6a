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

interface StepKind {
  readonly form: string
  readonly take: (state: RouteState, argument: unknown, fail: (allowed: string) => never) => RouteState
}

/** Every step by its name: the form of its argument, and what it does. */
const stepKinds: Readonly<Record<string, StepKind>> = {
  select: {
    form: 'a list of fields, or of expressions AS names',
    take: (state, argument, fail) => {
      const items = isTextList(argument) ? argument : fail(stepKinds.select!.form)
      return withColumns(
        state,
        items.map((item) => selectItem(state.columns, item)),
      )
    },
  },
  drop: {
    form: 'a list of fields',
    take: (state, argument, fail) => {
      const names = isTextList(argument) ? argument : fail(stepKinds.drop!.form)
      const dropped = new Set(names.map((name) => columnNamed(state.columns, name)))
      return withColumns(
        state,
        state.columns.filter((column) => !dropped.has(column)),
      )
    },
  },
  rename: {
    form: 'an object of fields and their new names',
    take: (state, argument, fail) => {
      const entries = textEntries(argument) ?? fail(stepKinds.rename!.form)
      const renamed = new Map(entries.map(([from, to]) => [columnNamed(state.columns, from), to]))
      return withColumns(
        state,
        state.columns.map((c) => ({ ...c, name: renamed.get(c) ?? c.name })),
      )
    },
  },
  filter: {
    form: 'a condition; records for which it is not true are left out',
    take: (state, argument, fail) => {
      const text = typeof argument === 'string' ? argument : fail(stepKinds.filter!.form)
      return { ...state, filters: [...state.filters, conditionOver(state.columns, text)] }
    },
  },
  cast: {
    form: 'an object of fields and their new types',
    take: (state, argument, fail) => {
      const entries = textEntries(argument) ?? fail(stepKinds.cast!.form)
      return entries.reduce((current, [name, type]) => replace(current, castColumn(current.columns, name, type)), state)
    },
  },
  parseTimestamp: {
    form: 'an object with column, and pattern where the text is not in the ISO form',
    take: (state, argument, fail) => {
      const { column, pattern } = timestampArgument(argument) ?? fail(stepKinds.parseTimestamp!.form)
      const { name } = columnNamed(state.columns, column)
      const second = pattern === undefined ? '' : `, '${pattern.replace(/[\\']/g, '\\$&')}'`
      const text = `to_timestamp(${printName(name)}${second})`
      return replace(state, computedColumn(name, expressionOver(state.columns, text)))
    },
  },
  set: {
    form: 'an object of fields and the expressions they get',
    take: (state, argument, fail) => {
      const entries = textEntries(argument) ?? fail(stepKinds.set!.form)
      const columns = entries.map(([name, text]) => computedColumn(name, expressionOver(state.columns, text)))
      return columns.reduce(replace, state)
    },
  },
}

/** What each step takes, by its name. */
export const stepForms: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(stepKinds).map(([name, { form }]) => [name, form]),
)

/**
 * Takes one step.
 *
 * @throws StepFault, and DeltaError where an expression or a type cannot be read or bound
 */
export function takeStep(state: RouteState, step: unknown): RouteState {
  const names = Object.keys(stepKinds)
  if (!isObject(step) || Object.keys(step).length !== 1) {
    throw new StepFault(`it is ${printValue(step)}, and a step is an object with one of the keys ${names.join(', ')}`)
  }
  const [[name, argument] = ['', undefined]] = Object.entries(step)
  const kind = Object.hasOwn(stepKinds, name) ? stepKinds[name] : undefined
  if (kind === undefined) throw new StepFault(`${name} is no step; the steps are ${names.join(', ')}`)
  const fail = (allowed: string): never => {
    throw new StepFault(`${name} is ${printValue(argument)}; it is ${allowed}`)
  }
  return checkNames(kind.take(state, argument, fail))
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

function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'string')
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
