/** Names of the columns in which files keep the ids of rows that were moved. Source: Delta protocol, "Row Tracking". */
import type { Metadata, Protocol } from '../actions/actions.ts'
import { supportsFeature } from '../features/index.ts'
import { findProperty } from '../properties/index.ts'

const ROW_ID = 'rowTracking.materializedRowIdColumnName'
const ROW_COMMIT_VERSION = 'rowTracking.materializedRowCommitVersionColumnName'

/** The metadata with names that no column of the table can have, where its protocol tracks rows; a name stays for good. */
export function withRowTrackingColumns(protocol: Protocol, metadata: Metadata): Metadata {
  if (!supportsFeature(protocol, 'rowTracking')) return metadata
  const configuration = new Map(metadata.configuration)
  if (findProperty(configuration, ROW_ID) === undefined) {
    configuration.set(`delta.${ROW_ID}`, `_row-id-col-${crypto.randomUUID()}`)
  }
  if (findProperty(configuration, ROW_COMMIT_VERSION) === undefined) {
    configuration.set(`delta.${ROW_COMMIT_VERSION}`, `_row-commit-version-col-${crypto.randomUUID()}`)
  }
  return { ...metadata, configuration }
}
