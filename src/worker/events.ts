/** What a worker tells while it runs, and what it leaves when it ends. */
import type { MeterTotals, RoundReport } from './server/meter.ts'

export type WorkerEvent =
  | {
      readonly kind: 'started'
      readonly name: string
      readonly destinations: readonly { readonly id: string; readonly target: string }[]
      /** where it serves metrics, health and http sources, if it does */
      readonly url: string | undefined
    }
  /** a round is in the table and acknowledged */
  | ({ readonly kind: 'commit'; readonly destination: string; readonly version: number } & Omit<RoundReport, 'version'>)
  /** now and then, and at the end: sums since the start */
  | {
      readonly kind: 'progress'
      readonly records: number
      readonly refused: number
      readonly bytes: number
      readonly commits: number
      readonly heldBytes: number
      readonly elapsedMs: number
    }
  /** writing fails and is tried again; `reason` undefined: it works again */
  | { readonly kind: 'stalled'; readonly destination: string; readonly reason: string | undefined }
  | { readonly kind: 'warning'; readonly destination: string; readonly text: string }
  | { readonly kind: 'source-warning'; readonly source: string; readonly text: string }
  | { readonly kind: 'checkpoint'; readonly destination: string; readonly version: number; readonly deleted: number }
  /** a stop was asked for: reading has ended, what is held is being committed */
  | { readonly kind: 'stopping' }

export interface DestinationSummary extends MeterTotals {
  readonly id: string
  readonly target: string
  /** where refused records are, if there are any */
  readonly deadLetterFile: string
}

export interface WorkerSummary {
  readonly name: string
  readonly elapsedMs: number
  readonly destinations: readonly DestinationSummary[]
}
