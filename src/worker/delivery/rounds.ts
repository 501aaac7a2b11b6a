/**
 * Batches gathered into rounds: what one commit holds.
 *
 * A round ends when its interval has passed since its first batch, or when its bytes reach the limit. Two rounds may be
 * prepared at a time while the next one gathers, so that reading, encoding and storing run side by side; they are
 * committed one after the other, in order. The records held never pass twice the limit by more than one batch: then
 * `take` waits, and with it the source.
 */
import { causeText, type DeltaError, isDeltaError, StorageError } from '../../errors/index.ts'
import { type Clock, delay, SECOND_MS, systemClock } from '../../support/index.ts'
import type { Delivery } from '../destinations/destination.ts'

export interface RoundsOptions<P> {
  readonly intervalMs: number
  readonly limitBytes: number
  /**
   * How long commits of one preparation are tried before the round is prepared anew, and how long failing is borne when
   * the worker runs once or stops; milliseconds.
   */
  readonly stallAfterMs: number
  /** Makes a round ready; several at a time. */
  readonly prepare: (round: readonly Delivery[]) => Promise<P>
  /** Commits and acknowledges it; one at a time, in order. May be called again with the same one after it failed. */
  readonly commit: (round: readonly Delivery[], prepared: P) => Promise<void>
  /** failures that others can undo, though the same call fails again: they are waited out like those of a store */
  readonly isWaitedFor?: (error: DeltaError) => boolean
  /** told of each failure that is met by another try */
  readonly onRetry?: (error: DeltaError) => void
  /** told at the first failure of a round, and when it is over */
  readonly onStall: (reason: string | undefined) => void
  readonly clock?: Clock
  readonly sleep?: (ms: number, signal?: AbortSignal) => Promise<void>
  readonly random?: () => number
}

const FIRST_DELAY_MS = SECOND_MS
const MAX_DELAY_MS = 30 * SECOND_MS
const MAX_UNDER_WAY = 2

export class Rounds<P> {
  private readonly options: RoundsOptions<P>
  private gathering: Delivery[] = []
  private gatheredBytes = 0
  private underWayBytes = 0
  /** the ends of the rounds under way, in order */
  private readonly underWay: Promise<void>[] = []
  private timer: ReturnType<typeof setTimeout> | undefined
  private isDue = false
  private isFinishing = false
  private failure: { error: unknown } | undefined
  private readonly finishing = new AbortController()

  constructor(options: RoundsOptions<P>) {
    this.options = options
  }

  get heldBytes(): number {
    return this.gatheredBytes + this.underWayBytes
  }

  /**
   * Takes a batch, once there is room for it.
   *
   * @throws what stopped the destination for good
   */
  async take(delivery: Delivery): Promise<void> {
    const { limitBytes } = this.options
    const size = delivery.batch.bytes.length
    this.throwIfFailed()
    if (this.gatheredBytes > 0 && this.gatheredBytes + size > limitBytes) await this.beginWhenPossible()
    while (this.underWay.length > 0 && this.heldBytes + size > 2 * limitBytes) await this.firstUnderWay()
    this.throwIfFailed()
    this.gathering.push(delivery)
    this.gatheredBytes += size
    if (this.gathering.length === 1) this.startTimer()
    // A full round begins at once: the next batch may be long in coming.
    if (this.gatheredBytes >= limitBytes && this.canBegin()) this.begin()
  }

  /** Commits what is held. From the call on failures are borne for `stallAfterMs` only. */
  async finish(): Promise<void> {
    this.endStalls()
    while (this.failure === undefined && (this.underWay.length > 0 || this.gathering.length > 0)) {
      if (this.gathering.length > 0 && this.canBegin()) this.begin()
      else await this.firstUnderWay()
    }
    this.throwIfFailed()
  }

  /** From now on a round that fails is not tried for ever. */
  endStalls(): void {
    this.isFinishing = true
    this.finishing.abort()
  }

  private async beginWhenPossible(): Promise<void> {
    while (!this.canBegin()) await this.firstUnderWay()
    this.throwIfFailed()
    if (this.gathering.length > 0) this.begin()
  }

  private canBegin(): boolean {
    return this.underWay.length < MAX_UNDER_WAY
  }

  private async firstUnderWay(): Promise<void> {
    await this.underWay[0]
  }

  private throwIfFailed(): void {
    if (this.failure !== undefined) throw this.failure.error
  }

  private startTimer(): void {
    clearTimeout(this.timer)
    this.isDue = false
    this.timer = setTimeout(() => {
      this.isDue = true
      this.beginIfDue()
    }, this.options.intervalMs)
  }

  private beginIfDue(): void {
    if (this.failure === undefined && this.isDue && this.gathering.length > 0 && this.canBegin()) this.begin()
  }

  private begin(): void {
    const round = this.gathering
    const bytes = this.gatheredBytes
    this.gathering = []
    this.gatheredBytes = 0
    this.underWayBytes += bytes
    clearTimeout(this.timer)
    const before = this.underWay.at(-1)
    const end = this.carryThrough(round, before)
      .catch((error: unknown) => this.fail(round, error))
      .finally(() => {
        this.underWay.shift()
        this.underWayBytes -= bytes
        this.beginIfDue()
      })
    this.underWay.push(end)
  }

  private fail(round: readonly Delivery[], error: unknown): void {
    this.failure ??= { error }
    clearTimeout(this.timer)
    for (const delivery of [...round, ...this.gathering]) delivery.settle({ kind: 'failed', error: this.failure.error })
    this.gathering = []
    this.gatheredBytes = 0
  }

  /** @param before the end of the round before, which is to be committed first */
  private async carryThrough(round: readonly Delivery[], before: Promise<void> | undefined): Promise<void> {
    const { clock = systemClock, sleep = delay, random = Math.random, onStall } = this.options
    let ready: { readonly prepared: P; readonly at: number } | undefined
    let failingSince: number | undefined
    for (let attempt = 1; ; attempt++) {
      try {
        ready ??= { prepared: await this.options.prepare(round), at: clock.now() }
        await before
        this.throwIfFailed()
        await this.options.commit(round, ready.prepared)
        if (failingSince !== undefined) onStall(undefined)
        return
      } catch (error) {
        failingSince ??= clock.now()
        if (!this.isWorthTrying(error, clock.now() - failingSince)) throw error
        this.options.onRetry?.(error)
        if (attempt === 1) onStall(causeText(error))
        const longest = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (attempt - 1))
        await sleep(longest * (0.5 + random() / 2), this.isFinishing ? undefined : this.finishing.signal)
        if (ready !== undefined && clock.now() - ready.at >= this.options.stallAfterMs) ready = undefined
      }
    }
  }

  /**
   * A store that fails may be repaired: a running worker waits for that. One that runs once, or stops, waits only for
   * what can pass by itself, and not for ever.
   */
  private isWorthTrying(error: unknown, failingMs: number): error is DeltaError {
    if (this.failure !== undefined || !isDeltaError(error)) return false
    const canPass = error.retryable || this.options.isWaitedFor?.(error) === true
    if (this.isFinishing) return canPass && failingMs < this.options.stallAfterMs
    return canPass || error instanceof StorageError
  }
}
