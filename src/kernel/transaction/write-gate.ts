/** Which tables transactions write to. Source: Delta protocol, "Writer Version Requirements", "Table Features". */
import { deltaError } from '../../errors/index.ts'
import type { Protocol } from '../actions/actions.ts'
import type { FeatureTable } from '../features/table-feature.ts'
import { writeRules } from './write-rules.ts'

const MAX_READER = 3
const MAX_WRITER = 7

/**
 * Refuses a table whose features ask for more than transactions do, by their exact names.
 *
 * @throws DeltaError `DELTA_UNSUPPORTED_FEATURES_FOR_WRITE`, `DELTA_INVALID_PROTOCOL_VERSION`
 */
export function refuseUnwritable(protocol: Protocol, _table: FeatureTable, path: string): void {
  const { minReaderVersion: reader, minWriterVersion: writer } = protocol
  if (reader > MAX_READER || writer > MAX_WRITER) {
    throw deltaError('DELTA_INVALID_PROTOCOL_VERSION', { path, reader, writer })
  }
  const listed = new Set([...(protocol.readerFeatures ?? []), ...(protocol.writerFeatures ?? [])])
  const features = [...listed].filter((name) => !writeRules.has(name))
  if (features.length > 0) throw deltaError('DELTA_UNSUPPORTED_FEATURES_FOR_WRITE', { path, features })
}
