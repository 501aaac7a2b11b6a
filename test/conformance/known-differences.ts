/**
 * Where this package answers otherwise than the recording, and why.
 *
 * Keys are `table` or `table@version`. `expect` is what happens here: an error code, or `reads` where the recording
 * refuses. A difference that no longer occurs fails the test, so that this list stays true.
 */

export interface KnownDifference {
  readonly expect: string
  readonly why: string
}

const READS_OLDER: KnownDifference = {
  expect: 'reads',
  why: 'the latest version cannot be loaded, so the reference refuses every version; older ones are read here by their own protocol',
}
const READS_OLD_AGE: KnownDifference = {
  expect: 'reads',
  why: 'the reference refuses versions by their age; here missing files are the limit',
}

function versions(table: string, from: number, to: number, difference: KnownDifference): [string, KnownDifference][] {
  return Array.from({ length: to - from + 1 }, (_, i) => [`${table}@${from + i}`, difference])
}

export const knownDifferences: ReadonlyMap<string, KnownDifference> = new Map([
  ...versions('delta-rs/data_err_logs/table_c', 0, 11, READS_OLDER),
  ...versions('delta-rs/data_err_logs/table_h', 0, 13, READS_OLDER),
  ...versions('delta-rs/data_err_logs/table_i', 0, 13, READS_OLDER),
  ...versions(
    'delta-kernel-rs-golden/deltalog-state-reconstruction-from-checkpoint-missing-protocol/delta',
    0,
    9,
    READS_OLDER,
  ),
  ['delta-kernel-rs-golden/versions-not-contiguous/delta@0', READS_OLDER],
  ...versions('time-travel-timestamps', 0, 2, READS_OLD_AGE),
  ...versions('delta-kernel-java/workload_specs/basic_catalog_managed/delta', 0, 1, {
    expect: 'LAKE_CATALOG_COMMITS_NEEDED',
    why: 'a managed table is refused without its catalog; the reference misses vacuumProtocolCheck first',
  }),
  [
    'delta-kernel-rs/table-with-geo@0',
    { expect: 'DELTA_UNSUPPORTED_FEATURES_FOR_READ', why: 'refused by the feature, the reference refuses the type' },
  ],
  [
    'delta-kernel-rs/timestamp-partitioned-table@0',
    { expect: 'reads', why: 'a colon in the first segment of a relative path is legal; Hadoop takes it for a scheme' },
  ],
  [
    'delta-kernel-rs/cdf-table-with-dv@5',
    { expect: 'DELTA_DELETION_VECTOR_SIZE_MISMATCH', why: 'its vector is broken, the reference lets a number wrap' },
  ],
  [
    'delta-rs/data_err_logs/table_b@7',
    { expect: 'DELTA_VERSIONS_NOT_CONTIGUOUS', why: 'the reference has no error class there' },
  ],
  [
    'trino/deltalake/type_widening_unsupported@2',
    {
      expect: 'DELTA_UNSUPPORTED_TYPE_CHANGE_IN_SCHEMA',
      why: 'the change to an unknown type is met before the type itself',
    },
  ],
])

/** Facts that are left out of the comparison, by table. */
export const factsNotCompared: ReadonlyMap<string, readonly string[]> = new Map([
  // the reference hides transactions older than delta.setTransactionRetentionDuration at the time of reading
  ['delta-kernel-rs/app-txn-with-last-updated', ['txns']],
  // made by hand: its checksum speaks of files that its log does not have
  ['delta-kernel-rs/crc-full', ['checksum']],
])
