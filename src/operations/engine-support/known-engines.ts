/**
 * What other engines read and write, by table feature: facts, each with where it is from.
 *
 * A version stands for itself and those behind it. `tried` means that tables with the feature were read and appended to
 * by that very version; a page is named where the engine's own documentation says it.
 */

/** The first version; `always` for every one, `never` where the version that was looked at does not. */
export type Since = string | 'never'

export interface KnownEngine {
  readonly name: string
  /** the version that an answer of yes or no is about */
  readonly version: string
  readonly source: string
  /** the first version that reads or writes a table with the feature; features left out: every version */
  readonly features: ReadonlyMap<string, { readonly reads: Since; readonly writes: Since }>
}

/** A feature that changes nothing for readers of this engine. */
const writes = (since: Since) => ({ reads: 'always', writes: since })
const both = (reads: Since, written: Since = reads) => ({ reads, writes: written })
const NEITHER = both('never')

export const knownEngines: readonly KnownEngine[] = [
  {
    name: 'Spark with Delta',
    version: '4.4',
    source: 'docs.delta.io/versioning and docs.delta.io/delta-drop-feature; 4.4 tried',
    features: new Map([
      ['checkConstraints', writes('0.8')],
      ['generatedColumns', writes('1.0')],
      ['columnMapping', both('1.2')],
      ['changeDataFeed', writes('2.0')],
      ['deletionVectors', both('2.3', '2.4')],
      ['timestampNtz', both('2.4')],
      ['timestampWithoutTimezone', both('2.4')],
      ['domainMetadata', writes('3.0')],
      ['icebergCompatV1', writes('3.0')],
      ['v2Checkpoint', both('3.0')],
      ['allowColumnDefaults', writes('3.1')],
      ['clustering', writes('3.1')],
      ['icebergCompatV2', writes('3.1')],
      ['rowTracking', writes('3.2')],
      ['typeWidening-preview', both('3.2')],
      ['identityColumns', writes('3.3')],
      ['inCommitTimestamp', writes('3.3')],
      ['vacuumProtocolCheck', both('3.3')],
      ['checkpointProtection', writes('4.0')],
      ['typeWidening', both('4.0')],
      ['variantType', both('4.0')],
      ['variantType-preview', both('4.0')],
      ['catalogManaged', NEITHER],
      ['catalogOwned-preview', NEITHER],
      ['collations', writes('never')],
      ['collations-preview', writes('never')],
    ]),
  },
  {
    name: 'delta-rs',
    version: '1.6',
    source: 'tried',
    features: new Map([
      ['typeWidening', NEITHER],
      ['typeWidening-preview', NEITHER],
      ['vacuumProtocolCheck', NEITHER],
      ['variantShredding', NEITHER],
      ['variantShredding-preview', NEITHER],
      ['catalogManaged', NEITHER],
      ['catalogOwned-preview', NEITHER],
      ['allowColumnDefaults', writes('never')],
      ['checkpointProtection', writes('never')],
      ['clustering', writes('never')],
      ['collations', writes('never')],
      ['collations-preview', writes('never')],
      ['domainMetadata', writes('never')],
      ['icebergCompatV2', writes('never')],
      ['icebergCompatV3', writes('never')],
      ['identityColumns', writes('never')],
      ['inCommitTimestamp', writes('never')],
      ['materializePartitionColumns', writes('never')],
      ['rowTracking', writes('never')],
    ]),
  },
  {
    name: 'DuckDB with delta',
    version: '1.5',
    source: 'tried',
    features: new Map([
      ['allowColumnDefaults', writes('never')],
      ['checkConstraints', writes('never')],
      ['checkpointProtection', writes('never')],
      ['collations', writes('never')],
      ['collations-preview', writes('never')],
      ['generatedColumns', writes('never')],
      ['icebergCompatV1', writes('never')],
      ['icebergCompatV2', writes('never')],
      ['icebergCompatV3', writes('never')],
      ['identityColumns', writes('never')],
      ['typeWidening', writes('never')],
      ['typeWidening-preview', writes('never')],
      ['catalogManaged', NEITHER],
      ['catalogOwned-preview', NEITHER],
    ]),
  },
]
