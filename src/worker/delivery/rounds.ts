/**
 * Batches gathered into rounds: what one commit holds.
 *
 * A round ends when its interval has passed since its first batch, or when its bytes reach the limit. While one round is
 * written the next one gathers, so that reading and encoding run side by side; when that one is full too, `take` waits,
 * and with it the source. No more than two rounds are ever held.
 */
import { causeText, isDeltaError, StorageError } from '../../errors/index.ts'
import { type Clock, delay, SECOND_MS, systemClock } from '../../support/index.ts'
import type { Delivery } from '../destinations/destination.ts'

export interface RoundsOptions {
  readonly intervalMs: number
  readonly limitBytes: number
  /** how long failing is borne when the worker runs once or stops, milliseconds */
  readonly stallAfterMs: number
  /** Writes and commits a round; may be called again with the same one after it failed. */
  readonly write: (round: readonly Delivery[]) => Promise<void>
  /** told at the first failure of a round, and when it is over */
  readonly onStall: (reason: string | undefined) => void
  readonly clock?: Clock
  readonly sleep?: (ms: number, signal?: AbortSignal) => Promise<void>
  readonly random?: () => number
}

const FIRST_DELAY_MS = SECOND_MS
const MAX_DELAY_MS = 30 * SECOND_MS

export class Rounds {
  private readonly options: RoundsOptions
  private gathering: Delivery[] = []
  private gatheredBytes = 0
  private writingBytes = 0
  private writing: Promise<void> | undefined
  private timer: ReturnType<typeof setTimeout> | undefined
  private isDue = false
  private isFinishing = false
  private failure: { error: unknown } | undefined
  private readonly finishing = new AbortController()

  constructor(options: RoundsOptions) {
    this.options = options
  }

  get heldBytes(): number {
    return this.gatheredBytes + this.writingBytes
  }

  /**
   * Takes a batch, once there is room for it.
   *
   * @throws what stopped the destination for good
   */
  async take(delivery: Delivery): Promise<void> {
    const size = delivery.batch.bytes.length
    while (this.gatheredBytes > 0 && this.gatheredBytes + size > this.options.limitBytes) {
      this.throwIfFailed()
      if (this.writing === undefined) this.begin()
      else await this.writing
    }
    this.throwIfFailed()
    this.gathering.push(delivery)
    this.gatheredBytes += size
    if (this.gathering.length === 1) this.startTimer()
    // A full round begins at once: the next batch may be long in coming.
    if (this.gatheredBytes >= this.options.limitBytes && this.writing === undefined) this.begin()
  }

  /** Writes what is held. From the call on failures are borne for `stallAfterMs` only. */
  async finish(): Promise<void> {
    this.endStalls()
    while (this.failure === undefined && (this.writing !== undefined || this.gathering.length > 0)) {
      if (this.writing === undefined) this.begin()
      await this.writing
    }
    this.throwIfFailed()
  }

  /** From now on a round that fails is not tried for ever. */
  endStalls(): void {
    this.isFinishing = true
    this.finishing.abort()
  }

  private throwIfFailed(): void {
    if (this.failure !== undefined) throw this.failure.error
  }

  private startTimer(): void {
    clearTimeout(this.timer)
    this.isDue = false
    this.timer = setTimeout(() => {
      this.isDue = true
      if (this.writing === undefined && this.gathering.length > 0) this.begin()
    }, this.options.intervalMs)
  }

  private begin(): void {
    const round = this.gathering
    this.gathering = []
    this.writingBytes = this.gatheredBytes
    this.gatheredBytes = 0
    clearTimeout(this.timer)
    this.writing = this.writeUntilDone(round)
      .catch((error: unknown) => this.fail(round, error))
      .finally(() => {
        this.writing = undefined
        this.writingBytes = 0
        if (this.failure === undefined && this.isDue && this.gathering.length > 0) this.begin()
      })
  }

  private fail(round: readonly Delivery[], error: unknown): void {
    this.failure = { error }
    clearTimeout(this.timer)
    for (const delivery of [...round, ...this.gathering]) delivery.settle({ kind: 'failed', error })
    this.gathering = []
    this.gatheredBytes = 0
  }

  private async writeUntilDone(round: readonly Delivery[]): Promise<void> {
    const { clock = systemClock, sleep = delay, random = Math.random, write, onStall } = this.options
    let failingSince: number | undefined
    for (let attempt = 1; ; attempt++) {
      try {
        await write(round)
        if (failingSince !== undefined) onStall(undefined)
        return
      } catch (error) {
        failingSince ??= clock.now()
        if (!this.isWorthTrying(error, clock.now() - failingSince)) throw error
        if (attempt === 1) onStall(causeText(error))
        const longest = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (attempt - 1))
        await sleep(longest * (0.5 + random() / 2), this.isFinishing ? undefined : this.finishing.signal)
      }
    }
  }

  /**
   * A store that fails may be repaired: a running worker waits for that. One that runs once, or stops, waits only for
   * what can pass by itself, and not for ever.
   */
  private isWorthTrying(error: unknown, failingMs: number): boolean {
    if (!isDeltaError(error)) return false
    if (this.isFinishing) return error.retryable && failingMs < this.options.stallAfterMs
    return error.retryable || error instanceof StorageError
  }
}
