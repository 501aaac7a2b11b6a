/** Which tables this package reads. Source: Delta protocol, "Reader Requirements", "Table Features". */
import { deltaError } from '../../errors/index.ts'
import type { StructType } from '../../schema/index.ts'
import type { Metadata, Protocol } from '../actions/actions.ts'
import { findFeature } from './registry.ts'
import { unknownTypeChange } from './type-widening.ts'

const MAX_READER = 3

/**
 * Refuses a table whose protocol asks for more than is read here, by the exact names it lists.
 *
 * What a protocol asks of writers is no matter of reading.
 *
 * @throws DeltaError `DELTA_INVALID_PROTOCOL_VERSION`, `LAKE_PROTOCOL_MALFORMED`, `DELTA_UNSUPPORTED_FEATURES_FOR_READ`
 */
export function validateReadable(path: string, protocol: Protocol): void {
  const { minReaderVersion: reader, minWriterVersion: writer } = protocol
  if (reader < 1 || reader > MAX_READER) {
    throw deltaError('DELTA_INVALID_PROTOCOL_VERSION', { path, reader, writer })
  }
  const reason = fault(protocol)
  if (reason !== undefined) throw deltaError('LAKE_PROTOCOL_MALFORMED', { path, reason })
  const features = (protocol.readerFeatures ?? []).filter((name) => findFeature(name)?.readable !== true)
  if (features.length > 0) throw deltaError('DELTA_UNSUPPORTED_FEATURES_FOR_READ', { path, features })
}

function fault({ minReaderVersion, minWriterVersion, readerFeatures }: Protocol): string | undefined {
  if (minReaderVersion < 3) return undefined
  if (minWriterVersion < 7) return `reader version 3 goes with writer version 7, not ${minWriterVersion}`
  return readerFeatures === undefined ? 'reader version 3 lists no readerFeatures' : undefined
}

/**
 * Refuses metadata that this package cannot follow though its features are known.
 *
 * @throws DeltaError `LAKE_UNSUPPORTED_FORMAT`, `DELTA_UNSUPPORTED_TYPE_CHANGE_IN_SCHEMA`
 */
export function validateReadableSchema(path: string, metadata: Metadata, schema: StructType): void {
  const { provider } = metadata.format
  if (provider.toLowerCase() !== 'parquet') throw deltaError('LAKE_UNSUPPORTED_FORMAT', { path, provider })
  const change = unknownTypeChange(schema)
  if (change !== undefined) throw deltaError('DELTA_UNSUPPORTED_TYPE_CHANGE_IN_SCHEMA', { path, ...change })
}
