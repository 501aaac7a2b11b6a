/** Which tables transactions write to. Source: Delta protocol, "Writer Version Requirements", "Table Features". */
import { deltaError } from '../../errors/index.ts'
import type { Protocol } from '../actions/actions.ts'
import { type FeatureTable, featuresOf, findFeature } from '../features/index.ts'

const MAX_READER = 3
const MAX_WRITER = 7

export interface GateOptions {
  /** where the table lies, for messages */
  readonly path: string
  /** whether commits go through the table's catalog */
  readonly isManaged?: boolean
  /** a feature that the commit takes part in dropping: its rules are the operation's to keep */
  readonly drops?: string | undefined
}

/**
 * Refuses a table whose features ask for more than transactions do, by the names the table has for them.
 *
 * @throws DeltaError `DELTA_UNSUPPORTED_FEATURES_FOR_WRITE`, `DELTA_INVALID_PROTOCOL_VERSION`
 */
export function validateWritable(protocol: Protocol, table: FeatureTable, options: GateOptions): void {
  const { path, isManaged = false, drops } = options
  const { minReaderVersion: reader, minWriterVersion: writer } = protocol
  if (reader > MAX_READER || writer > MAX_WRITER) {
    throw deltaError('DELTA_INVALID_PROTOCOL_VERSION', { path, reader, writer })
  }
  const features = [...featuresOf(protocol)].filter(
    (name) => name !== drops && !isKept(name, table) && !(isManaged && findFeature(name)?.name === 'catalogManaged'),
  )
  if (features.length > 0) throw deltaError('DELTA_UNSUPPORTED_FEATURES_FOR_WRITE', { path, features })
}

function isKept(name: string, table: FeatureTable): boolean {
  const feature = findFeature(name)
  if (feature === undefined || feature.writable === 'no') return false
  return feature.writable === 'yes' || !feature.isActive(table)
}
