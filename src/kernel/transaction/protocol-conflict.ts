/** Which protocol changes of others a transaction cannot live with. */
import type { Protocol } from '../actions/actions.ts'

/** Features that change what must be written, so that a commit planned before them may break their rules. */
const ABORTING: ReadonlySet<string> = new Set([
  'invariants',
  'generatedColumns',
  'identityColumns',
  'allowColumnDefaults',
  'clustering',
  'variantType',
  'variantShredding',
  'checkpointProtection',
  'materializePartitionColumns',
])

/** Whether a winner dropped a feature, or added one whose rules bind commits that were planned without it. */
export function abortsConcurrentCommits(before: Protocol, after: Protocol): boolean {
  const [old, now] = [featuresOf(before), featuresOf(after)]
  return [...old].some((name) => !now.has(name)) || [...now].some((name) => !old.has(name) && ABORTING.has(name))
}

/** The features of a protocol by name, those its versions imply included. */
function featuresOf(protocol: Protocol): ReadonlySet<string> {
  return new Set([...(protocol.readerFeatures ?? []), ...(protocol.writerFeatures ?? [])])
}
