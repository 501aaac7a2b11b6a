/**
 * A stream of NATS JetStream, read by a durable pull consumer.
 *
 * How far it was read stands in the tables, in the same commit as the records and under the consumer's name. Messages are
 * acknowledged behind the commit. The worker that started last reads; others of the same consumer stand by, and what
 * they still hold is left out where the reader has committed it.
 */
import type { JsMsg } from '@nats-io/jetstream'
import { causeText, deltaError, isDeltaError } from '../../../errors/index.ts'
import { delay } from '../../../support/index.ts'
import type { CredentialLookup } from '../../secrets.ts'
import { batchOfMessages } from '../messages.ts'
import type { BatchOutcome, OpenOptions, Source } from '../source.ts'
import { type ClaimPlace, Claims } from './claim.ts'
import { connectNats, disconnect, failed, type NatsClient, type NatsConfig } from './client.ts'
import { Deliveries, type Taken } from './deliveries.ts'
import { laterOf, partitionOf, startPlace } from './start-place.ts'

const ACK = '+ACK'
const FIRST_DELAY_MS = 1000
const MAX_DELAY_MS = 30_000

export interface NatsSourceOptions {
  readonly lookup: CredentialLookup
  /** a message is a JSON value; else a line of another format */
  readonly isJson: boolean
}

export function natsSource(config: NatsConfig, { lookup, isJson }: NatsSourceOptions): Source {
  let reader: Reader | undefined
  return {
    id: config.id,
    isReplayable: true,
    owner: config.durable,
    async *open(options) {
      reader = new Reader(config, options, await connectNats(config, lookup))
      for await (const { messages, sources } of reader.messages()) {
        const batch = batchOfMessages(reader.partition, messages, isJson)
        yield { ...batch, settle: reader.give(batch.end, sources) }
      }
    },
    async close() {
      await reader?.close()
    },
  }
}

/** Why a worker reads the consumer no further, as it took it. */
type End = 'once' | 'stopped' | 'taken' | 'missing'

/** How far a stream has come here. One that was deleted and made again is another one. */
interface Progress {
  readonly partition: string
  readonly isWorkQueue: boolean
  /** behind the last message given */
  given: bigint
  /** batches given that have no outcome */
  underWay: number
  /** behind the last message that all destinations have */
  settled: bigint
}

class Reader {
  private readonly config: NatsConfig
  private readonly options: OpenOptions
  private readonly client: NatsClient
  private readonly claims: Claims
  private progress: Progress = { partition: '', isWorkQueue: false, given: 0n, underWay: 0, settled: 0n }

  constructor(config: NatsConfig, options: OpenOptions, client: NatsClient) {
    this.config = config
    this.options = options
    this.client = client
    this.claims = new Claims(client, config)
  }

  /** What the stream is called among the positions of a table. */
  get partition(): string {
    return this.progress.partition
  }

  /** Messages in the order of the stream. */
  async *messages(): AsyncGenerator<Taken<JsMsg>> {
    const { once, signal } = this.options
    let delayMs = FIRST_DELAY_MS
    let isTurn = true
    while (!signal.aborted) {
      try {
        if (!isTurn) await this.claims.standBy(signal)
        if (signal.aborted) return
        isTurn = false
        const place = await this.place()
        await this.claims.take(place)
        delayMs = FIRST_DELAY_MS
        const end = yield* this.read(place)
        if (end === 'once' || end === 'stopped') return
        isTurn = end === 'missing'
        this.tell(end)
      } catch (error) {
        if (isDeltaError(error) || once || this.client.connection.isClosed()) throw failed(this.config, error)
        if (signal.aborted) return
        this.options.onWarning?.(`reading is tried again in ${delayMs / 1000} s: ${causeText(error)}`)
        await delay(delayMs, signal)
        delayMs = Math.min(MAX_DELAY_MS, delayMs * 2)
      }
    }
  }

  private tell(end: 'taken' | 'missing'): void {
    const { durable, stream } = this.config
    if (end === 'taken' && this.options.once) throw deltaError('WORKER_CONSUMER_TAKEN', { durable, stream })
    const text =
      end === 'taken'
        ? `another worker reads the consumer ${durable} now, this one stands by`
        : `something else pulls from the consumer ${durable}, it is made anew`
    this.options.onWarning?.(text)
  }

  private async place(): Promise<ClaimPlace> {
    const { config, options, client, claims } = this
    await options.refreshPositions?.()
    const [stream, consumer] = [await client.manager.streams.info(config.stream), await claims.look()]
    const isWorkQueue = stream.config.retention === 'workqueue'
    const partition = partitionOf(stream)
    if (partition !== this.partition) this.progress = { partition, isWorkQueue, given: 0n, underWay: 0, settled: 0n }
    const { underWay, given } = this.progress
    const known = laterOf(options.positionOf(partition), underWay > 0 ? given : 0n)
    return startPlace(config, { stream, consumer, known }, options.onWarning)
  }

  private async *read({ stream, start }: ClaimPlace): AsyncGenerator<Taken<JsMsg>, End> {
    const { once, signal } = this.options
    const deliveries = new Deliveries(start)
    while (!signal.aborted) {
      const { messages, info } = await this.claims.pull(this.options)
      if (info === undefined) return 'taken'
      const taken = deliveries.take(messages)
      this.acknowledge(
        taken.known.filter(({ seq }) => BigInt(seq) < start || BigInt(seq) < this.progress.settled).map(replyOf),
      )
      if (signal.aborted) return 'stopped'
      if (taken.messages.length > 0) yield taken
      if (taken.isMissing) return 'missing'
      const isRead = info.num_pending === 0 && info.delivered.consumer_seq === deliveries.count
      if (once && (isRead || deliveries.next > BigInt(stream.state.last_seq))) return 'once'
    }
    return 'stopped'
  }

  /** @returns to be told the batch's outcome */
  give(end: bigint, sources: readonly JsMsg[]): (outcome: BatchOutcome) => void {
    const { progress } = this
    // the messages themselves would be held as long as their batch
    const replies = (progress.isWorkQueue ? sources : sources.slice(-1)).map(replyOf)
    progress.given = end
    progress.underWay++
    return (outcome) => {
      progress.underWay--
      if (outcome.kind === 'failed' || progress !== this.progress) return
      progress.settled = laterOf(progress.settled, end)
      this.acknowledge(replies)
    }
  }

  /** An acknowledgement that is lost is made up for by a later one, or when the message comes again. */
  private acknowledge(replies: readonly string[]): void {
    const { connection } = this.client
    if (connection.isClosed()) return
    for (const reply of replies) connection.publish(reply, ACK)
  }

  async close(): Promise<void> {
    await disconnect(this.client)
  }
}

/** Where a message is acknowledged: the client has it, and does not declare it. */
function replyOf(message: JsMsg): string {
  if ('reply' in message && typeof message.reply === 'string') return message.reply
  throw new TypeError('the client of NATS does not say where a message is acknowledged')
}
