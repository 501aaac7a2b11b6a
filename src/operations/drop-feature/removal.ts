/**
 * What dropping one feature means: what has to be done before, what must hold then, what counts as a trace in the log.
 *
 * One file a feature beside this one; the ways of dropping know none of them by name. Source: Delta protocol, "Table
 * Features", "Checkpoint Protection"; the steps and their names are the reference's.
 */
import type { Action, AddFile, DomainMetadata, Metadata, Snapshot } from '../../kernel/index.ts'
import type { OperationContext } from '../context.ts'

/** A commit that takes a use of the feature out of the newest version. */
export interface CleanupStep {
  /** @returns undefined where the table needs none of it; nothing is written before `commit` */
  plan(snapshot: Snapshot, context: OperationContext): Promise<PlannedStep | undefined>
  /** true: it looks again for what a step before it saw to, so that beforehand nothing can be said of it */
  readonly looksAgain?: boolean
}

export interface PlannedStep {
  /** as history tells it */
  readonly operation: string
  /** live files that are written anew */
  readonly files: readonly AddFile[]
  /** false for a commit that is made whether or not the table uses the feature */
  readonly isChange: boolean
  /** @throws DeltaError conflict codes, `LAKE_COMMIT_UNKNOWN`, codes of engine and store */
  commit(): Promise<number>
}

export interface FeatureRemoval {
  /** the feature's own name */
  readonly name: string
  /** whether readers of old versions must know the feature, so that history is protected or goes */
  readonly needsHistoryProtection: boolean
  /** Refuses before anything is written. */
  readonly validate?: (snapshot: Snapshot) => void
  /** one commit each, in order */
  readonly steps: readonly CleanupStep[]
  /** whether the newest version makes no use of it, so that the protocol may let go of it */
  isUnused(snapshot: Snapshot): Promise<boolean>
  /** the metadata without what only the feature needed; unchanged when absent */
  readonly strip?: (metadata: Metadata) => Metadata
  /** domains that go with the feature */
  readonly ownDomains?: (snapshot: Snapshot) => readonly DomainMetadata[]
  /** whether an action shows that its version uses the feature; when absent nothing of the log does */
  readonly isTrace?: (action: Action) => boolean
  /** whether a checkpoint has a form that only readers of the feature know */
  readonly tracesInCheckpoints?: boolean
}

/** The feature that is being dropped, under the name the table has for it. */
export interface Drop {
  readonly feature: string
  readonly removal: FeatureRemoval
  readonly truncateHistory: boolean
}
