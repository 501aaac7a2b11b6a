/** The port to where records go. */
import type { RecordFormat } from '../records/row-reader.ts'
import type { Route } from '../routes/route.ts'
import type { BatchOutcome, SourceBatch } from '../sources/source.ts'

/** A batch on its way into one destination, by all routes that lead there from its source. */
export interface Delivery {
  readonly source: string
  readonly format: RecordFormat
  readonly isReplayable: boolean
  readonly batch: SourceBatch
  readonly routes: readonly Route[]
  /** to be told once */
  readonly settle: (outcome: BatchOutcome) => void
}

export interface Destination {
  readonly id: string
  /** where it writes, as a person would say it */
  readonly target: string
  /** where refused records are kept */
  readonly deadLetterFile: string

  /**
   * Looks whether it would start, and writes nothing.
   *
   * @throws DeltaError why it would refuse
   */
  check(): Promise<void>

  /**
   * Checks and prepares; nothing is taken before.
   *
   * @throws DeltaError why it refuses to start
   */
  start(): Promise<void>

  /** Looks anew how far others have brought the partitions that they share with this worker. */
  refreshPositions(): Promise<void>

  /** Where a partition of a replayable source goes on here; 0 where nothing is known of it. */
  positionOf(source: string, partition: string): bigint

  /** Resolves when the batch is taken; it is settled later. Waits while there is no room. */
  take(delivery: Delivery): Promise<void>

  /** From now on a failure is not waited out for ever: the worker stops, or runs once. */
  boundStalls(): void

  /** Brings everything taken to its end. */
  finish(): Promise<void>

  close(): Promise<void>
}
