/** Which tables transactions write to. Source: Delta protocol, "Writer Version Requirements", "Table Features". */
import { deltaError } from '../../errors/index.ts'
import type { Protocol } from '../actions/actions.ts'
import { type FeatureTable, featuresOf, findFeature } from '../features/index.ts'

const MAX_READER = 3
const MAX_WRITER = 7

/**
 * Refuses a table whose features ask for more than transactions do, by the names the table has for them.
 *
 * @param isManaged whether commits go through the table's catalog
 * @throws DeltaError `DELTA_UNSUPPORTED_FEATURES_FOR_WRITE`, `DELTA_INVALID_PROTOCOL_VERSION`
 */
export function validateWritable(protocol: Protocol, table: FeatureTable, path: string, isManaged = false): void {
  const { minReaderVersion: reader, minWriterVersion: writer } = protocol
  if (reader > MAX_READER || writer > MAX_WRITER) {
    throw deltaError('DELTA_INVALID_PROTOCOL_VERSION', { path, reader, writer })
  }
  const features = [...featuresOf(protocol)].filter(
    (name) => !isKept(name, table) && !(isManaged && findFeature(name)?.name === 'catalogManaged'),
  )
  if (features.length > 0) throw deltaError('DELTA_UNSUPPORTED_FEATURES_FOR_WRITE', { path, features })
}

function isKept(name: string, table: FeatureTable): boolean {
  const feature = findFeature(name)
  if (feature === undefined || feature.writable === 'no') return false
  return feature.writable === 'yes' || !feature.isActive(table)
}
