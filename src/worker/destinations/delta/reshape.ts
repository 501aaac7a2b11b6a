/** Rows of a route as rows of a table: fields in the table's places, null where the record has none. */
import {
  type DataType,
  findField,
  type MapEntry,
  type Row,
  type StructType,
  type Value,
} from '../../../schema/index.ts'

type Reshape = (value: Value) => Value

/** @returns undefined where the values are the table's already */
function reshapeType(from: DataType, to: DataType): Reshape | undefined {
  if (from.kind === 'struct' && to.kind === 'struct') {
    const fields = reshapeFields(from, to)
    return fields === undefined ? undefined : nullSafe((value) => fields(value as Row))
  }
  if (from.kind === 'array' && to.kind === 'array') {
    const element = reshapeType(from.element, to.element)
    return element === undefined ? undefined : nullSafe((value) => (value as readonly Value[]).map(element))
  }
  if (from.kind === 'map' && to.kind === 'map') {
    const inner = reshapeType(from.value, to.value)
    if (inner === undefined) return undefined
    return nullSafe((value) => (value as readonly MapEntry[]).map((e) => ({ key: e.key, value: inner(e.value) })))
  }
  return undefined
}

function nullSafe(reshape: (value: Exclude<Value, null>) => Value): Reshape {
  return (value) => (value === null ? null : reshape(value))
}

function reshapeFields(from: StructType, to: StructType): ((row: Row) => Row) | undefined {
  const places = to.fields.map((target) => {
    const source = findField(from, target.name)
    if (source === undefined) return { at: -1, reshape: undefined }
    return { at: from.fields.indexOf(source), reshape: reshapeType(source.type, target.type) }
  })
  const isSame =
    from.fields.length === to.fields.length && places.every(({ at, reshape }, i) => at === i && reshape === undefined)
  if (isSame) return undefined
  return (row) => places.map(({ at, reshape }) => (reshape ?? same)(at < 0 ? null : (row[at] ?? null)))
}

function same(value: Value): Value {
  return value
}

/** A function from rows of one schema to rows of another, whose fields are found by name. */
export function rowReshaper(from: StructType, to: StructType): (row: Row) => Row {
  return reshapeFields(from, to) ?? ((row) => row)
}

/** Whether a value of the first type is one of the second as it is: the same fields in the same places inside. */
export function isSameShape(from: DataType, to: DataType): boolean {
  return reshapeType(from, to) === undefined
}
