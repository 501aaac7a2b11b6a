/**
 * Column ids and physical names of tables that map columns.
 *
 * Ids only grow and are never given out twice; a column that has them keeps them. Source: Delta protocol, "Column
 * Mapping", writer requirements.
 */
import { type DataType, findField, type StructField, type StructType, sameType } from '../../schema/index.ts'

const ID = 'delta.columnMapping.id'
const PHYSICAL_NAME = 'delta.columnMapping.physicalName'

export interface ColumnIdOptions {
  /** the highest id given out so far */
  readonly maxColumnId: number
  /** `logical`: columns that were there before mapping was turned on are called in files what they were called */
  readonly naming: 'logical' | 'fresh'
}

/** The schema with an id and a physical name on every field at any depth, and the highest id given out. */
export function assignColumnIds(
  schema: StructType,
  options: ColumnIdOptions,
): { schema: StructType; maxColumnId: number } {
  let next = Math.max(options.maxColumnId, highestId(schema))
  const visitField = (field: StructField): StructField => {
    const { metadata } = field
    const id = typeof metadata[ID] === 'number' ? metadata[ID] : ++next
    const known = metadata[PHYSICAL_NAME]
    const fresh = options.naming === 'fresh' ? `col-${crypto.randomUUID()}` : field.name
    const physicalName = typeof known === 'string' ? known : fresh
    return { ...field, type: visit(field.type), metadata: { ...metadata, [ID]: id, [PHYSICAL_NAME]: physicalName } }
  }
  const visit = (type: DataType): DataType => {
    if (type.kind === 'struct') return { ...type, fields: type.fields.map(visitField) }
    if (type.kind === 'array') return { ...type, element: visit(type.element) }
    return type.kind === 'map' ? { ...type, key: visit(type.key), value: visit(type.value) } : type
  }
  return { schema: visit(schema) as StructType, maxColumnId: next }
}

/**
 * A schema that takes another's place, with the ids and physical names of columns that come back under their name and
 * with their type; also of those inside a struct that differs.
 */
export function inheritColumnIds(schema: StructType, before: StructType): StructType {
  return { ...schema, fields: schema.fields.map((field) => inheritField(field, findField(before, field.name))) }
}

function inheritField(field: StructField, known: StructField | undefined): StructField {
  if (known === undefined) return field
  const inner = { ...field, type: inheritType(field.type, known.type) }
  if (!sameType(field.type, known.type)) return inner
  const { [ID]: id, [PHYSICAL_NAME]: physicalName } = known.metadata
  if (id === undefined) return inner
  return { ...inner, metadata: { ...field.metadata, [ID]: id, [PHYSICAL_NAME]: physicalName } }
}

function inheritType(type: DataType, known: DataType): DataType {
  if (type.kind === 'struct' && known.kind === 'struct') return inheritColumnIds(type, known)
  if (type.kind === 'array' && known.kind === 'array') {
    return { ...type, element: inheritType(type.element, known.element) }
  }
  if (type.kind !== 'map' || known.kind !== 'map') return type
  return { ...type, key: inheritType(type.key, known.key), value: inheritType(type.value, known.value) }
}

function highestId(type: DataType): number {
  if (type.kind === 'array') return highestId(type.element)
  if (type.kind === 'map') return Math.max(highestId(type.key), highestId(type.value))
  if (type.kind !== 'struct') return 0
  return type.fields.reduce((highest, { metadata, type: inner }) => {
    const id = metadata[ID]
    return Math.max(highest, typeof id === 'number' ? id : 0, highestId(inner))
  }, 0)
}
