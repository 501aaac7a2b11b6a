/** Commands that take a table feature out of a table, or say beforehand what that would do. */
import type { Protocol } from '../kernel/index.ts'
import type { TableRef } from './command-parts.ts'
import type { EngineSupport } from './engine-support/index.ts'

/** A feature leaves the table: what uses it is rewritten, and the protocol becomes the lowest that holds the rest. */
export interface DropFeatureCommand {
  readonly kind: 'dropFeature'
  readonly table: TableRef
  /** as the protocol lists it */
  readonly feature: string
  /**
   * true: history older than `delta.dropFeatureTruncateHistory.retentionDuration` goes, and with it every trace of the
   * feature, so that writers need no `checkpointProtection`. It takes two runs, so far apart
   */
  readonly truncateHistory: boolean
}

export interface DropFeatureResult {
  /** the version whose protocol no longer lists the feature */
  readonly version: number
}

export interface PlanDropFeatureCommand extends Omit<DropFeatureCommand, 'kind'> {
  readonly kind: 'planDropFeature'
}

/** A commit that would be made. */
export interface PlannedCommit {
  /** as history would tell it */
  readonly operation: string
  /** files that are written anew in it; 0 for a commit of the log alone */
  readonly numFiles: number
  /** bytes those files have now */
  readonly numBytes: number
  /** whether a checkpoint of the version follows */
  readonly checkpoint: boolean
}

/** What dropping a feature would do, were it begun now and nobody else wrote meanwhile. */
export interface DropFeaturePlan {
  readonly feature: string
  readonly truncateHistory: boolean
  /** the version that was looked at */
  readonly version: number
  /** in order; up to the wait where there is one */
  readonly commits: readonly PlannedCommit[]
  /** of all commits */
  readonly numFiles: number
  readonly numBytes: number
  /** the earliest version that would still be in the log behind this run */
  readonly earliestVersion: number
  /**
   * milliseconds since 1970 from which on the same command, run again, takes the feature out of the protocol; null where
   * this run does
   */
  readonly waitUntilMs: number | null
  /** when all is done */
  readonly protocol: Protocol
  /** known engines, by what they read and write of the table then */
  readonly engines: readonly EngineSupport[]
}

export interface DropFeatureCommandMap {
  dropFeature: { command: DropFeatureCommand; result: DropFeatureResult }
  planDropFeature: { command: PlanDropFeatureCommand; result: DropFeaturePlan }
}
