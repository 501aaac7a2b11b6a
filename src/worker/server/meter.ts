/** What one destination did and how it is: the figures behind metrics, health, logs and the progress line. */
import { type DeltaError, isDeltaError } from '../../errors/index.ts'
import type { AfterCommitReport } from '../../kernel/index.ts'
import { refusalKind } from '../delivery/refusal-kind.ts'

/** One round that came to its end. */
export interface RoundReport {
  /** of the table; undefined when the round left no row to write, and for a destination without versions */
  readonly version: number | undefined
  readonly files: number
  readonly rows: number
  readonly refused: number
  readonly filtered: number
  /** fields of records that are no columns and were passed over */
  readonly ignoredFields: number
  readonly fileBytes: number
  readonly recordBytes: number
  readonly ms: number
}

export type MeterEvent =
  | ({ readonly kind: 'round' } & RoundReport)
  | { readonly kind: 'stalled'; readonly reason: string | undefined }
  | { readonly kind: 'warning'; readonly text: string }
  | { readonly kind: 'upkeep'; readonly report: AfterCommitReport }

export interface MeterTotals {
  readonly records: number
  readonly rows: number
  readonly refused: number
  /** those refused, by the kind of their reason */
  readonly refusedByReason: Readonly<Record<string, number>>
  readonly filtered: number
  readonly ignoredFields: number
  readonly recordBytes: number
  readonly files: number
  readonly fileBytes: number
  readonly commits: number
  readonly losses: number
  /** failed calls and rounds that were tried again, by the status of the answer, else the code of the error */
  readonly retries: Readonly<Record<string, number>>
  /** commits whose outcome stayed unknown, and those of them that were found in the log later */
  readonly unknownOutcomes: number
  readonly unknownOutcomesLanded: number
  readonly checkpoints: number
  readonly upkeepFailures: number
  readonly lastVersion: number | undefined
  readonly lastCommitAt: number | undefined
  readonly stalledReason: string | undefined
}

/** Durations kept for quantiles; older ones are forgotten. */
const KEPT_DURATIONS = 1000

export class Meter {
  readonly id: string
  heldBytes: () => number = () => 0
  /** milliseconds since 1970; undefined where nothing expires */
  credentialsExpireAtMs: () => number | undefined = () => undefined
  private readonly onEvent: (event: MeterEvent) => void
  private readonly counts = {
    ...NOTHING,
    retries: {} as Record<string, number>,
    refusedByReason: {} as Record<string, number>,
  }
  private readonly durations: number[] = []

  constructor(id: string, onEvent: (event: MeterEvent) => void) {
    this.id = id
    this.onEvent = onEvent
  }

  get totals(): MeterTotals {
    return this.counts
  }

  get isStalled(): boolean {
    return this.counts.stalledReason !== undefined
  }

  committed(report: RoundReport): void {
    const { counts } = this
    counts.records += report.rows + report.refused + report.filtered
    counts.rows += report.rows
    counts.refused += report.refused
    counts.filtered += report.filtered
    counts.ignoredFields += report.ignoredFields
    counts.recordBytes += report.recordBytes
    counts.files += report.files
    counts.fileBytes += report.fileBytes
    if (report.version !== undefined) {
      counts.commits++
      counts.lastVersion = report.version
      counts.lastCommitAt = Date.now()
      this.durations[(counts.commits - 1) % KEPT_DURATIONS] = report.ms
    }
    this.onEvent({ kind: 'round', ...report })
  }

  /** @param reasons of each record refused in a round that came to its end */
  refusedFor(reasons: readonly string[]): void {
    const { refusedByReason } = this.counts
    for (const kind of reasons.map(refusalKind)) refusedByReason[kind] = (refusedByReason[kind] ?? 0) + 1
  }

  lost(losses: number): void {
    this.counts.losses += losses
  }

  retried(error: DeltaError): void {
    const { retries } = this.counts
    const { status } = error.details
    const kind = typeof status === 'number' ? String(status) : error.code
    retries[kind] = (retries[kind] ?? 0) + 1
    if (isDeltaError(error, 'LAKE_COMMIT_UNKNOWN')) this.counts.unknownOutcomes++
  }

  /** The log was asked for a commit whose outcome was unknown. */
  unknownSettled(hasLanded: boolean): void {
    if (hasLanded) this.counts.unknownOutcomesLanded++
  }

  stalled(reason: string | undefined): void {
    this.counts.stalledReason = reason
    this.onEvent({ kind: 'stalled', reason })
  }

  warn(text: string): void {
    this.onEvent({ kind: 'warning', text })
  }

  keptUp(report: AfterCommitReport): void {
    if (report.checkpoint !== undefined) this.counts.checkpoints++
    this.counts.upkeepFailures += report.failures.length
    if (report.checkpoint !== undefined || report.deleted > 0 || report.failures.length > 0) {
      this.onEvent({ kind: 'upkeep', report })
    }
  }

  /** Seconds a commit took, of the last ones. */
  quantile(share: number): number {
    const sorted = [...this.durations].sort((a, b) => a - b)
    const at = Math.min(sorted.length - 1, Math.floor(sorted.length * share))
    return (sorted[at] ?? 0) / 1000
  }
}

const NOTHING = {
  records: 0,
  rows: 0,
  refused: 0,
  filtered: 0,
  ignoredFields: 0,
  recordBytes: 0,
  files: 0,
  fileBytes: 0,
  commits: 0,
  losses: 0,
  unknownOutcomes: 0,
  unknownOutcomesLanded: 0,
  checkpoints: 0,
  upkeepFailures: 0,
  lastVersion: undefined as number | undefined,
  lastCommitAt: undefined as number | undefined,
  stalledReason: undefined as string | undefined,
}
