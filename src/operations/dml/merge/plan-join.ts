/** What an engine is asked to find out for a MERGE. */
import { columnOrdinals, type JoinAction, type JoinPlan, joinKeys } from '../../../engine/index.ts'
import type { ChangedTable } from '../changed-table.ts'
import type { BoundClause } from './bind-clauses.ts'
import type { BoundMerge } from './bind-merge.ts'

export function joinPlan(
  { condition, clauses, width }: BoundMerge,
  table: ChangedTable,
  place: Pick<JoinPlan, 'store' | 'files' | 'within'>,
): JoinPlan {
  const actions = (when: BoundClause['when']): JoinAction[] =>
    clauses
      .filter((clause) => clause.when === when)
      .map(({ id, condition: holds }) => ({ id, ...(holds && { condition: holds }) }))
  return {
    ...place,
    layout: table.read,
    condition,
    matched: actions('matched'),
    notMatched: actions('notMatched'),
    notMatchedBySource: actions('notMatchedBySource'),
    kept: keptColumns(clauses, table, width),
    keepsFirst: deletesOnly(clauses),
    shown: joinKeys(condition, width).map(({ source }) => source),
  }
}

/** Rows that several rows of the source delete, whatever else they hold, are gone all the same. */
function deletesOnly(clauses: readonly BoundClause[]): boolean {
  const [first, ...others] = clauses.filter(({ when }) => when === 'matched')
  return others.length === 0 && first?.action === 'delete' && first.condition === undefined
}

/** Columns of old rows that new ones are made of; all of them where readers are told of changes. */
function keptColumns(clauses: readonly BoundClause[], table: ChangedTable, width: number): readonly number[] {
  const changes = clauses.filter(({ when }) => when !== 'notMatched')
  const made = changes.flatMap(({ row }) => row ?? []).flatMap(columnOrdinals)
  const told = table.feedsChanges && changes.length > 0 ? [...table.layout.schema.fields.keys()] : []
  const ids = table.moved !== undefined && made.length > 0 ? [table.moved.rowId] : []
  return [...new Set([...made, ...told, ...ids])].filter((ordinal) => ordinal < width)
}
