/** What a worker is and does, as one JSON object: the figures of `/metrics` with what they belong to. */
import type { Meter } from './meter.ts'

/** What does not change while it runs. */
export interface WorkerFacts {
  readonly name: string
  /** milliseconds since 1970 */
  readonly beganAtMs: number
  readonly sources: readonly { readonly id: string; readonly type: string }[]
  readonly routes: readonly { readonly id: string; readonly source: string; readonly destination: string }[]
  /** in the order of the meters */
  readonly destinations: readonly DestinationFacts[]
}

export interface DestinationFacts {
  readonly id: string
  /** where it writes, as a person would say it */
  readonly target: string
  /** bytes of records that it holds at most; null where it holds none */
  readonly bufferBytes: number | null
  readonly deadLetterFile: string
}

/** `GET /status`. Counts are since the start. */
export interface WorkerStatus extends Omit<WorkerFacts, 'destinations'> {
  readonly nowMs: number
  readonly destinations: readonly DestinationStatus[]
}

export interface DestinationStatus extends DestinationFacts {
  readonly status: 'ok' | 'stalled'
  readonly reason: string | null
  readonly records: number
  readonly recordBytes: number
  readonly rows: number
  readonly refused: number
  readonly refusedByReason: Readonly<Record<string, number>>
  readonly filtered: number
  /** bytes of records that wait for their commit */
  readonly heldBytes: number
  readonly files: number
  readonly fileBytes: number
  readonly commits: number
  readonly losses: number
  readonly retries: Readonly<Record<string, number>>
  readonly lastVersion: number | null
  readonly lastCommitAtMs: number | null
  readonly commitSeconds: { readonly p50: number; readonly p99: number }
}

export function workerStatus(facts: WorkerFacts, meters: readonly Meter[], nowMs: number): WorkerStatus {
  const destinations = facts.destinations.map((destination, i) => ({ ...destination, ...statusOf(meters[i]!) }))
  return { ...facts, nowMs, destinations }
}

function statusOf(meter: Meter): Omit<DestinationStatus, keyof DestinationFacts> {
  const { totals } = meter
  return {
    status: meter.isStalled ? 'stalled' : 'ok',
    reason: totals.stalledReason ?? null,
    records: totals.records,
    recordBytes: totals.recordBytes,
    rows: totals.rows,
    refused: totals.refused,
    refusedByReason: totals.refusedByReason,
    filtered: totals.filtered,
    heldBytes: meter.heldBytes(),
    files: totals.files,
    fileBytes: totals.fileBytes,
    commits: totals.commits,
    losses: totals.losses,
    retries: totals.retries,
    lastVersion: totals.lastVersion ?? null,
    lastCommitAtMs: totals.lastCommitAt ?? null,
    commitSeconds: { p50: meter.quantile(0.5), p99: meter.quantile(0.99) },
  }
}
