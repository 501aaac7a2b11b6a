/** What rows written out have to share: their width, and a type a column. */
import { deltaError } from '../errors/index.ts'
import { commonTypeWithoutText, type ExpressionType } from '../expressions/index.ts'

/** @throws DeltaError `INVALID_INLINE_TABLE.NUM_COLUMNS_MISMATCH` */
export function widthOfRows(rows: readonly (readonly unknown[])[]): number {
  const width = rows[0]!.length
  const uneven = rows.findIndex((row) => row.length !== width)
  if (uneven === -1) return width
  throw deltaError('INVALID_INLINE_TABLE.NUM_COLUMNS_MISMATCH', {
    row: uneven + 1,
    found: rows[uneven]!.length,
    width,
  })
}

/**
 * The type that the values of a column meet in. Text meets text alone: `VALUES (1), ('2')` has none.
 *
 * @param column counted from 0
 * @throws DeltaError `INVALID_INLINE_TABLE.INCOMPATIBLE_TYPES_IN_INLINE_TABLE`
 */
export function typeOfColumn<T extends ExpressionType>(types: readonly T[], column: number): T {
  const common = commonTypeWithoutText(types)
  // types without intervals meet in one without
  if (common !== undefined) return common as T
  throw deltaError('INVALID_INLINE_TABLE.INCOMPATIBLE_TYPES_IN_INLINE_TABLE', { column: `col${column + 1}` })
}
