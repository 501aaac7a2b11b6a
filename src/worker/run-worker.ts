/**
 * A worker: sources feed destinations by their routes until they end, or until it is told to stop.
 *
 * A batch is told its outcome when all of its destinations have it. Nothing is acknowledged before, so that stopping at
 * any moment, in any way, loses nothing that can be given again.
 */
import { availableParallelism } from 'node:os'
import type { Logger } from 'pino'
import { duckdbEngine } from '../engine/duckdb/index.ts'
import type { Engine } from '../engine/index.ts'
import { causeText, type DeltaError, deltaError, isDeltaError } from '../errors/index.ts'
import type { ObjectStore } from '../storage/index.ts'
import type { SourceConfig, WorkerConfig } from './config/config.ts'
import type { Destination } from './destinations/destination.ts'
import { openDestination } from './destinations/open-destination.ts'
import type { WorkerEvent, WorkerSummary } from './events.ts'
import { wireFormat } from './records/line-formats/translate.ts'
import type { Route } from './routes/route.ts'
import { credentialLookup } from './secrets.ts'
import { Meter, type MeterEvent } from './server/meter.ts'
import type { WorkerFacts } from './server/status.ts'
import type { WorkerServer } from './server/worker-server.ts'
import { isHttpSource, openSource } from './sources/open-source.ts'
import type { BatchOutcome, Source, SourceBatch } from './sources/source.ts'

export interface RunOptions {
  /** aborted: a clean stop. Reading ends, what is held is committed and acknowledged, then the promise resolves */
  readonly signal?: AbortSignal
  /** stop when every bounded source is drained and committed; a failure that does not pass by itself ends the run */
  readonly once?: boolean
  readonly onEvent?: (event: WorkerEvent) => void
  readonly log?: Logger
  /** where credentials are looked for; the process's own when absent */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** standard input */
  readonly input?: AsyncIterable<Uint8Array>
  /** standard output */
  readonly print?: (text: string) => Promise<void>
  /** closed by the caller; one of its own when absent */
  readonly engine?: Engine
  /** for tests: a layer around the store of every table */
  readonly wrapStore?: (store: ObjectStore) => ObjectStore
}

const PROGRESS_MS = 500

/**
 * What the engine of a worker may take, as DuckDB reads it: enough for the two rounds under way of each table, and no
 * more, so that a worker with the default buffer stays under 1 GB.
 */
export function memoryLimitOf({ destinations }: WorkerConfig): string {
  const tables = destinations.filter(({ type }) => type === 'delta')
  const bufferMiB = tables.reduce((sum, { bufferBytes }) => sum + bufferBytes / 2 ** 20, 0)
  return `${Math.ceil(192 + bufferMiB)}MiB`
}

/**
 * Threads of the engine of a worker. The two rounds under way bring one each, and the engine adds those beyond the first:
 * more than there are cores would only wait for each other, which DuckDB does by spinning.
 */
export function workerThreads(cores: number = availableParallelism()): number {
  return Math.max(1, cores - 1)
}

/**
 * Runs a worker to its end.
 *
 * @throws DeltaError why it refuses to start, before any record is read; what stopped it later
 */
export async function runWorker(config: WorkerConfig, options: RunOptions = {}): Promise<WorkerSummary> {
  const worker = new Worker(config, options)
  try {
    await worker.start()
    await worker.run()
    return worker.summary()
  } finally {
    await worker.close()
  }
}

/**
 * Makes the checks that `runWorker` makes before it reads, and writes nothing.
 *
 * @returns the reasons not to start, one a destination at most; none: it would start
 */
export async function checkWorker(config: WorkerConfig, options: RunOptions = {}): Promise<readonly DeltaError[]> {
  const worker = new Worker(config, options)
  try {
    return await worker.check()
  } finally {
    await worker.close()
  }
}

interface Target {
  readonly destination: Destination
  readonly routes: readonly Route[]
}

class Worker {
  private readonly config: WorkerConfig
  private readonly options: RunOptions
  private readonly engine: Engine
  private readonly meters: readonly Meter[]
  private readonly destinations: readonly Destination[]
  private readonly sources: readonly { readonly config: SourceConfig; readonly source: Source }[]
  private readonly stop = new AbortController()
  private readonly beganAt = Date.now()
  private server: WorkerServer | undefined

  constructor(config: WorkerConfig, options: RunOptions) {
    this.config = config
    this.options = options
    this.engine = options.engine ?? duckdbEngine({ memoryLimit: memoryLimitOf(config), threads: workerThreads() })
    this.meters = config.destinations.map(({ id }) => new Meter(id, (event) => this.tell(id, event)))
    const lookup = credentialLookup(options.env ?? process.env)
    this.sources = config.sources.map((source) => ({
      config: source,
      source: openSource(source, { input: options.input ?? process.stdin, lookup }),
    }))
    const replayable = this.sources.filter(({ source }) => source.isReplayable)
    const owners = new Map(replayable.map(({ source }) => [source.id, source.owner]))
    const { engine } = this
    const { env = process.env, print = printToStdout, wrapStore } = options
    const shared = {
      owner: config.name,
      engine,
      env,
      print,
      owners,
      ...(wrapStore === undefined ? {} : { wrapStore }),
    }
    this.destinations = config.destinations.map((destination, i) => {
      const record = config.routes.find((route) => route.destination === destination.id)?.outputSchema
      return openDestination(destination, { ...shared, record, meter: this.meters[i]! })
    })
  }

  async check(): Promise<readonly DeltaError[]> {
    const faults: DeltaError[] = []
    for (const destination of this.destinations) {
      await atDestination(destination, () => destination.check()).catch((error: unknown) => {
        if (!isDeltaError(error)) throw error
        faults.push(error)
      })
    }
    return faults
  }

  async start(): Promise<void> {
    for (const destination of this.destinations) await atDestination(destination, () => destination.start())
    const posted = this.sources.map(({ source }) => source).filter(isHttpSource)
    const { server, name } = this.config
    if (server !== undefined) {
      // loaded only where it is asked for
      const { startServer } = await import('./server/worker-server.ts')
      this.server = await startServer(server, this.meters, posted, this.facts())
    }
    const destinations = this.destinations.map(({ id, target }) => ({ id, target }))
    this.emit({ kind: 'started', name, destinations, url: this.server?.url })
  }

  async run(): Promise<void> {
    const { signal, once = false } = this.options
    const stop = () => {
      if (this.stop.signal.aborted) return
      this.emit({ kind: 'stopping' })
      this.endReading()
    }
    signal?.addEventListener('abort', stop, { once: true })
    if (signal?.aborted) stop()
    if (once) for (const destination of this.destinations) destination.boundStalls()
    const progress = setInterval(() => this.emitProgress(), PROGRESS_MS)
    try {
      await this.feedAll(once)
      for (const destination of this.destinations) await atDestination(destination, () => destination.finish())
      this.emitProgress()
    } finally {
      clearInterval(progress)
      signal?.removeEventListener('abort', stop)
    }
  }

  private facts(): WorkerFacts {
    const { name, sources, routes, destinations } = this.config
    return {
      name,
      beganAtMs: this.beganAt,
      sources: sources.map(({ id, type }) => ({ id, type })),
      routes: routes.map(({ id, source, destination }) => ({ id, source, destination })),
      destinations: this.destinations.map(({ id, target, deadLetterFile }, i) => {
        const config = destinations[i]!
        return { id, target, deadLetterFile, bufferBytes: 'bufferBytes' in config ? config.bufferBytes : null }
      }),
    }
  }

  private endReading(): void {
    for (const destination of this.destinations) destination.boundStalls()
    this.stop.abort()
  }

  /** Once: when the sources that have an end reached it, the others are stopped. */
  private async feedAll(once: boolean): Promise<void> {
    const failures: unknown[] = []
    const feed = (entry: (typeof this.sources)[number]) =>
      this.feed(entry.config, entry.source).catch((error: unknown) => {
        failures.push(error)
        this.endReading()
      })
    const hasEnd = ({ config }: (typeof this.sources)[number]) => !['http', 'otlp', 'syslog'].includes(config.type)
    const bounded = this.sources.filter(hasEnd).map(feed)
    const unbounded = this.sources.filter((entry) => !hasEnd(entry)).map(feed)
    await Promise.all(bounded)
    if (once) this.endReading()
    await Promise.all(unbounded)
    if (failures.length > 0) {
      // What was taken before the failure is still brought to its end.
      await Promise.allSettled(this.destinations.map((destination) => destination.finish()))
      throw failures[0]
    }
  }

  private async feed(config: SourceConfig, source: Source): Promise<void> {
    const targets = this.targetsOf(source.id)
    if (targets.length === 0) return
    const positionOf = (partition: string) => lowest(targets.map((t) => t.destination.positionOf(source.id, partition)))
    const refreshPositions = async () => {
      for (const { destination } of targets) await atDestination(destination, () => destination.refreshPositions())
    }
    const { delimiter, nullText, format } = config
    const { once = false } = this.options
    const onWarning = (text: string) => this.emit({ kind: 'source-warning', source: source.id, text })
    const { signal } = this.stop
    for await (const batch of source.open({ positionOf, refreshPositions, once, signal, onWarning })) {
      const settle = settleAfter(targets.length, batch)
      const delivery = {
        source: source.id,
        format: { format: wireFormat(format), delimiter, nullText },
        isReplayable: source.isReplayable,
      }
      try {
        await Promise.all(
          targets.map(({ destination, routes }) =>
            atDestination(destination, () => destination.take({ ...delivery, batch, routes, settle })),
          ),
        )
      } catch (error) {
        batch.settle?.({ kind: 'failed', error })
        throw error
      }
    }
  }

  private targetsOf(source: string): Target[] {
    return this.destinations.flatMap((destination) => {
      const routes = this.config.routes.filter((r) => r.source === source && r.destination === destination.id)
      return routes.length === 0 ? [] : [{ destination, routes }]
    })
  }

  summary(): WorkerSummary {
    const destinations = this.destinations.map(({ id, target, deadLetterFile }, i) => ({
      id,
      target,
      deadLetterFile,
      ...this.meters[i]!.totals,
    }))
    return { name: this.config.name, elapsedMs: Date.now() - this.beganAt, destinations }
  }

  async close(): Promise<void> {
    this.stop.abort()
    await this.server?.close()
    for (const { source } of this.sources) await source.close?.()
    for (const destination of this.destinations) await destination.close()
    if (this.options.engine === undefined) await this.engine.close()
  }

  private emitProgress(): void {
    const total = (pick: (meter: Meter) => number) => this.meters.reduce((sum, meter) => sum + pick(meter), 0)
    this.emit({
      kind: 'progress',
      records: total((meter) => meter.totals.records),
      refused: total((meter) => meter.totals.refused),
      bytes: total((meter) => meter.totals.recordBytes),
      commits: total((meter) => meter.totals.commits),
      heldBytes: total((meter) => meter.heldBytes()),
      elapsedMs: Date.now() - this.beganAt,
    })
  }

  private tell(destination: string, event: MeterEvent): void {
    switch (event.kind) {
      case 'round': {
        const { kind: _, version, ...report } = event
        if (version !== undefined) this.emit({ kind: 'commit', destination, version, ...report })
        return
      }
      case 'upkeep': {
        const { checkpoint, deleted, failures } = event.report
        for (const failure of failures) this.emit({ kind: 'warning', destination, text: causeText(failure) })
        if (checkpoint !== undefined) this.emit({ kind: 'checkpoint', destination, version: checkpoint, deleted })
        return
      }
      default:
        this.emit({ ...event, destination })
    }
  }

  private emit(event: WorkerEvent): void {
    const { log, onEvent } = this.options
    if (log !== undefined && event.kind !== 'progress') {
      const isWarning = event.kind === 'warning' || event.kind === 'source-warning'
      const isTrouble = isWarning || (event.kind === 'stalled' && event.reason !== undefined)
      log[isTrouble ? 'warn' : 'info'](event, event.kind)
    }
    onEvent?.(event)
  }
}

/** An error of a destination names it in `details.destination`. */
async function atDestination<T>(destination: Destination, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!isDeltaError(error) || error.details.destination !== undefined) throw error
    throw deltaError(error.code, { ...error.details, destination: destination.id }, { cause: error.cause ?? error })
  }
}

function lowest(positions: readonly bigint[]): bigint {
  return [...positions].sort((a, b) => Number(a - b))[0] ?? 0n
}

/** Tells a batch its outcome when all of its destinations have told theirs. */
function settleAfter(count: number, batch: SourceBatch): (outcome: BatchOutcome) => void {
  let left = count
  let refused = 0
  let failure: BatchOutcome | undefined
  return (outcome) => {
    if (outcome.kind === 'failed') failure = outcome
    else refused += outcome.refused
    left--
    if (left === 0) batch.settle?.(failure ?? { kind: 'committed', refused })
  }
}

function printToStdout(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => (error ? reject(error) : resolve()))
  })
}
