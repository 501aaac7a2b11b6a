/** ALTER TABLE and COMMENT ON TABLE. */
import { deltaError } from '../../errors/index.ts'
import { tokensFrom } from '../../expressions/index.ts'
import type { AlterAction as AlterCommandAction, ColumnChange, NewColumn } from '../../operations/index.ts'
import type { AddedColumn, AlterAction, AlterColumnAction, TableTarget } from '../parser/index.ts'
import { NO_ROWS, type SqlResult } from '../result.ts'
import type { Execute, StatementContext } from './statement-context.ts'

/** @throws DeltaError what the methods of `AlterableTable` throw; `LAKE_STATEMENT_UNSUPPORTED` naming the form */
export const executeAlterTable: Execute<'alter table'> = async ({ table, action }, context) => {
  if (action.kind === 'rename table') return await renameTable(table, action.to, context)
  if (action.kind === 'drop feature') return await dropFeature({ table, action }, context)
  const command = { kind: 'alter', table: { location: context.locate(table) }, action: actionOf(action) } as const
  await context.backend.execute({ ...command, ...context.settings.commit }, context.options)
  return NO_ROWS
}

async function dropFeature(
  { table, action }: { readonly table: TableTarget; readonly action: Extract<AlterAction, { kind: 'drop feature' }> },
  context: StatementContext,
) {
  const { feature, truncateHistory } = action
  const command = { kind: 'dropFeature', table: { location: context.locate(table) }, feature, truncateHistory } as const
  await context.backend.execute(command, context.options)
  return NO_ROWS
}

/** The name alone changes; the files stay where they are. */
async function renameTable(from: TableTarget, to: TableTarget, context: StatementContext): Promise<SqlResult> {
  const location = context.locate(from)
  const taken = 'parts' in to ? context.tables.find(to.parts.join('.')) : undefined
  if (taken !== undefined) throw deltaError('TABLE_OR_VIEW_ALREADY_EXISTS', { table: taken.name })
  const old = await context.forget(from)
  if (old === undefined) throw refused('RENAME TO of a path')
  await context.name(to, location, old.managed)
  return NO_ROWS
}

export const executeComment: Execute<'comment on table'> = async ({ table, comment }, context) => {
  const action = { kind: 'set comment', comment } as const
  const command = { kind: 'alter', table: { location: context.locate(table) }, action } as const
  await context.backend.execute({ ...command, ...context.settings.commit }, context.options)
  return NO_ROWS
}

function actionOf(action: Exclude<AlterAction, { kind: 'drop feature' | 'rename table' }>): AlterCommandAction {
  switch (action.kind) {
    case 'add columns':
    case 'replace columns':
      return { kind: action.kind, columns: action.columns.map(newColumn) }
    case 'alter columns':
      return { kind: 'change columns', changes: action.changes.map(changeOf) }
    case 'add constraint': {
      const { constraint } = action
      if (constraint.kind === 'key') throw refused(constraint.text.split(/\s+/, 2).join(' ').toUpperCase())
      if (constraint.name === undefined) throw refused('ADD CHECK without a name')
      return { kind: 'add constraint', name: constraint.name, expression: spaced(constraint.text) }
    }
    case 'unset properties':
      return { kind: 'unset properties', keys: action.keys }
    case 'set location':
      throw refused('SET LOCATION')
    case 'foreign':
      throw refused(action.words)
    default:
      return action
  }
}

/** The text of a constraint as the reference keeps it: a space between any two of its tokens. */
function spaced(text: string): string {
  return Array.from(tokensFrom(text, 0), ({ start, end }) => text.slice(start, end)).join(' ')
}

function refused(form: string) {
  return deltaError('LAKE_STATEMENT_UNSUPPORTED', { statement: `ALTER TABLE … ${form}` })
}

function newColumn({ parent, field, default: text, position, foreignType }: AddedColumn): NewColumn {
  if (foreignType !== undefined) throw foreign(field.name, foreignType)
  const { comment, ...metadata } = field.metadata
  return {
    path: [...parent, field.name],
    type: field.type,
    nullable: field.nullable,
    metadata,
    ...(typeof comment === 'string' && { comment }),
    ...(text !== undefined && { default: text }),
    ...(position !== undefined && { position }),
  }
}

function foreign(column: string, type: string) {
  return deltaError('DELTA_UNSUPPORTED_DATA_TYPES', { columns: `${column}: ${type}` })
}

function changeOf({ foreignType, ...change }: AlterColumnAction): ColumnChange {
  if (foreignType !== undefined) throw foreign(change.column.join('.'), foreignType)
  return change
}
