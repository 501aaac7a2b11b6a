/** The port to where records come from. */

/** What became of a batch. */
export type BatchOutcome =
  | { readonly kind: 'committed'; readonly refused: number }
  | { readonly kind: 'failed'; readonly error: unknown }

/** Whole records, as bytes, with the place they have in their source. */
export interface SourceBatch {
  /** a part of the source with positions of its own: a file of a folder */
  readonly partition: string
  readonly bytes: Uint8Array
  /** position of the first record; positions only grow within a partition */
  readonly start: bigint
  /** position behind the last record */
  readonly end: bigint
  /** what one step of a position is */
  readonly unit: 'byte' | 'record'
  /** positions of the records by their number, where one need not be next to the other */
  readonly places?: readonly bigint[]
  /** where the records were translated: what they were before */
  readonly origin?: BatchOrigin
  /** CSV: the names of the columns in these bytes, which hold no header; absent: the record's own */
  readonly columns?: readonly string[]
  /** told once, when all destinations of the batch have it or one of them failed */
  readonly settle?: (outcome: BatchOutcome) => void
}

/** Bytes as they came, which positions count, of records that were translated. */
export interface BatchOrigin {
  readonly bytes: Uint8Array
  /** of each record in them, by its number */
  readonly offsets: readonly number[]
  /** why a record is none, by its number */
  readonly faults: ReadonlyMap<number, string>
}

export interface OpenOptions {
  /** where a partition goes on: everything before it is in every table; 0 where nothing is */
  readonly positionOf: (partition: string) => bigint
  /**
   * Looks anew how far every table has come. For sources whose partitions other workers may have moved on meanwhile;
   * `positionOf` tells the rest.
   */
  readonly refreshPositions?: () => Promise<void>
  /** true: what can be read now, then the end, also where the source would wait for more */
  readonly once: boolean
  /** aborted: no further batch is given */
  readonly signal: AbortSignal
  /** told what a person should know */
  readonly onWarning?: (text: string) => void
}

export interface Source {
  readonly id: string
  /** whether `positionOf` is honoured: a batch that was given can be given again after a restart */
  readonly isReplayable: boolean
  /**
   * Who positions belong to in the tables, where that is not the worker: those who share the partitions of the source.
   * What another of them has committed already is left out of this one's commits.
   */
  readonly owner?: string

  /**
   * Batches in the order of their positions within a partition. Asks for the next bytes only when the caller takes them.
   *
   * @throws DeltaError `WORKER_SOURCE_FAILED`, `WORKER_SOURCE_SHRANK`
   */
  open(options: OpenOptions): AsyncIterable<SourceBatch>

  /** Called once where it is there, when every batch has been told its outcome. */
  close?(): Promise<void>
}
