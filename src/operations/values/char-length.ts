/**
 * The lengths of char(n) and varchar(n), which are string columns whose metadata holds the declared type.
 *
 * Text that is too long is refused, never cut. Lengths are counted in code points, as the reference counts them.
 *
 * Source: Spark's char and varchar types; the key is `__CHAR_VARCHAR_TYPE_STRING` of a field's metadata
 */
import { deltaError } from '../../errors/index.ts'
import type { StructField, Value } from '../../schema/index.ts'
import { columnPathText } from './column-path.ts'
import { type Place, placeText, showValue } from './place.ts'

const DECLARED = '__CHAR_VARCHAR_TYPE_STRING'

/** The declared type of a column that holds char(n) or varchar(n), at any depth of its own type. */
function declaredType(field: StructField): string | undefined {
  const declared = field.metadata[DECLARED]
  return typeof declared === 'string' ? declared : undefined
}

/** How many characters a column of text takes; undefined where it has no limit. */
function charLimitOf(field: StructField): number | undefined {
  const match = /^(?:var)?char\((\d+)\)$/i.exec(declaredType(field) ?? '')
  return field.type.kind === 'string' && match !== null ? Number(match[1]) : undefined
}

interface LimitedColumn {
  readonly declared: string
  readonly limit: number
  readonly path: readonly string[]
}

/** The limit of a column, where it has one that single values can be held to. */
export function limitedColumn(field: StructField, path: readonly string[]): LimitedColumn | undefined {
  const limit = charLimitOf(field)
  return limit === undefined ? undefined : { declared: declaredType(field) ?? '', limit, path }
}

/** @throws DeltaError `DELTA_EXCEED_CHAR_VARCHAR_LIMIT` */
export function requireLength(value: Value, { declared, limit, path }: LimitedColumn, place: Place): void {
  if (typeof value !== 'string' || value.length <= limit || [...value].length <= limit) return
  throw deltaError('DELTA_EXCEED_CHAR_VARCHAR_LIMIT', {
    place: placeText(place),
    value: showValue(value),
    column: columnPathText(path),
    type: declared,
    row: place.row,
  })
}
