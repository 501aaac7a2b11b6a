/** The metadata and the protocol of a table that takes new columns of a record. */
import type { Metadata, Protocol } from '../../../kernel/index.ts'
import {
  arrayType,
  type DataType,
  mapType,
  printSchema,
  type StructField,
  type StructType,
  structType,
} from '../../../schema/index.ts'
import { childrenOf } from './nested-fields.ts'

const MAX_ID = 'delta.columnMapping.maxColumnId'

/** All but the schema stays; where columns are mapped by name, new ones get ids and physical names. */
export function metadataWithColumns(metadata: Metadata, schema: StructType): Metadata {
  if ((metadata.configuration.get('delta.columnMapping.mode') ?? 'none') === 'none') {
    return { ...metadata, schemaString: printSchema(schema) }
  }
  const ids = new ColumnIds(Number(metadata.configuration.get(MAX_ID) ?? 0))
  const mapped = structType(schema.fields.map((field) => ids.assign(field)))
  return {
    ...metadata,
    schemaString: printSchema(mapped),
    configuration: new Map(metadata.configuration).set(MAX_ID, String(ids.highest)),
  }
}

class ColumnIds {
  highest: number
  constructor(highest: number) {
    this.highest = highest
  }

  assign(field: StructField): StructField {
    const metadata =
      field.metadata['delta.columnMapping.id'] === undefined
        ? {
            ...field.metadata,
            'delta.columnMapping.id': ++this.highest,
            'delta.columnMapping.physicalName': `col-${crypto.randomUUID()}`,
          }
        : field.metadata
    return { ...field, metadata, type: this.assignInside(field.type) }
  }

  private assignInside(type: DataType): DataType {
    switch (type.kind) {
      case 'struct':
        return structType(type.fields.map((field) => this.assign(field)))
      case 'array':
        return arrayType(this.assignInside(type.element), type.containsNull)
      case 'map':
        return mapType(this.assignInside(type.key), this.assignInside(type.value), type.valueContainsNull)
      default:
        return type
    }
  }
}

/** What each legacy writer version stands for once features are named. */
const IMPLIED: readonly (readonly [writer: number, feature: string])[] = [
  [2, 'appendOnly'],
  [2, 'invariants'],
  [3, 'checkConstraints'],
  [4, 'changeDataFeed'],
  [4, 'generatedColumns'],
  [5, 'columnMapping'],
  [6, 'identityColumns'],
]

/** The protocol a schema needs, where the table's own is too low: timestamps without a zone are a feature. */
export function protocolFor(protocol: Protocol, schema: StructType): Protocol | undefined {
  const feature = 'timestampNtz'
  if (!holdsLocalTimestamp(schema) || protocol.writerFeatures?.includes(feature)) return undefined
  const writerFeatures =
    protocol.writerFeatures ?? IMPLIED.filter(([writer]) => writer <= protocol.minWriterVersion).map(([, name]) => name)
  const readerFeatures = protocol.readerFeatures ?? (protocol.minReaderVersion >= 2 ? ['columnMapping'] : [])
  return {
    ...protocol,
    minReaderVersion: 3,
    minWriterVersion: 7,
    readerFeatures: [...readerFeatures, feature],
    writerFeatures: [...writerFeatures, feature],
  }
}

function holdsLocalTimestamp(type: DataType): boolean {
  return type.kind === 'timestamp_ntz' || childrenOf(type).some((child) => holdsLocalTimestamp(child.type))
}
