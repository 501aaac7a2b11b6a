/**
 * What stops a streaming read: a commit that makes another table of the one that is read.
 *
 * The rows of a batch have one schema, and whoever takes them has to hear of a new one before its rows come. A reader that
 * starts again at the offset it has goes on with the table as it is from there. A mapped column that was renamed or dropped
 * is another matter: rows from before and after it do not fit each other, so that going on must be asked for.
 */
import { deltaError } from '../../errors/index.ts'
import { type DataType, printSchema, type StructField, type StructType } from '../../schema/index.ts'
import type { Metadata, Protocol } from '../actions/actions.ts'
import { unreadableReason } from '../changes/read-compatible.ts'
import type { VersionState } from '../snapshot/load-state.ts'

/** @throws DeltaError `DELTA_STREAMING_INCOMPATIBLE_SCHEMA_CHANGE_USE_SCHEMA_LOG` for a mapped column renamed or dropped */
export function requireAdditive(path: string, before: VersionState, after: VersionState): void {
  if (before.layout.columnMapping === 'none' || after.layout.columnMapping === 'none') return
  const reason = unreadableReason(before.layout, after.layout)
  if (reason === undefined) return
  const details = { path, version: after.version, reason }
  throw deltaError('DELTA_STREAMING_INCOMPATIBLE_SCHEMA_CHANGE_USE_SCHEMA_LOG', details)
}

/** @throws DeltaError `DELTA_SCHEMA_CHANGED_WITH_VERSION`, `DELTA_STREAMING_METADATA_EVOLUTION` */
export function requireSameTable(path: string, before: VersionState, after: VersionState): void {
  const { version } = after
  if (schemaText(before) !== schemaText(after)) throw deltaError('DELTA_SCHEMA_CHANGED_WITH_VERSION', { path, version })
  const what = [
    ...(protocolText(before.protocol) === protocolText(after.protocol) ? [] : ['protocol']),
    ...(metadataText(before.metadata) === metadataText(after.metadata) ? [] : ['metadata']),
  ]
  if (what.length > 0)
    throw deltaError('DELTA_STREAMING_METADATA_EVOLUTION', { path, version, what: what.join(' and ') })
}

/** Every insert into a table with an identity column moves its mark, which is no change of the schema. */
const MARK = 'delta.identity.highWaterMark'

function schemaText({ schema, metadata, layout }: VersionState): string {
  return [printSchema(withoutMarks(schema)), metadata.partitionColumns.join('\u0000'), layout.columnMapping].join('\n')
}

function withoutMarks(schema: StructType): StructType {
  const plain = (field: StructField): StructField => {
    const { [MARK]: _, ...metadata } = field.metadata
    return { ...field, type: plainType(field.type), metadata }
  }
  const plainType = (type: DataType): DataType =>
    type.kind === 'struct' ? { ...type, fields: type.fields.map(plain) } : type
  return { ...schema, fields: schema.fields.map(plain) }
}

function metadataText({ id, name, description, configuration }: Metadata): string {
  return JSON.stringify([id, name, description, [...configuration].sort(([a], [b]) => (a < b ? -1 : 1))])
}

function protocolText({ minReaderVersion, minWriterVersion, readerFeatures, writerFeatures }: Protocol): string {
  const names = (features: readonly string[] | undefined) => [...(features ?? [])].sort()
  return JSON.stringify([minReaderVersion, minWriterVersion, names(readerFeatures), names(writerFeatures)])
}
