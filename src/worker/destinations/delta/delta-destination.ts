/** Records into a Delta table: gathered into rounds, written as files, committed with the positions they reach. */
import type { Engine, WrittenFile } from '../../../engine/index.ts'
import { deltaError, isDeltaError } from '../../../errors/index.ts'
import { afterCommit } from '../../../kernel/index.ts'
import type { StructType } from '../../../schema/index.ts'
import type { ObjectStore } from '../../../storage/index.ts'
import { SECOND_MS, Slots } from '../../../support/index.ts'
import type { DeltaDestinationConfig } from '../../config/config.ts'
import { isObject } from '../../config/setting.ts'
import { type DeadLetter, type DeadLetters, deadLetterFileOf, openDeadLetters } from '../../delivery/dead-letters.ts'
import { withExactBytes } from '../../delivery/exact-bytes.ts'
import { Rounds } from '../../delivery/rounds.ts'
import type { Meter } from '../../server/meter.ts'
import type { SourceBatch } from '../../sources/source.ts'
import type { Delivery, Destination } from '../destination.ts'
import { commitRound, findCommitOf, type RoundCommit } from './commit-round.ts'
import { dropWritten } from './drop-written.ts'
import { deleteFiles, type EncodedRound, encodeRound } from './encode-round.ts'
import { type DestinationStorage, openStorage } from './open-storage.ts'
import { probeStore } from './probe-store.ts'
import { DestinationTable, type TableOptions } from './table.ts'
import { checkpointedAt, figuresOf, TableWatch } from './watch-table.ts'

export interface DeltaDestinationOptions {
  readonly config: DeltaDestinationConfig
  /** who the positions belong to, where their source says nothing else */
  readonly owner: string
  /** columns of the record; undefined when no route leads here */
  readonly record: StructType | undefined
  readonly engine: Engine
  readonly env: Readonly<Record<string, string | undefined>>
  readonly meter: Meter
  /** sources whose positions last beyond a run, and who those belong to where several workers share them */
  readonly owners: ReadonlyMap<string, string | undefined>
  /** wraps the store; for tests */
  readonly wrapStore?: (store: ObjectStore) => ObjectStore
}

/** What a round has come to before it is committed. */
interface PreparedRound {
  /** without what the table held already when it was prepared */
  readonly deliveries: readonly Delivery[]
  readonly encoded: EncodedRound
  readonly ms: number
}

/** Files of a round that were sent, whose commit may have landed though no answer came. */
interface SentFiles {
  readonly files: readonly WrittenFile[]
  /** version of the table before the first try */
  readonly since: number
}

export class DeltaDestination implements Destination {
  readonly id: string
  readonly target: string
  readonly deadLetterFile: string
  private readonly options: DeltaDestinationOptions
  private readonly rounds: Rounds<PreparedRound>
  private readonly watch: TableWatch
  private lastCheckpoint: number | undefined
  private storage: DestinationStorage | undefined
  private table: DestinationTable | undefined
  private deadLetters: DeadLetters | undefined
  /** the table's snapshot is moved on by one at a time */
  private readonly turn = new Slots(1)
  private readonly sent = new WeakMap<readonly Delivery[], SentFiles>()
  /** positions this worker has committed */
  private readonly reached = new Map<string, bigint>()
  /** positions of rounds that left no row, for the next commit */
  private readonly pending = new Map<string, { from: bigint; to: bigint }>()

  constructor(options: DeltaDestinationOptions) {
    const { config, meter } = options
    this.id = config.id
    this.target = targetOf(config)
    this.deadLetterFile = deadLetterFileOf(config)
    this.options = options
    this.watch = new TableWatch((text) => meter.warn(text))
    this.rounds = new Rounds({
      intervalMs: config.fileIntervalSecs * SECOND_MS,
      // Rounds hold twice their limit at most: together no more than the buffer.
      limitBytes: config.bufferBytes / 2,
      stallAfterMs: config.stallAfterSecs * SECOND_MS,
      prepare: (round) => saidPlainly(() => this.prepare(round)),
      commit: (round, prepared) => saidPlainly(() => this.commit(round, prepared)),
      // another writer can take back what it did to the table
      isWaitedFor: (error) => error.code.startsWith('WORKER_TABLE_'),
      onRetry: (error) => meter.retried(error),
      onStall: (reason) => meter.stalled(reason),
    })
    meter.heldBytes = () => this.rounds.heldBytes
  }

  async check(): Promise<void> {
    await saidPlainly(async () => DestinationTable.check(await this.open()))
  }

  async start(): Promise<void> {
    const options = await saidPlainly(() => this.open())
    this.table = await saidPlainly(() => DestinationTable.open(options))
    if (this.table.snapshot.configuration.has('delta.setTransactionRetentionDuration')) {
      const text =
        'the table forgets positions after delta.setTransactionRetentionDuration: records may come twice then'
      options.onWarning(text)
    }
    this.deadLetters = await openDeadLetters({
      path: this.deadLetterFile,
      destination: this.id,
      positionOf: (source, partition) =>
        this.options.owners.has(source) ? this.positionOf(source, partition) : undefined,
    })
  }

  /** The table's storage, proved to keep a log; nothing but the proof is written. */
  private async open(): Promise<TableOptions> {
    const { config, env, engine, record, meter, wrapStore = (store) => store } = this.options
    const onWarning = (text: string) => meter.warn(text)
    const storage = await openStorage(config, { env, onRetry: (error) => meter.retried(error), onWarning })
    this.storage = storage
    meter.credentialsExpireAtMs = () => storage.expiresAtMs()
    const store = wrapStore(storage.store)
    await probeStore(store)
    const { partitionBy, compression } = config
    return { store, engine, record, partitionBy, compression, mustExist: storage.mustExist, onWarning }
  }

  async refreshPositions(): Promise<void> {
    await saidPlainly(() => this.turn.run(async () => await this.table!.refresh()))
    this.catchUp()
  }

  /** What another worker has committed in a shared partition is as good as committed here. */
  private catchUp(): void {
    const { transactions } = this.table!.snapshot
    for (const [appId, position] of this.reached) {
      const found = transactions.get(appId)?.version ?? 0n
      if (this.isShared(appId) && found > position) this.reached.set(appId, found)
    }
    for (const [appId, { from, to }] of this.pending) {
      const found = transactions.get(appId)?.version ?? 0n
      if (!this.isShared(appId) || found <= from) continue
      if (found >= to) this.pending.delete(appId)
      else this.pending.set(appId, { from: found, to })
    }
  }

  private isShared(appId: string): boolean {
    return [...this.options.owners].some(
      ([source, owner]) => owner !== undefined && appId.startsWith(this.appId(source, '')),
    )
  }

  positionOf(source: string, partition: string): bigint {
    const appId = this.appId(source, partition)
    return this.reached.get(appId) ?? this.table?.snapshot.transactions.get(appId)?.version ?? 0n
  }

  private appId(source: string, partition: string): string {
    return [this.options.owners.get(source) ?? this.options.owner, this.id, source, partition].join('/')
  }

  async take(delivery: Delivery): Promise<void> {
    const batch = delivery.isReplayable ? this.withoutWritten(delivery) : delivery.batch
    if (batch === undefined) delivery.settle({ kind: 'committed', refused: 0 })
    else await this.rounds.take({ ...delivery, batch })
  }

  /** What the table does not hold yet of a batch that was read for the sake of another destination. */
  private withoutWritten({ source, batch, format }: Delivery): SourceBatch | undefined {
    return dropWritten(batch, this.positionOf(source, batch.partition), format.format)
  }

  boundStalls(): void {
    this.rounds.endStalls()
  }

  async finish(): Promise<void> {
    await this.rounds.finish()
  }

  async close(): Promise<void> {
    await this.deadLetters?.close()
    await this.table?.snapshot.close()
  }

  private async prepare(round: readonly Delivery[]): Promise<PreparedRound> {
    const deliveries = round.flatMap((delivery) => {
      const batch = delivery.isReplayable ? this.withoutWritten(delivery) : delivery.batch
      return batch === undefined ? [] : [{ ...delivery, batch }]
    })
    const { engine, meter } = this.options
    const beganAt = Date.now()
    const onSlow = (reason: string) => meter.warn(`records are decoded one by one: ${reason}`)
    const { rootBytes } = this.storage!
    const encoded = await encodeRound(deliveries, { engine, plan: this.table!.plan, rootBytes, onSlow })
    return { deliveries, encoded, ms: Date.now() - beganAt }
  }

  /** A round is prepared anew, without what others committed of it, as often as they are first. */
  private async commit(round: readonly Delivery[], prepared: PreparedRound): Promise<void> {
    for (let ready = prepared; ; ready = await this.prepare(round)) {
      try {
        return await this.commitPrepared(round, ready)
      } catch (error) {
        const moved = isDeltaError(error, 'WORKER_POSITION_MOVED') && this.isShared(String(error.details.appId))
        if (!moved) throw error
        this.catchUp()
        await deleteFiles(ready.encoded.files, this.table!.plan)
      }
    }
  }

  private async commitPrepared(round: readonly Delivery[], { deliveries, encoded, ms }: PreparedRound): Promise<void> {
    const beganAt = Date.now()
    const table = this.table!
    const { files, refused } = encoded
    await this.deadLetters!.add(withExactBytes(refused, deliveries))
    const positions = this.positionsOf(deliveries)
    const commitFiles = () => this.turn.run(() => this.commitFiles(table, round, { ...encoded, positions }))
    const version = files.length === 0 ? undefined : await commitFiles()
    this.deadLetters!.settle(refused)
    this.remember(positions, version !== undefined)
    this.options.meter.refusedFor(refused.map(({ reason }) => reason))
    this.options.meter.committed({
      version,
      files: files.length,
      rows: encoded.numRows,
      refused: refused.length,
      filtered: encoded.numFiltered,
      ignoredFields: encoded.numIgnoredFields,
      fileBytes: files.reduce((sum, file) => sum + file.size, 0),
      recordBytes: deliveries.reduce((sum, { batch }) => sum + batch.bytes.length, 0),
      ms: ms + Date.now() - beganAt,
    })
    for (const delivery of round) delivery.settle({ kind: 'committed', refused: refusedOf(delivery, refused) })
    if (version !== undefined) await this.keepUp(table, version)
  }

  /** A position is in the table with a commit; that of a round without rows goes into the next one. */
  private remember(positions: RoundCommit['positions'], isCommitted: boolean): void {
    if (isCommitted) this.pending.clear()
    for (const [appId, moved] of positions) {
      if (isCommitted) this.reached.set(appId, moved.to)
      else this.pending.set(appId, moved)
    }
  }

  /** Where each partition stands behind the round, with those of rounds that left nothing to commit. */
  private positionsOf(round: readonly Delivery[]): RoundCommit['positions'] {
    const positions = new Map(this.pending)
    for (const { source, batch, isReplayable } of round) {
      if (!isReplayable) continue
      const appId = this.appId(source, batch.partition)
      const from = positions.get(appId)?.from ?? this.positionOf(source, batch.partition)
      positions.set(appId, { from, to: batch.end })
    }
    return positions
  }

  /** Before anything is sent again, the log is asked whether an earlier try has landed after all. */
  private async commitFiles(table: DestinationTable, round: readonly Delivery[], commit: RoundCommit): Promise<number> {
    const { config, meter } = this.options
    const before = this.sent.get(round)
    const found = before === undefined ? undefined : await findCommitOf(table, before.files, before.since)
    if (before !== undefined) meter.unknownSettled(found !== undefined)
    if (found !== undefined) return found
    if (before === undefined) await table.refresh()
    const since = before?.since ?? table.snapshot.version
    this.sent.set(round, { files: [...(before?.files ?? []), ...commit.files], since })
    try {
      const { version, losses } = await commitRound(table, commit, { settleMs: config.stallAfterSecs * SECOND_MS })
      meter.lost(losses)
      return version
    } catch (error) {
      // what is refused for its place was not sent
      if (before === undefined && isDeltaError(error, 'WORKER_POSITION_MOVED')) this.sent.delete(round)
      throw error
    }
  }

  /** Checkpoint, hint and cleanup: they fail without the commit failing. */
  private async keepUp(table: DestinationTable, version: number): Promise<void> {
    const { meter } = this.options
    const done = await this.turn.take()
    try {
      await table.refresh()
      const { snapshot } = table
      const report = await afterCommit(snapshot, { version: checkpointedAt(snapshot, version, this.lastCheckpoint) })
      meter.keptUp(report)
      this.lastCheckpoint = report.checkpoint ?? this.lastCheckpoint
      this.watch.look(await figuresOf(table.snapshot, this.lastCheckpoint))
    } catch (error) {
      meter.keptUp({ checkpoint: undefined, deleted: 0, failures: [error] })
    } finally {
      done()
    }
  }
}

function refusedOf({ source, batch }: Delivery, refused: readonly DeadLetter[]): number {
  return refused.filter(
    (letter) =>
      letter.source === source &&
      letter.partition === batch.partition &&
      letter.position >= batch.start &&
      letter.position < batch.end,
  ).length
}

function targetOf({ location, unityCatalog }: DeltaDestinationConfig): string {
  return location ?? (isObject(unityCatalog) ? `unity:${String(unityCatalog.table)}` : 'no table')
}

/** Whatever storage denies, the operator reads the same sentence, and behind it what was denied. */
async function saidPlainly<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    if (!isDeltaError(cause, 'LAKE_STORAGE_ACCESS_DENIED')) throw cause
    throw deltaError('WORKER_ACCESS_DENIED', { ...cause.details, denied: cause.message }, { cause })
  }
}
