/** Field ids of the columns of a file, as other readers of mapped tables need them. Source: "Column Mapping". */
import { physicalName, type TableLayout } from '../../../kernel/index.ts'
import type { DataType, StructField } from '../../../schema/index.ts'
import { isJsonObject, type JsonValue } from '../../../support/index.ts'
import { quoteIdent } from '../sql-text.ts'
import { storedFields } from '../values/sql-type.ts'

/** The FIELD_IDS option of COPY, or undefined where the table maps no columns. */
export function fieldIds(fields: readonly StructField[], layout: TableLayout): string | undefined {
  if (layout.columnMapping === 'none') return undefined
  const specs = fields.flatMap((field) => {
    const text = fieldSpec(field, layout)
    return text === undefined ? [] : [`${quoteIdent(physicalName(field, layout))}: ${text}`]
  })
  return specs.length === 0 ? undefined : `{${specs.join(', ')}}`
}

function fieldSpec(field: StructField, layout: TableLayout): string | undefined {
  const name = physicalName(field, layout)
  const nested = field.metadata['delta.columnMapping.nested.ids']
  const idOf = (path: string) => (isJsonObject(nested) ? asId(nested[path]) : undefined)
  return spec(field.type, asId(field.metadata['delta.columnMapping.id']), layout, { path: name, idOf })
}

/** Ids of elements, keys and values stand in the nearest field's metadata, by their path from it. */
interface NestedIds {
  readonly path: string
  readonly idOf: (path: string) => string | undefined
}

/** undefined where neither the column nor anything in it has an id: an empty specification is no SQL */
function spec(type: DataType, id: string | undefined, layout: TableLayout, at: NestedIds): string | undefined {
  const members: string[] = []
  const child = (name: string, childType: DataType) => {
    const path = `${at.path}.${name}`
    const text = spec(childType, at.idOf(path), layout, { path, idOf: at.idOf })
    if (text !== undefined) members.push(`"${name}": ${text}`)
  }
  if (type.kind === 'array') child('element', type.element)
  if (type.kind === 'map') {
    child('key', type.key)
    child('value', type.value)
  }
  if (type.kind === 'struct') {
    for (const field of storedFields(type)) {
      const text = fieldSpec(field, layout)
      if (text !== undefined) members.push(`${quoteIdent(physicalName(field, layout))}: ${text}`)
    }
  }
  if (members.length === 0) return id
  return `{${id === undefined ? '' : `__duckdb_field_id: ${id}, `}${members.join(', ')}}`
}

function asId(value: JsonValue | undefined): string | undefined {
  return typeof value === 'number' ? String(value) : undefined
}
