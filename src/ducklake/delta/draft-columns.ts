/** The columns a table has at the end of a draft. */
import { safeNumber } from '../catalog/catalog.ts'
import type { LakeColumn } from '../snapshot/columns.ts'
import type { Draft } from '../write/draft.ts'

export async function draftColumns(draft: Draft, tableId: number): Promise<LakeColumn[]> {
  const rows = await draft.query(
    `SELECT column_id, column_name, column_type, nulls_allowed, parent_column FROM ${draft.view('column')}
     WHERE table_id = ${tableId} AND end_snapshot IS NULL ORDER BY column_order, column_id`,
  )
  const build = (parent: unknown): LakeColumn[] =>
    rows
      .filter((row) => row[4] === parent)
      .map((row) => ({
        id: safeNumber(row[0]),
        name: String(row[1]),
        type: String(row[2]),
        nullable: row[3] !== false,
        initialDefault: undefined,
        defaultValue: undefined,
        defaultType: undefined,
        comment: undefined,
        children: build(row[0]),
      }))
  return build(null)
}
