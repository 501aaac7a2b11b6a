/** MERGE: how many rows it updated, deleted and inserted. */
import type { MergeClause as ClauseCommand, ColumnValue, MergeSource } from '../../operations/index.ts'
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
      on: context.atTime(statement.on),
      clauses: clausesOf(statement, context),
      ...(alias !== undefined && { alias }),
      ...(sourceAlias !== undefined && { sourceAlias }),
      ...((statement.schemaEvolution || context.settings.mergesSchema) && { withSchemaEvolution: true }),
      ...context.settings.commit,
      ...context.settings.concurrency,
      ...context.settings.transaction,
    },
    context.options,
  )
  const counts = {
    num_affected_rows: result.numAffectedRows,
    num_updated_rows: result.numUpdatedRows,
    num_deleted_rows: result.numDeletedRows,
    num_inserted_rows: result.numInsertedRows,
  }
  return countsResult(counts, result.skipped)
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
  if ('text' in source) return await context.mergeSource(cte === undefined ? source.text : `${cte} ${source.text}`)
  if (cte !== undefined && 'parts' in source) {
    return await context.mergeSource(`${cte} SELECT * FROM ${source.parts.map(quoted).join('.')}`)
  }
  return { kind: 'table', table: { location: context.locate(source) } }
}

function quoted(name: string): string {
  return `\`${name.replaceAll('`', '``')}\``
}

function clausesOf({ matched, notMatched, notMatchedBySource }: Merge, context: StatementContext): ClauseCommand[] {
  const clausesFor = (clauses: readonly MergeClause[], when: ClauseCommand['when']) =>
    clauses.map((clause) => clauseOf(clause, when, context))
  return [
    ...clausesFor(matched, 'matched'),
    ...clausesFor(notMatched, 'notMatched'),
    ...clausesFor(notMatchedBySource, 'notMatchedBySource'),
  ]
}

function clauseOf(
  { if: condition, action }: MergeClause,
  when: ClauseCommand['when'],
  context: StatementContext,
): ClauseCommand {
  const head = { when, ...(condition !== undefined && { condition: context.atTime(condition) }) }
  if (action.do === 'delete') return { ...head, action: 'delete' } as ClauseCommand
  const set = action.set === '*' ? '*' : action.set.map((assignment) => valueOfColumn(assignment, context))
  // the parser has let only what goes together through
  return { ...head, action: action.do, set } as ClauseCommand
}

function valueOfColumn({ column, value }: Assignment, context: StatementContext): ColumnValue {
  return { column, value: value === 'default' ? 'DEFAULT' : context.atTime(value) }
}
