/** The commit by which a feature leaves the protocol. */
import { deltaError } from '../../errors/index.ts'
import {
  type CommitOutcome,
  featuresOf,
  lowestProtocol,
  type Metadata,
  type Protocol,
  requireCommitted,
  type Snapshot,
  spellingsOf,
  type Transaction,
} from '../../kernel/index.ts'
import { beginChange, tryCommit } from '../commit.ts'
import type { OperationContext } from '../context.ts'
import { withProperty } from './metadata.ts'
import type { Drop } from './removal.ts'

const PROTECTION = 'checkpointProtection'
const PROTECTED_BEFORE = 'delta.requireCheckpointProtectionBeforeVersion'
/** Commits that others may put in the way before it is given up. */
const MAX_LOSSES = 1000

/**
 * Commits the lowest protocol that holds what is left.
 *
 * Each commit of another that gets ahead is looked at anew: the newest version must make no use of the feature, and the
 * version that protection counts from is the one this commit gets.
 *
 * @returns the version made
 * @throws DeltaError `DELTA_FEATURE_DROP_CONFLICT_REVALIDATION_FAIL`, `DELTA_PROTOCOL_CHANGED`, `DELTA_METADATA_CHANGED`,
 * `LAKE_COMMIT_UNKNOWN`
 */
export async function downgrade(drop: Drop, context: OperationContext): Promise<number> {
  for (let losses = 0; ; losses++) {
    const outcome = await context.withSnapshot(undefined, (snapshot) => tryDowngrade(drop, snapshot, context))
    if (losses >= MAX_LOSSES || !isMereLoss(outcome)) return requireCommitted(outcome)
  }
}

/** Whether what got ahead did nothing that stands in the way by itself. */
function isMereLoss(outcome: CommitOutcome): boolean {
  return outcome.kind === 'conflict' && outcome.error.code === 'DELTA_MAX_COMMIT_RETRIES_EXCEEDED'
}

async function tryDowngrade(drop: Drop, snapshot: Snapshot, context: OperationContext): Promise<CommitOutcome> {
  const { feature, removal } = drop
  if (!(await removal.isUnused(snapshot))) {
    throw deltaError('DELTA_FEATURE_DROP_CONFLICT_REVALIDATION_FAIL', { feature, version: snapshot.version })
  }
  return await tryCommit(downgradeOf(drop, snapshot, context), context, { maxLosses: 1 })
}

function downgradeOf(drop: Drop, snapshot: Snapshot, context: OperationContext): Transaction {
  const { feature, removal, truncateHistory } = drop
  const change = beginChange(snapshot, context, {
    operation: 'DROP FEATURE',
    operationParameters: { featureName: feature, truncateHistory },
    drops: removal.name,
  })
  const domains = removal.ownDomains?.(snapshot) ?? []
  return domains
    .map((domain) => ({ ...domain, removed: true }))
    .reduce((result, domain) => result.setDomain(domain), change)
    .setMetadata(metadataAfter(drop, snapshot))
    .setProtocol(protocolAfter(drop, snapshot.protocol))
}

function metadataAfter(drop: Drop, { metadata, version }: Snapshot): Metadata {
  const stripped = drop.removal.strip?.(metadata) ?? metadata
  return protectsHistory(drop) ? withProperty(stripped, PROTECTED_BEFORE, String(version + 1)) : stripped
}

/** Whether old versions stay, and with them the need for readers that know the feature. */
export function protectsHistory({ removal, truncateHistory }: Drop): boolean {
  return removal.needsHistoryProtection && !truncateHistory
}

/** The lowest protocol for a table behind a drop. A feature that is listed under two names keeps the other one. */
export function protocolAfter(drop: Drop, protocol: Protocol): Protocol {
  const { feature, removal } = drop
  const { readerFeatures, writerFeatures, ...versions } = protocol
  const without = (names: readonly string[]) => names.filter((name) => name !== feature)
  const rest: Protocol = {
    ...versions,
    ...(readerFeatures && { readerFeatures: without(readerFeatures) }),
    ...(writerFeatures && { writerFeatures: without(writerFeatures) }),
  }
  const features = featuresOf(rest)
  const isListedOtherwise = [...spellingsOf(rest).keys()].includes(removal.name)
  // versions may imply it still
  if (!isListedOtherwise) features.delete(removal.name)
  if (protectsHistory(drop)) features.add(PROTECTION)
  return lowestProtocol(features, spellingsOf(rest))
}
