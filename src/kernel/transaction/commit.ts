/**
 * The commit loop: put the next version if it is absent, settle what the store's answer left open, check the winners,
 * go on behind them.
 *
 * Every answer but a plain `created` is looked at: an `exists` may be our own first try that a client library hid, an
 * error may have had its effect. Nothing is sent again before the log was read. Source: Delta protocol, "Delta Log
 * Entries"; `delta-protocol`, committing.
 */
import {
  ConflictError,
  causeText,
  type DeltaError,
  deltaError,
  isDeltaError,
  UnsupportedError,
} from '../../errors/index.ts'
import { type Clock, delay, encodeUtf8, systemClock, throwIfAborted } from '../../support/index.ts'
import type { Commit, Metadata, Protocol } from '../actions/actions.ts'
import { printActions } from '../actions/print.ts'
import { KnownCommits, readKnownCommit, WarningList } from '../log/index.ts'
import { commitKey } from '../paths/index.ts'
import { ROW_TRACKING_DOMAIN, rowIdHighWaterMark } from '../row-tracking/row-ids.ts'
import { checkConflict } from './conflict.ts'
import { prepareActions } from './prepare-actions.ts'
import { settleRows } from './row-level.ts'
import { type Settlement, settle } from './settle.ts'
import type { Transaction } from './transaction.ts'
import { commitsFrom } from './winners.ts'

export interface CommitOptions {
  readonly signal?: AbortSignal
  readonly clock?: Clock
  /** real losses to other writers before giving up; 1,000 when absent */
  readonly maxLosses?: number
  /**
   * Looks at each commit that was first, beyond the rules of conflicts: a writer may know less than this package does.
   *
   * @throws ConflictError, UnsupportedError why it cannot be lived with; it becomes the conflict of the outcome
   */
  readonly checkWinner?: (winner: Commit) => void
  /** milliseconds to keep asking about a commit whose answer was lost; 60,000 when absent */
  readonly settleMs?: number
  /** milliseconds before the second try, doubled from loss to loss and spread by chance; 10 when absent */
  readonly firstDelayMs?: number
  /** told of each object put for the commit itself, which is the caller's to delete where the commit fails */
  readonly onWritten?: (key: string) => void
  /** 0 to 1; for tests */
  readonly random?: () => number
}

export type CommitOutcome =
  | {
      readonly kind: 'committed'
      readonly version: number
      /** the commit's own time, milliseconds */
      readonly timestampMs: number
      /** versions lost to others on the way */
      readonly losses: number
      /** texts of this commit and of those it lost to, which need not be read again */
      readonly known: KnownCommits
    }
  /** another commit made this one impossible; running the operation again on a newer snapshot is the cure */
  | { readonly kind: 'conflict'; readonly winner: number; readonly error: DeltaError; readonly losses: number }
  /** whether `version` is ours could not be found out in time; sending it again could write the rows twice */
  | { readonly kind: 'unknown'; readonly version: number; readonly path: string; readonly cause: unknown }

/** What the next commit stands on: the snapshot, then each winner in turn. */
export interface CommitGround {
  readonly version: number
  readonly protocol: Protocol | undefined
  readonly metadata: Metadata | undefined
  /** time of the commit at `version`, milliseconds; 0 before the first */
  readonly timestampMs: number
  /** the highest row id given out */
  readonly rowIdHighWaterMark: bigint
}

/** How things stand behind a winner. */
export interface Rebased {
  readonly ground: CommitGround
  /** the transaction with what it takes over from the winner */
  readonly transaction: Transaction
}

/** A loser that waits long loses again: whoever does not wait is ahead of it. */
const LONGEST_AFTER_LOSS_MS = 60
const LONGEST_AFTER_FAILURE_MS = 2000

/** The version of a commit, or the error that tells why there is none. */
export function requireCommitted(outcome: CommitOutcome): number {
  if (outcome.kind === 'committed') return outcome.version
  if (outcome.kind === 'conflict') throw outcome.error
  const { version, path, cause } = outcome
  throw deltaError('LAKE_COMMIT_UNKNOWN', { version, path, cause: causeText(cause) }, { cause })
}

export async function commitTransaction(transaction: Transaction, options: CommitOptions): Promise<CommitOutcome> {
  return new CommitLoop(transaction, options).run()
}

interface OwnCommit {
  readonly version: number
  readonly bytes: Uint8Array
  readonly timestampMs: number
}

class CommitLoop {
  private transaction: Transaction
  private readonly options: CommitOptions
  private readonly clock: Clock
  private readonly txnId = crypto.randomUUID()
  private ground: CommitGround
  private readonly known = new KnownCommits()
  private losses = 0
  private failures = 0
  /** whether something sent to the version at hand was neither answered nor found */
  private mayStillArrive = false

  constructor(transaction: Transaction, options: CommitOptions) {
    const { snapshot } = transaction.base
    this.transaction = transaction
    this.options = options
    this.clock = options.clock ?? systemClock
    this.ground = {
      version: snapshot?.version ?? -1,
      protocol: snapshot?.protocol,
      metadata: snapshot?.metadata,
      timestampMs: snapshot?.timestampMs ?? 0,
      rowIdHighWaterMark: rowIdHighWaterMark(snapshot?.domains.get(ROW_TRACKING_DOMAIN)),
    }
  }

  private get told(): { onWritten?: (key: string) => void } {
    const { onWritten } = this.options
    return onWritten === undefined ? {} : { onWritten }
  }

  private get callOptions(): { signal?: AbortSignal } {
    return this.options.signal === undefined ? {} : { signal: this.options.signal }
  }

  async run(): Promise<CommitOutcome> {
    for (;;) {
      const outcome = await this.tryVersion(this.ground.version + 1)
      if (outcome !== undefined) return outcome
    }
  }

  /** The same bytes until the version is ours, another's, or left open. */
  private async tryVersion(version: number): Promise<CommitOutcome | undefined> {
    const context = { txnId: this.txnId, nowMs: this.clock.now() }
    const { actions, timestampMs } = prepareActions(this.transaction, this.ground, context)
    const bytes = encodeUtf8(printActions(actions))
    for (;;) {
      if (!this.mayStillArrive) throwIfAborted(this.options.signal, 'the commit')
      const settlement = await this.put(version, bytes)
      if (settlement.kind === 'ours') return this.committed({ version, bytes, timestampMs })
      if (settlement.kind === 'unknown') return this.unknown(version, settlement.cause)
      if (settlement.kind === 'theirs') return this.takeLoss(version)
    }
  }

  private committed({ version, bytes, timestampMs }: OwnCommit): CommitOutcome {
    const { known, losses } = this
    known.add({ version, bytes, modifiedMs: undefined })
    return { kind: 'committed', version, timestampMs, losses, known }
  }

  private unknown(version: number, cause: unknown): CommitOutcome {
    return { kind: 'unknown', version, path: this.transaction.base.store.location, cause }
  }

  private async put(version: number, bytes: Uint8Array): Promise<Settlement> {
    const { store } = this.transaction.base
    const key = commitKey(version)
    const ask = { store, key, bytes, txnId: this.txnId, ...this.options }
    try {
      if ((await store.putIfAbsent(key, bytes, this.callOptions)) === 'created') return { kind: 'ours' }
    } catch (error) {
      return this.afterFailure(error, await settle({ ...ask, cause: error }))
    }
    return settle({ ...ask, cause: undefined })
  }

  /**
   * A refusal that had no effect is the caller's to know; a passing fault is met by sending again. A fault that goes on
   * leaves the end open: what was sent may still arrive, so the caller must keep the files it names.
   */
  private async afterFailure(error: unknown, settlement: Settlement): Promise<Settlement> {
    const isSettled = settlement.kind === 'ours' || settlement.kind === 'theirs'
    if (isRefusal(error) && !isSettled && !this.mayStillArrive) throw error
    if (settlement.kind !== 'absent') return settlement
    this.failures++
    this.mayStillArrive = true
    if (!isDeltaError(error) || !error.retryable || this.failures > MAX_FAILURES)
      return { kind: 'unknown', cause: error }
    await this.backOff(this.failures, LONGEST_AFTER_FAILURE_MS)
    return settlement
  }

  /** @returns the end of the transaction where a winner leaves no way on */
  private async takeLoss(lost: number): Promise<CommitOutcome | undefined> {
    const { store, snapshot } = this.transaction.base
    this.losses++
    this.mayStillArrive = false
    if (snapshot === undefined)
      return this.conflict(lost, deltaError('DELTA_TABLE_ALREADY_EXISTS', { path: store.location }))
    const { known } = this
    for (const file of await commitsFrom(store, lost, { known, ...this.callOptions })) {
      const winner = await readKnownCommit(store, file, { known, warnings: new WarningList(), ...this.callOptions })
      try {
        this.options.checkWinner?.(winner)
        const settled = await settleRows(this.transaction, winner, { ...this.callOptions, ...this.told })
        const { ground, transaction } = checkConflict(settled.transaction, this.ground, winner, settled.passed)
        this.ground = ground
        this.transaction = transaction
      } catch (error) {
        if (!(error instanceof ConflictError || error instanceof UnsupportedError)) throw error
        return this.conflict(file.version, error)
      }
    }
    if (this.losses >= (this.options.maxLosses ?? 1000)) return this.giveUp()
    if (this.losses > 1) await this.backOff(this.losses - 1, LONGEST_AFTER_LOSS_MS)
    return undefined
  }

  private conflict(winner: number, error: DeltaError): CommitOutcome {
    return { kind: 'conflict', winner, error, losses: this.losses }
  }

  private giveUp(): CommitOutcome {
    const details = { path: this.transaction.base.store.location, losses: this.losses, version: this.ground.version }
    return this.conflict(this.ground.version, deltaError('DELTA_MAX_COMMIT_RETRIES_EXCEEDED', details))
  }

  private async backOff(attempt: number, longestMs: number): Promise<void> {
    const { firstDelayMs = 10, random = Math.random, signal } = this.options
    const longest = Math.min(longestMs, firstDelayMs * 2 ** Math.min(attempt - 1, 10))
    await delay(longest * random(), signal)
  }
}

/** Passing faults of the store met in one commit before its end is left open. */
const MAX_FAILURES = 8

/** Errors of a store that did nothing. */
function isRefusal(error: unknown): boolean {
  return isDeltaError(
    error,
    'LAKE_INVALID_KEY',
    'LAKE_STORAGE_ACCESS_DENIED',
    'LAKE_STORAGE_FULL',
    'LAKE_STORAGE_READ_ONLY',
    'LAKE_STORAGE_UNSUPPORTED',
  )
}
