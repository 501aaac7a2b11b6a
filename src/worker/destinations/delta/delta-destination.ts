/** Records into a Delta table: gathered into rounds, written as files, committed with the positions they reach. */
import { openLocation } from '../../../catalog/index.ts'
import type { Engine } from '../../../engine/index.ts'
import { deltaError } from '../../../errors/index.ts'
import { afterCommit } from '../../../kernel/index.ts'
import type { StructType } from '../../../schema/index.ts'
import { type ObjectStore, retrying } from '../../../storage/index.ts'
import { SECOND_MS } from '../../../support/index.ts'
import type { DeltaDestinationConfig } from '../../config/config.ts'
import { isObject } from '../../config/setting.ts'
import { type DeadLetter, type DeadLetters, deadLetterFileOf, openDeadLetters } from '../../delivery/dead-letters.ts'
import { Rounds } from '../../delivery/rounds.ts'
import type { Meter } from '../../server/meter.ts'
import type { SourceBatch } from '../../sources/source.ts'
import type { Delivery, Destination } from '../destination.ts'
import { commitRound, findCommitOf, type RoundCommit } from './commit-round.ts'
import { dropWritten } from './drop-written.ts'
import { type EncodedRound, encodeRound } from './encode-round.ts'
import { DestinationTable, type TableOptions } from './table.ts'

export interface DeltaDestinationOptions {
  readonly config: DeltaDestinationConfig
  /** who the positions belong to */
  readonly owner: string
  /** columns of the record; undefined when no route leads here */
  readonly record: StructType | undefined
  readonly engine: Engine
  readonly env: Readonly<Record<string, string | undefined>>
  readonly meter: Meter
  /** sources whose positions last beyond a run */
  readonly replayable: ReadonlySet<string>
  /** wraps the store; for tests */
  readonly wrapStore?: (store: ObjectStore) => ObjectStore
}

/** What a round has come to before it is committed; kept while the commit is tried. */
interface Attempt {
  readonly round: readonly Delivery[]
  readonly encoded: EncodedRound
  readonly commit: RoundCommit
  readonly since: number
  readonly beganAt: number
}

export class DeltaDestination implements Destination {
  readonly id: string
  readonly target: string
  readonly deadLetterFile: string
  private readonly options: DeltaDestinationOptions
  private readonly rounds: Rounds
  private table: DestinationTable | undefined
  private deadLetters: DeadLetters | undefined
  private attempt: Attempt | undefined
  /** positions of rounds that left no row, for the next commit */
  private readonly pending = new Map<string, { from: bigint; to: bigint }>()

  constructor(options: DeltaDestinationOptions) {
    const { config, meter } = options
    this.id = config.id
    this.target = config.location ?? 'unityCatalog'
    this.deadLetterFile = deadLetterFileOf(config)
    this.options = options
    this.rounds = new Rounds({
      intervalMs: config.fileIntervalSecs * SECOND_MS,
      limitBytes: config.bufferBytes,
      stallAfterMs: config.stallAfterSecs * SECOND_MS,
      write: (round) => this.write(round),
      onStall: (reason) => meter.stalled(reason),
    })
    meter.heldBytes = () => this.rounds.heldBytes
  }

  async check(): Promise<void> {
    await DestinationTable.check(this.tableOptions())
  }

  async start(): Promise<void> {
    const options = this.tableOptions()
    const { onWarning } = options
    this.table = await DestinationTable.open(options)
    if (this.table.snapshot.configuration.has('delta.setTransactionRetentionDuration')) {
      onWarning('the table forgets positions after delta.setTransactionRetentionDuration: records may come twice then')
    }
    this.deadLetters = await openDeadLetters({
      path: this.deadLetterFile,
      destination: this.id,
      positionOf: (source, partition) =>
        this.options.replayable.has(source) ? this.positionOf(source, partition) : undefined,
    })
  }

  private tableOptions(): TableOptions {
    const { config, env, engine, record, meter, wrapStore = (store) => store } = this.options
    checkCredentials(config, env)
    const store = wrapStore(retrying(openLocation(folderOf(config))))
    const { partitionBy, compression } = config
    return { store, engine, record, partitionBy, compression, onWarning: (text) => meter.warn(text) }
  }

  positionOf(source: string, partition: string): bigint {
    return this.table?.snapshot.transactions.get(this.appId(source, partition))?.version ?? 0n
  }

  private appId(source: string, partition: string): string {
    return [this.options.owner, this.id, source, partition].join('/')
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

  private async write(round: readonly Delivery[]): Promise<void> {
    const beganAt = Date.now()
    const table = this.table!
    const attempt = await this.prepare(round)
    const { encoded, commit } = attempt
    await this.deadLetters!.add(encoded.refused)
    const version = encoded.files.length === 0 ? undefined : await this.commit(table, attempt)
    this.attempt = undefined
    this.deadLetters!.settle(encoded.refused)
    if (version === undefined) for (const [appId, moved] of commit.positions) this.pending.set(appId, moved)
    else this.pending.clear()
    this.options.meter.committed({
      version,
      files: encoded.files.length,
      rows: encoded.numRows,
      refused: encoded.refused.length,
      filtered: encoded.numFiltered,
      fileBytes: encoded.files.reduce((sum, file) => sum + file.size, 0),
      recordBytes: round.reduce((sum, { batch }) => sum + batch.bytes.length, 0),
      ms: Date.now() - beganAt,
    })
    for (const delivery of round) delivery.settle({ kind: 'committed', refused: refusedOf(delivery, encoded.refused) })
    if (version !== undefined) await this.keepUp(table, version)
  }

  /** Files of the round: those of the try before, where that one failed a short while ago. */
  private async prepare(round: readonly Delivery[]): Promise<Attempt> {
    const { config, engine, meter } = this.options
    const table = this.table!
    const last = this.attempt
    if (last?.round === round && Date.now() - last.beganAt < config.stallAfterSecs * SECOND_MS) return last
    if (last?.round !== round) await table.refresh()
    const onSlow = (reason: string) => meter.warn(`records are decoded one by one: ${reason}`)
    const encoded = await encodeRound(round, { engine, plan: table.plan, onSlow })
    const commit = { files: encoded.files, positions: this.positionsOf(round), numRows: encoded.numRows }
    this.attempt = { round, encoded, commit, since: table.snapshot.version, beganAt: Date.now() }
    return this.attempt
  }

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

  private async commit(table: DestinationTable, attempt: Attempt): Promise<number> {
    const { config, meter } = this.options
    const isSecondTry = table.snapshot.version > attempt.since || meter.isStalled
    const found = isSecondTry ? await findCommitOf(table, attempt.encoded.files, attempt.since) : undefined
    if (found !== undefined) return found
    const settleMs = config.stallAfterSecs * SECOND_MS
    const { version, losses } = await commitRound(table, attempt.commit, { settleMs })
    meter.lost(losses)
    return version
  }

  /** Checkpoint, hint and cleanup: they fail without the commit failing. */
  private async keepUp(table: DestinationTable, version: number): Promise<void> {
    const { meter } = this.options
    try {
      await table.refresh()
      const report = await afterCommit(table.snapshot, { version })
      meter.keptUp(report)
    } catch (error) {
      meter.keptUp({ checkpoint: undefined, deleted: 0, failures: [error] })
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

/** Credentials are looked for before anything else, whatever the table is. */
function checkCredentials(config: DeltaDestinationConfig, env: DeltaDestinationOptions['env']): void {
  const unity = isObject(config.unityCatalog) ? config.unityCatalog.clientSecret : undefined
  const named: readonly (readonly [what: string, name: unknown])[] = [
    ['access key', config.accessKeyId],
    ['access key', config.secretAccessKey],
    ['session token', config.sessionToken],
    ['client secret', unity],
  ]
  for (const [what, name] of named) {
    if (typeof name === 'string' && env[name] === undefined)
      throw deltaError('WORKER_CREDENTIAL_MISSING', { what, name })
  }
}

function folderOf(config: DeltaDestinationConfig): string {
  const { location, unityCatalog } = config
  if (location !== undefined && !/^(s3|az):/i.test(location)) return location
  const table = location ?? (isObject(unityCatalog) ? `unityCatalog ${String(unityCatalog.table)}` : 'none')
  throw deltaError('WORKER_LOCATION_UNSUPPORTED', { location: table })
}
