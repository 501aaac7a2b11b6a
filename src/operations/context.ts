/** What a command is carried out with. */
import type { Engine } from '../engine/index.ts'
import type { KnownCommits, Snapshot } from '../kernel/index.ts'
import type { ObjectStore } from '../storage/index.ts'
import type { Clock } from '../support/index.ts'
import type { CommandOptions, ReadPoint, TableRef } from './command.ts'

/** One table, opened, and the means to work on it. */
export interface OperationContext {
  /** as the caller wrote it, for messages */
  readonly location: string
  readonly store: ObjectStore
  readonly engine: Engine
  readonly clock: Clock
  readonly options: CommandOptions
  /** who makes the commits, as history shows it */
  readonly userName?: string
  /** how many commits one compacted file of the log stands for; none is written when absent */
  readonly logCompactionInterval?: number
  /** tells of something that does not change the answer */
  readonly warn: (text: string) => void

  /** Whether a log lies there now. */
  exists(): Promise<boolean>

  /** Is told of commits that were made or seen, so that the next snapshot need not read them. */
  committed(commits: KnownCommits): void

  /**
   * Works on a snapshot, which stays open until the work is done.
   *
   * Without a read point it is the newest version; of a table read before, only the new commits are read.
   */
  withSnapshot<T>(at: ReadPoint | undefined, work: (snapshot: Snapshot) => Promise<T>): Promise<T>

  /** The same for work that goes on after the call: the snapshot stays open until it is released. */
  leaseSnapshot(at: ReadPoint | undefined): Promise<SnapshotLease>

  /** The same means for another table, which the command reads. */
  open(table: TableRef): Promise<OperationContext>
}

export interface SnapshotLease {
  readonly snapshot: Snapshot
  release(): Promise<void>
}
