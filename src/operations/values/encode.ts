/**
 * Rows from outside become rows of this package: each value must be exactly what its column can hold.
 *
 * Three forms come in. `js`: values a program hands over (numbers or bigint for whole columns, text or bigint for
 * decimals, ISO text or `Date` for times, `Uint8Array`, arrays, objects, `Map`). `json`: what NDJSON holds, numbers with
 * all their digits, binary as base64. `text`: cells of CSV. What a column cannot hold exactly is refused with its path
 * and the row, never rounded, cut or guessed.
 */
import { deltaError } from '../../errors/index.ts'
import { type DataType, foldCase, type Row, type StructField, type StructType, type Value } from '../../schema/index.ts'
import { parseJson } from '../../support/index.ts'
import { limitedColumn, requireLength } from './char-length.ts'
import { columnPathText } from './column-path.ts'
import { encodeLeaf } from './leaf.ts'
import {
  type Column,
  type Form,
  isMissing,
  isRecord,
  kindOf,
  type Place,
  placeText,
  refuseKind,
  refuseValue,
} from './place.ts'

export interface EncodeOptions {
  readonly form: Form
  /** what the source is, for messages: a table's path */
  readonly table: string
  /** true: a key that is no column and holds nothing (null, an empty object) is passed over */
  readonly skipEmptyExtras?: boolean
  /** where a record came from, for messages; `row 3` when absent */
  readonly placeName?: (record: unknown, row: number) => string
  /** gives columns a value where a record has no key for them */
  readonly filler?: RowFiller
}

/** Values for top-level columns that a record leaves out. */
export interface RowFiller {
  /** ordinals of the columns it fills */
  readonly columns: ReadonlySet<number>
  /**
   * Fills a row in place.
   *
   * @param missing ordinals of the columns of `columns` that the record leaves out, ascending; null stands there
   */
  fill(row: Value[], missing: readonly number[]): void
}

/** The row by its number. */
export function rowName(_: unknown, row: number): string {
  return `row ${row}`
}

type Encode = (value: unknown, place: Place) => Value

/**
 * Makes the function that turns one record into a row of a schema.
 *
 * Keys are found as SQL finds names, an exact spelling first. A missing key and `undefined` are null, or what the filler
 * gives for the column.
 *
 * The function throws DeltaError: `DELTA_METADATA_MISMATCH` for a key that is no column, `DELTA_FAILED_TO_MERGE_FIELDS`
 * for a value of another kind, `CAST_OVERFLOW_IN_TABLE_INSERT`, `LAKE_INVALID_VALUE`,
 * `DELTA_NOT_NULL_CONSTRAINT_VIOLATED`, `DELTA_DUPLICATE_COLUMNS_FOUND.DATA`, `DELTA_EXCEED_CHAR_VARCHAR_LIMIT`.
 */
export function rowEncoder(schema: StructType, options: EncodeOptions): (record: unknown, row: number) => Row {
  const encode = structEncoder(schema, [], options, options.filler)
  const { placeName: name = rowName } = options
  return (record, row) => {
    const place: Place = { record, row, name }
    if (isRecord(record)) return encode(record, place) as Row
    throw deltaError('LAKE_ROW_NOT_AN_OBJECT', { place: placeText(place), row, found: kindOf(record) })
  }
}

/** A column of a declared length takes no text beyond it. */
function fieldEncoder(field: StructField, path: readonly string[], options: EncodeOptions): Encode {
  const encode = encoderOf(field.type, field.nullable, path, options)
  const limited = limitedColumn(field, path)
  if (limited === undefined) return encode
  return (value, place) => {
    const encoded = encode(value, place)
    requireLength(encoded, limited, place)
    return encoded
  }
}

function encoderOf(type: DataType, nullable: boolean, path: readonly string[], options: EncodeOptions): Encode {
  const column: Column = { type, path, form: options.form }
  const encode = valueEncoder(column, options)
  return (value, place) => {
    if (!isMissing(value)) return encode(value, place)
    if (!nullable) throw deltaError('DELTA_NOT_NULL_CONSTRAINT_VIOLATED', { column: columnPathText(path) })
    return null
  }
}

function valueEncoder(column: Column, options: EncodeOptions): Encode {
  const { type, path } = column
  switch (type.kind) {
    case 'struct':
      return nested(column, structEncoder(type, path, options))
    case 'array':
      return nested(
        column,
        arrayEncoder(encoderOf(type.element, type.containsNull, [...path, 'element'], options), column),
      )
    case 'map': {
      const key = encoderOf(type.key, false, [...path, 'key'], options)
      const value = encoderOf(type.value, type.valueContainsNull, [...path, 'value'], options)
      return nested(column, mapEncoder({ key, value, column }))
    }
    default:
      return (value, place) => encodeLeaf(value, column, place)
  }
}

/** A CSV cell of a nested column holds JSON. */
function nested(column: Column, encode: Encode): Encode {
  if (column.form !== 'text') return encode
  return (value, place) =>
    typeof value === 'string' ? encode(parseCell(value, column, place), place) : encode(value, place)
}

function parseCell(text: string, column: Column, place: Place): unknown {
  try {
    return parseJson(text)
  } catch (cause) {
    throw refuseKind(text, column, place, cause)
  }
}

function structEncoder(
  type: StructType,
  path: readonly string[],
  options: EncodeOptions,
  filler: RowFiller = NO_FILLER,
): Encode {
  const encoders = type.fields.map((f) => fieldEncoder(f, [...path, f.name], options))
  const exact = new Map(type.fields.map((f, i) => [f.name, i]))
  const folded = new Map(type.fields.map((f, i) => [foldCase(f.name), i]))
  const column: Column = { type, path, form: options.form }
  return (value, place) => {
    if (!isRecord(value)) throw refuseKind(value, column, place)
    const values = new Array<unknown>(encoders.length)
    const seen = new Uint8Array(encoders.length)
    for (const key of Object.keys(value)) {
      const at = exact.get(key) ?? folded.get(foldCase(key))
      if (at === undefined) {
        if (options.skipEmptyExtras && holdsNothing(value[key])) continue
        throw unknownColumn([...path, key], place, options)
      }
      if (seen[at] === 1) throw deltaError('DELTA_DUPLICATE_COLUMNS_FOUND.DATA', { columns: foldCase(key) })
      seen[at] = 1
      values[at] = value[key]
    }
    const isLeftOut = (i: number) => values[i] === undefined && filler.columns.has(i)
    const row = encoders.map((encode, i) => (isLeftOut(i) ? null : encode(values[i], place)))
    if (filler.columns.size > 0) fillRow(row, [...row.keys()].filter(isLeftOut), filler, type)
    return row
  }
}

const NO_FILLER: RowFiller = { columns: new Set(), fill: () => undefined }

function fillRow(row: Value[], missing: readonly number[], filler: RowFiller, { fields }: StructType): void {
  filler.fill(row, missing)
  const lacking = missing.find((ordinal) => row[ordinal] === null && !fields[ordinal]!.nullable)
  if (lacking === undefined) return
  throw deltaError('DELTA_NOT_NULL_CONSTRAINT_VIOLATED', { column: columnPathText([fields[lacking]!.name]) })
}

function unknownColumn(path: readonly string[], place: Place, options: EncodeOptions) {
  const column = columnPathText(path)
  return deltaError('DELTA_METADATA_MISMATCH', {
    problem: `${placeText(place)} has the column ${column}, which ${options.table} does not have`,
    advice: 'leave it out, or set mergeSchema to add it',
    column,
    row: place.row,
  })
}

function arrayEncoder(element: Encode, column: Column): Encode {
  return (value, place) => {
    if (!Array.isArray(value)) throw refuseKind(value, column, place)
    return value.map((item) => element(item, place))
  }
}

function mapEncoder({ key, value, column }: { key: Encode; value: Encode; column: Column }): Encode {
  return (map, place) => {
    const entries = mapEntries(map, column.form)
    if (entries === undefined) throw refuseKind(map, column, place)
    const result = entries.map(([k, v]) => ({ key: key(k, place), value: value(v, place) }))
    const keys = new Set(result.map((entry) => JSON.stringify(entry.key, printable)))
    if (keys.size !== result.length) {
      throw refuseValue('a map', 'it holds one key twice', column, place)
    }
    return result
  }
}

/** Keys are compared by a text that tells every two of them apart; JSON has no bigint and no bytes. */
function printable(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${value}n` : value
}

/** `{key, value}` objects, a `Map`, or in JSON an object, whose keys are then texts. */
function mapEntries(map: unknown, form: Form): readonly (readonly [unknown, unknown])[] | undefined {
  if (map instanceof Map) return [...map]
  if (Array.isArray(map)) return map.every(isEntry) ? map.map((entry) => [entry.key, entry.value]) : undefined
  return form !== 'js' && isRecord(map) ? Object.entries(map) : undefined
}

function isEntry(item: unknown): item is { key: unknown; value: unknown } {
  return isRecord(item) && 'key' in item && Object.keys(item).every((name) => name === 'key' || name === 'value')
}

/** Whether a value gives a column no type and no content: null, or only nulls below. */
export function holdsNothing(value: unknown): boolean {
  if (value === null || value === undefined) return true
  if (Array.isArray(value)) return value.every(holdsNothing)
  return isRecord(value) && Object.values(value).every(holdsNothing)
}
