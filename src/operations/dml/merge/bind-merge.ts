/** A MERGE with everything it says bound to the joint row of table and source. */
import type { RowCheck } from '../../../engine/index.ts'
import type { BoundExpression } from '../../../expressions/index.ts'
import type { StructType } from '../../../schema/index.ts'
import type { MergeCommand } from '../../command.ts'
import type { RowRules } from '../../rules/index.ts'
import type { ChangedTable } from '../changed-table.ts'
import { type BoundClause, bindClauses } from './bind-clauses.ts'
import { bindOn, extraColumns, type MergeNames, targetWidth } from './merge-names.ts'
import type { ParsedMerge } from './parse-merge.ts'

export interface BoundMerge {
  readonly condition: BoundExpression
  readonly clauses: readonly BoundClause[]
  /** what every row written must meet */
  readonly checks: readonly RowCheck[]
  /** number of columns of the table's layout, behind which those of the source stand */
  readonly width: number
}

export interface MergeGround {
  readonly table: ChangedTable
  readonly rules: RowRules
  readonly source: StructType
}

/** @throws DeltaError those of `bindOn` and `bindClauses` */
export function bindMerge(
  { alias, sourceAlias, withSchemaEvolution = false }: MergeCommand,
  { on, clauses }: ParsedMerge,
  { table, rules, source }: MergeGround,
): BoundMerge {
  const { layout, read } = table
  const names: MergeNames = {
    target: layout.schema,
    extra: extraColumns(read.schema, layout.schema),
    source,
    alias,
    sourceAlias,
  }
  const condition = bindOn(on, names)
  const bound = bindClauses(clauses, { names, rules, evolves: withSchemaEvolution })
  return { condition, ...bound, width: targetWidth(names) }
}
