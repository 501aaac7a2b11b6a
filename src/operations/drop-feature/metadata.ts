/** Metadata with less in it. */
import { canonicalKey, type Metadata } from '../../kernel/index.ts'
import { type DataType, parseSchema, printSchema, type StructField, type StructType } from '../../schema/index.ts'
import { type JsonObject, printJson } from '../../support/index.ts'
import { columnJson } from '../alter/parameters.ts'

/** @param keys of properties, in their own spelling; a table may spell them in any case */
export function withoutProperties(metadata: Metadata, keys: readonly string[]): Metadata {
  const configuration = new Map([...metadata.configuration].filter(([key]) => !keys.includes(canonicalKey(key))))
  return { ...metadata, configuration }
}

export function withProperty(metadata: Metadata, key: string, value: string): Metadata {
  return { ...metadata, configuration: new Map(withoutProperties(metadata, [key]).configuration).set(key, value) }
}

/** The keys of a table among some, as the table spells them. */
export function setKeys({ configuration }: Metadata, keys: readonly string[]): string[] {
  return keys.flatMap((key) => [...configuration.keys()].filter((spelling) => canonicalKey(spelling) === key))
}

/** The schema of a table, as the log has it. */
export function schemaOf({ schemaString }: Metadata): StructType {
  return schemaString === undefined ? { kind: 'struct', fields: [] } : parseSchema(schemaString)
}

/** Metadata whose fields, at any depth, lack some keys of their own metadata. */
export function withoutFieldKeys(metadata: Metadata, keys: readonly string[]): Metadata {
  if (metadata.schemaString === undefined) return metadata
  const schema = mapFields(schemaOf(metadata), (field) => {
    const kept = Object.entries(field.metadata).filter(([key]) => !keys.includes(key))
    return { ...field, metadata: Object.fromEntries(kept) }
  })
  return { ...metadata, schemaString: printSchema(schema) }
}

function mapFields(struct: StructType, change: (field: StructField) => StructField): StructType {
  return { ...struct, fields: struct.fields.map((field) => change({ ...field, type: mapInside(field.type, change) })) }
}

function mapInside(type: DataType, change: (field: StructField) => StructField): DataType {
  if (type.kind === 'struct') return mapFields(type, change)
  if (type.kind === 'array') return { ...type, element: mapInside(type.element, change) }
  if (type.kind !== 'map') return type
  return { ...type, key: mapInside(type.key, change), value: mapInside(type.value, change) }
}

/** Fields at any depth, each with the names on the way to it. */
export function* fieldsOf(type: DataType, path: readonly string[] = []): Generator<FieldAt> {
  if (type.kind === 'array') yield* fieldsOf(type.element, [...path, 'element'])
  if (type.kind === 'map') {
    yield* fieldsOf(type.key, [...path, 'key'])
    yield* fieldsOf(type.value, [...path, 'value'])
  }
  if (type.kind !== 'struct') return
  for (const field of type.fields) {
    const at = [...path, field.name]
    yield { path: at, field }
    yield* fieldsOf(field.type, at)
  }
}

export interface FieldAt {
  readonly path: readonly string[]
  readonly field: StructField
}

/** The columns that have a key in their metadata, as the commit that takes it from them tells. */
export function columnsParameter(metadata: Metadata, key: string): JsonObject {
  const having = [...fieldsOf(schemaOf(metadata))].filter(({ field }) => field.metadata[key] !== undefined)
  return { columns: printJson(having.map(({ path, field }) => columnJson({ ...field, path }))) }
}

/** Whether some field of a table, at any depth, has a key in its own metadata. */
export function someFieldHas(metadata: Metadata, keys: readonly string[]): boolean {
  return [...fieldsOf(schemaOf(metadata))].some(({ field }) => keys.some((key) => field.metadata[key] !== undefined))
}
