/**
 * What a reading command asks of a table: columns and a predicate, which may name members of `_metadata`.
 *
 * `_metadata.row_id` and its like are columns of a layout made for this read alone. A table's own column called
 * `_metadata` comes first, as in the reference.
 */
import { deltaError } from '../../errors/index.ts'
import { type BoundExpression, type Expression, mapColumns, parseExpression } from '../../expressions/index.ts'
import { type HiddenColumn, metadataMembers, type TableLayout, withHiddenColumns } from '../../kernel/index.ts'
import { findField, foldCase } from '../../schema/index.ts'
import type { ExpressionInput } from '../command.ts'
import { bindWhere, resolveColumns } from './predicate.ts'

export interface ReadWish {
  readonly where?: ExpressionInput | undefined
  /** names of columns, or `_metadata.` and a member; all columns of the table when absent */
  readonly select?: readonly string[] | undefined
  /** true: the id and the commit version of each row come behind the columns */
  readonly rowIds?: boolean | undefined
}

export interface BoundRead {
  /** the table's, with the members of `_metadata` that are asked for behind its columns */
  readonly layout: TableLayout
  /** ordinals of the layout's schema */
  readonly columns: readonly number[]
  /** bound to the layout's schema */
  readonly filter: BoundExpression | undefined
}

const METADATA = '_metadata'
const ROW_IDS = ['row_id', 'row_commit_version'] as const

/**
 * Binds a read to the columns of a table.
 *
 * @throws DeltaError what `bindWhere` and `resolveColumns` throw; `FIELD_NOT_FOUND` for a member of `_metadata` that the
 * table does not have, such as a row id where rows are not tracked
 */
export function bindRead({ where, select, rowIds }: ReadWish, table: TableLayout): BoundRead {
  const metadata = new MetadataColumns(table)
  const columns = select?.map((name) => metadata.find(name)) ?? table.schema.fields.map((_, i) => i)
  const tracked = rowIds ? ROW_IDS.map((member) => metadata.ordinalOf(member)) : []
  const condition = where === undefined ? undefined : metadata.rename(where)
  const { layout } = metadata
  const filter = condition === undefined ? undefined : bindWhere(condition, layout.schema)
  return { layout, columns: [...columns, ...tracked], filter }
}

class MetadataColumns {
  layout: TableLayout
  private readonly table: TableLayout
  private readonly ordinals = new Map<HiddenColumn, number>()

  constructor(table: TableLayout) {
    this.table = table
    this.layout = table
  }

  /** The ordinal of a column by name. */
  find(name: string): number {
    const isMember = foldCase(name).startsWith(`${METADATA}.`) && !this.isColumn(name) && !this.isColumn(METADATA)
    return isMember ? this.ordinalOf(name.slice(METADATA.length + 1)) : resolveColumns([name], this.table.schema)[0]!
  }

  /** A predicate that names the columns of the layout; one without members of `_metadata` stays as it is. */
  rename(where: ExpressionInput): ExpressionInput {
    if (this.isColumn(METADATA)) return where
    const parsed: Expression = typeof where === 'string' ? parseExpression(where) : where
    let isChanged = false
    const renamed = mapColumns(parsed, (path) => {
      const [first = '', member, ...rest] = path
      if (member === undefined || foldCase(first) !== METADATA) return path
      isChanged = true
      return [this.layoutName(member), ...rest]
    })
    return isChanged ? renamed : where
  }

  private layoutName(member: string): string {
    const ordinal = this.ordinalOf(member)
    return this.layout.schema.fields[ordinal]!.name
  }

  ordinalOf(member: string): number {
    const fields = metadataMembers(this.table)
    const column = fields.find((name) => name === foldCase(member))
    if (column === undefined) throw deltaError('FIELD_NOT_FOUND', { name: member, fields })
    const known = this.ordinals.get(column)
    if (known !== undefined) return known
    const ordinal = this.layout.schema.fields.length
    this.layout = withHiddenColumns(this.layout, [column])
    this.ordinals.set(column, ordinal)
    return ordinal
  }

  private isColumn(name: string): boolean {
    return findField(this.table.schema, name) !== undefined
  }
}
