/** Which features a transaction keeps the rules of, and which disturb others when they are added. */

/**
 * `yes`: appends, overwrites and metadata changes keep the feature's rules. `unless-active`: they do as long as the table
 * makes no use of it. Any other feature is refused by name.
 */
export const writeRules: ReadonlyMap<string, 'yes' | 'unless-active'> = new Map([
  ['appendOnly', 'yes'],
  ['invariants', 'unless-active'],
  ['checkConstraints', 'unless-active'],
  ['generatedColumns', 'unless-active'],
  ['identityColumns', 'unless-active'],
  ['allowColumnDefaults', 'unless-active'],
  ['changeDataFeed', 'yes'],
  ['columnMapping', 'yes'],
  ['deletionVectors', 'yes'],
  ['domainMetadata', 'yes'],
  ['v2Checkpoint', 'yes'],
  ['timestampNtz', 'yes'],
  ['inCommitTimestamp', 'yes'],
  ['vacuumProtocolCheck', 'yes'],
  ['clustering', 'yes'],
  ['typeWidening', 'yes'],
  ['checkpointProtection', 'yes'],
])
