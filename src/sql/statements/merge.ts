/** MERGE: how many rows it updated, deleted and inserted. */
import type { ColumnValue, MergeClause as ClauseCommand, MergeSource } from '../../operations/index.ts'
import type { Assignment, MergeClause, StatementOf } from '../parser/index.ts'
import { countsResult } from '../result.ts'
import type { Execute, StatementContext } from './statement-context.ts'

/** @throws DeltaError what `DeltaTable.merge` throws */
export const executeMerge: Execute<'merge'> = async (statement, context) => {
  const { alias = nameOf(statement.table), sourceAlias = sourceName(statement) } = statement
  const result = await context.backend.execute(
    {
      kind: 'merge',
      table: { location: context.locate(statement.table) },
      source: await sourceOf(statement, context),
      on: statement.on,
      clauses: clausesOf(statement),
      ...(alias !== undefined && { alias }),
      ...(sourceAlias !== undefined && { sourceAlias }),
      ...((statement.schemaEvolution || context.settings.mergesSchema) && { withSchemaEvolution: true }),
      ...context.settings.commit,
    },
    context.options,
  )
  return countsResult({
    num_affected_rows: result.numAffectedRows,
    num_updated_rows: result.numUpdatedRows,
    num_deleted_rows: result.numDeletedRows,
    num_inserted_rows: result.numInsertedRows,
  })
}

type Merge = StatementOf<'merge'>

function nameOf(target: Merge['table']): string | undefined {
  return 'parts' in target && target.parts[0]?.toLowerCase() !== 'delta' ? target.parts.at(-1) : undefined
}

function sourceName({ source }: Merge): string | undefined {
  return 'text' in source ? undefined : nameOf(source)
}

async function sourceOf(statement: Merge, context: StatementContext): Promise<MergeSource> {
  const { source } = statement
  const cte = statement.with?.text
  if ('text' in source) return await querySource([cte, source.text], context)
  if (cte !== undefined && 'parts' in source) {
    return await querySource([cte, `SELECT * FROM ${source.parts.map(quoted).join('.')}`], context)
  }
  return { kind: 'table', table: { location: context.locate(source) } }
}

async function querySource(texts: readonly (string | undefined)[], context: StatementContext): Promise<MergeSource> {
  const { sql, views } = await context.readQuery(texts.filter((text) => text !== undefined).join(' '))
  return { kind: 'query', sql, views }
}

function quoted(name: string): string {
  return `\`${name.replaceAll('`', '``')}\``
}

function clausesOf({ matched, notMatched, notMatchedBySource }: Merge): ClauseCommand[] {
  return [
    ...matched.map((clause) => clauseOf(clause, 'matched')),
    ...notMatched.map((clause) => clauseOf(clause, 'notMatched')),
    ...notMatchedBySource.map((clause) => clauseOf(clause, 'notMatchedBySource')),
  ]
}

function clauseOf({ if: condition, action }: MergeClause, when: ClauseCommand['when']): ClauseCommand {
  const set = action.do === 'delete' || action.set === '*' ? '*' : action.set.map(valueOfColumn)
  const head = condition === undefined ? {} : { condition }
  if (action.do === 'delete') return { ...head, when, action: 'delete' } as ClauseCommand
  // the parser has let only what goes together through
  return { ...head, when, action: action.do, set } as ClauseCommand
}

function valueOfColumn({ column, value }: Assignment): ColumnValue {
  return { column, value: value === 'default' ? 'DEFAULT' : value }
}
