/**
 * The lengths of char(n) and varchar(n), which are string columns whose metadata holds the declared type.
 *
 * Text that is too long is refused, never cut. Lengths are counted in code points, as the reference counts them.
 *
 * Source: Spark's char and varchar types; the key is `__CHAR_VARCHAR_TYPE_STRING` of a field's metadata
 */
import { deltaError } from '../../errors/index.ts'
import type { DataType, StructField, StructType, Value } from '../../schema/index.ts'
import { columnPathText } from './column-path.ts'
import { type Place, placeText, showValue } from './place.ts'

const DECLARED = '__CHAR_VARCHAR_TYPE_STRING'

/** The declared type of a column that holds char(n) or varchar(n), at any depth of its own type. */
function declaredType(field: StructField): string | undefined {
  const declared = field.metadata[DECLARED]
  return typeof declared === 'string' ? declared : undefined
}

/** How many characters a column of text takes; undefined where it has no limit. */
export function charLimitOf(field: StructField): number | undefined {
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

/**
 * Refuses a table whose columns have lengths that a write would not check.
 *
 * @param checksText whether the write holds each text column to its length, as it does where it encodes records itself;
 * what lies in arrays and maps is held to none
 * @throws DeltaError `LAKE_CHAR_VARCHAR_WRITE_UNSUPPORTED`
 */
export function refuseUncheckedLengths(schema: StructType, checksText: boolean): void {
  for (const { field, path } of fieldsBelow(schema, [])) {
    const type = declaredType(field)
    if (type === undefined || (checksText && charLimitOf(field) !== undefined)) continue
    throw deltaError('LAKE_CHAR_VARCHAR_WRITE_UNSUPPORTED', { column: columnPathText(path), type })
  }
}

function* fieldsBelow(
  type: DataType,
  path: readonly string[],
): Generator<{ readonly field: StructField; readonly path: readonly string[] }> {
  if (type.kind === 'array') yield* fieldsBelow(type.element, [...path, 'element'])
  if (type.kind === 'map') {
    yield* fieldsBelow(type.key, [...path, 'key'])
    yield* fieldsBelow(type.value, [...path, 'value'])
  }
  if (type.kind !== 'struct') return
  for (const field of type.fields) {
    const below = [...path, field.name]
    yield { field, path: below }
    yield* fieldsBelow(field.type, below)
  }
}
