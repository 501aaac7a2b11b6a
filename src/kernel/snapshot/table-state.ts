/** What a table is at a version, from its small actions, after the reading gate. */
import { deltaError } from '../../errors/index.ts'
import type { StructType } from '../../schema/index.ts'
import type { ObjectStore } from '../../storage/index.ts'
import type { DomainMetadata, Metadata, Protocol, SetTransaction } from '../actions/actions.ts'
import { supportsFeature, validateReadable, validateReadableSchema } from '../features/index.ts'
import { isRatifiedLog } from '../log/index.ts'
import type { TableLayout } from './layout.ts'
import { layoutOf } from './layout-of.ts'
import type { SmallState } from './small-state.ts'

export interface TableState {
  readonly protocol: Protocol
  readonly metadata: Metadata
  readonly schema: StructType
  readonly layout: TableLayout
  readonly transactions: ReadonlyMap<string, SetTransaction>
  readonly domains: ReadonlyMap<string, DomainMetadata>
}

/**
 * Checks that a table can be read and describes it; the protocol is checked before anything else is looked at.
 *
 * @throws DeltaError `DELTA_STATE_RECOVER_ERROR`, `DELTA_INVALID_PROTOCOL_VERSION`,
 * `DELTA_UNSUPPORTED_FEATURES_FOR_READ`, `LAKE_CATALOG_COMMITS_NEEDED`, `DELTA_INVALID_SCHEMA`, `DELTA_UNSUPPORTED_DATA_TYPE`
 */
export function tableState(store: ObjectStore, version: number, small: SmallState): TableState {
  const { protocol, metadata, transactions, domains } = small
  const path = store.location
  if (protocol === undefined) throw deltaError('DELTA_STATE_RECOVER_ERROR', { path, version, what: 'protocol' })
  validateReadable(path, protocol)
  if (supportsFeature(protocol, 'catalogManaged') && !isRatifiedLog(store)) {
    throw deltaError('LAKE_CATALOG_COMMITS_NEEDED', { path, features: ['catalogManaged'] })
  }
  if (metadata === undefined) throw deltaError('DELTA_STATE_RECOVER_ERROR', { path, version, what: 'metaData' })
  const layout = layoutOf(protocol, metadata)
  validateReadableSchema(path, metadata, layout.schema)
  return { protocol, metadata, schema: layout.schema, layout, transactions, domains }
}
