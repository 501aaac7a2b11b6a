/**
 * Statements carried out by commands: what each statement asks of a table, without a word of SQL run.
 *
 * It does what the statement says or says that it cannot, never something near it.
 */
import type { Command } from '../../src/operations/index.ts'
import { field, type StructField, structType } from '../../src/schema/index.ts'
import type {
  AddedColumn,
  AssignedValue,
  ColumnDefinition,
  Statement,
  StatementOf,
  TableSpec,
  TableTarget,
} from '../../src/sql/parser/index.ts'
import { valuesSource } from './values-rows.ts'

/** @returns the commands of a statement; undefined where no command does what it asks */
export function commandOf(statement: Statement, location: string): Command | undefined {
  const table = { location }
  if ('table' in statement && !isAt(statement.table as TableTarget, location)) return undefined
  switch (statement.kind) {
    case 'create table':
      return createCommand(statement, location)
    case 'alter table':
      return alterCommand(statement, location)
    case 'comment on table':
      return { kind: 'alter', table, action: { kind: 'set comment', comment: statement.comment } }
    case 'insert':
      return insertCommand(statement, location)
    case 'delete':
      return { kind: 'delete', table, ...(statement.where && { where: statement.where }) }
    case 'truncate table':
      return statement.partition === undefined ? { kind: 'delete', table } : undefined
    case 'update':
      return updateCommand(statement, location)
    default:
      return undefined
  }
}

/** Whether a statement speaks of the table at a place: by its path. */
function isAt(target: TableTarget, location: string): boolean {
  return 'parts' in target && target.parts.at(-1) === location
}

function createCommand(
  { mode, spec, ifNotExists, as }: StatementOf<'create table'>,
  location: string,
): Command | undefined {
  if (as !== undefined || mode !== 'create' || spec.columns.length === 0 || spec.columns.some(isForeign)) {
    return undefined
  }
  const checks = spec.constraints.flatMap((c) => (c.kind === 'check' && c.name ? [[c.name, c.text] as const] : []))
  return {
    kind: 'create',
    table: { location },
    schema: structType(spec.columns.map(definedField)),
    partitionBy: spec.partitionedBy,
    properties: new Map([
      ...spec.properties,
      ...checks.map(([n, t]): [string, string] => [`delta.constraints.${n}`, t]),
    ]),
    ...clusteringOf(spec),
    ...(spec.comment !== undefined && { description: spec.comment }),
    ifExists: ifNotExists ? 'ignore' : 'error',
  }
}

function clusteringOf({ clusterBy = [] }: TableSpec) {
  return clusterBy.length > 0 ? { clusterBy } : {}
}

function isForeign({ foreignType }: ColumnDefinition): boolean {
  return foreignType !== undefined
}

function definedField({ field: given, default: text, generated, identity }: ColumnDefinition): StructField {
  return field(given.name, given.type, given.nullable, {
    ...given.metadata,
    ...(text !== undefined && { CURRENT_DEFAULT: text }),
    ...(generated !== undefined && { 'delta.generationExpression': generated }),
    ...(identity && {
      'delta.identity.start': identity.start,
      'delta.identity.step': identity.step,
      'delta.identity.allowExplicitInsert': !identity.always,
    }),
  })
}

function alterCommand({ action }: StatementOf<'alter table'>, location: string): Command | undefined {
  const alter = (changed: Extract<Command, { kind: 'alter' }>['action']): Command => {
    return { kind: 'alter', table: { location }, action: changed }
  }
  switch (action.kind) {
    case 'add columns':
    case 'replace columns':
      return action.columns.some(isForeign) ? undefined : alter({ ...action, columns: action.columns.map(addedColumn) })
    case 'alter columns':
      return action.changes.some(({ foreignType }) => foreignType !== undefined)
        ? undefined
        : alter({ kind: 'change columns', changes: action.changes })
    case 'unset properties':
      return alter({ kind: 'unset properties', keys: action.keys })
    case 'add constraint': {
      const { constraint } = action
      if (constraint.kind !== 'check' || constraint.name === undefined) return undefined
      return alter({ kind: 'add constraint', name: constraint.name, expression: spaced(constraint.text) })
    }
    case 'drop columns':
    case 'rename column':
    case 'sync identity':
    case 'set properties':
    case 'drop constraint':
    case 'cluster by':
    case 'add feature':
      return alter(action)
    default:
      return undefined
  }
}

/** The words of a constraint as ALTER TABLE keeps them in the reference: a space between any two. */
function spaced(text: string): string {
  const words = /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`(?:[^`]|``)*`|<=>|<>|!=|>=|<=|==|\|\||::|->|[\p{L}\p{N}_.]+|\S/gu
  return text.match(words)?.join(' ') ?? text
}

function addedColumn({ field: given, parent, position, default: text }: AddedColumn) {
  const { name, type, nullable, metadata } = given
  return {
    path: [...parent, name],
    type,
    nullable,
    metadata,
    ...(position !== undefined && { position }),
    ...(text !== undefined && { default: text }),
  }
}

function insertCommand(statement: StatementOf<'insert'>, location: string): Command | undefined {
  const { source, columns, overwrite, byName, partition, replaceWhere } = statement
  if (!('rows' in source) || byName || partition !== undefined || replaceWhere !== undefined) return undefined
  const rows = valuesSource(source)
  return (
    rows && {
      kind: 'write',
      table: { location },
      source: rows,
      mode: overwrite ? 'overwrite' : 'append',
      mustExist: true,
      assignment: { by: 'position', ...(columns && { columns }) },
    }
  )
}

function updateCommand({ set, where, alias }: StatementOf<'update'>, location: string): Command | undefined {
  if (alias !== undefined || set.some(({ value }) => isDefault(value))) return undefined
  return {
    kind: 'update',
    table: { location },
    set: set.map(({ column, value }) => ({ column, value: value as Exclude<AssignedValue, 'default'> })),
    ...(where && { where }),
  }
}

function isDefault(value: AssignedValue): boolean {
  return value === 'default'
}
