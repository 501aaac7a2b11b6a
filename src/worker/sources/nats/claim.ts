/**
 * A durable consumer that one worker reads at a time.
 *
 * Who takes the consumer makes it anew, at the place where the tables end, and puts a mark on it. What was delivered
 * before is so delivered again at once, and a worker that read it until then finds another's mark. Messages count only
 * when the mark still stands after they came, and none is missing among the deliveries: then they are all there are from
 * that place on, in the order of the stream.
 */
import { randomUUID } from 'node:crypto'
import type { ConsumerInfo, JsMsg, StreamInfo } from '@nats-io/jetstream'
import { causeText, deltaError } from '../../../errors/index.ts'
import { delay, HOUR_MS, SECOND_MS } from '../../../support/index.ts'
import type { OpenOptions } from '../source.ts'
import type { NatsClient, NatsConfig } from './client.ts'

const MARK = 'read by a bayou worker, '
/** how much one pull asks for: by count, which is chosen by the longest message of the pull before */
const PULL_BYTES = 4 * 1024 * 1024
const FIRST_PULL = 100
const LONGEST_PULL = 1000
const NANOS_IN_MS = 1_000_000
/** nothing is delivered twice to one reader before; a consumer that is taken anew does not wait for it */
const ACK_WAIT_MS = HOUR_MS
const GONE_MS = 2 * SECOND_MS
const CONSUMER_NOT_FOUND = 10_014

export interface Pulled {
  readonly messages: readonly JsMsg[]
  /** how the consumer stands after they came; undefined: another has taken it */
  readonly info: ConsumerInfo | undefined
}

/** What a consumer is made anew with. */
export interface ClaimPlace {
  readonly stream: StreamInfo
  /** stream sequence of the first message that is wanted */
  readonly start: bigint
}

export class Claims {
  private readonly client: NatsClient
  private readonly config: NatsConfig
  /** on the consumer as this worker made it last */
  private mark = ''
  private consumer: ConsumerInfo | undefined
  private pullLength = FIRST_PULL

  constructor(client: NatsClient, config: NatsConfig) {
    this.client = client
    this.config = config
  }

  /** The consumer as it is; undefined where there is none. */
  async look(): Promise<ConsumerInfo | undefined> {
    const { stream, durable } = this.config
    try {
      return await this.client.manager.consumers.info(stream, durable)
    } catch (error) {
      if (isNotFound(error)) return undefined
      throw error
    }
  }

  private isOurs(info: ConsumerInfo | undefined): boolean {
    return info !== undefined && info.config.description === this.mark
  }

  /**
   * Takes the consumer, from whoever has it.
   *
   * @throws DeltaError `WORKER_CONSUMER_FOREIGN`, and what the client throws
   */
  async take({ stream, start }: ClaimPlace): Promise<void> {
    const { config } = this
    const found = await this.look()
    if (found !== undefined && !found.config.description?.startsWith(MARK)) {
      throw deltaError('WORKER_CONSUMER_FOREIGN', { durable: config.durable, stream: config.stream })
    }
    if (found !== undefined) await this.delete()
    this.mark = `${MARK}${randomUUID()}`
    const isWorkQueue = stream.config.retention === 'workqueue'
    this.consumer = await this.client.manager.consumers.add(config.stream, {
      durable_name: config.durable,
      description: this.mark,
      ack_wait: ACK_WAIT_MS * NANOS_IN_MS,
      max_ack_pending: -1,
      ...(config.subject !== undefined && { filter_subject: config.subject }),
      // a work queue knows no other way; what is before the place is acknowledged again
      ...(isWorkQueue
        ? { ack_policy: 'explicit' as const, deliver_policy: 'all' as const }
        : { ack_policy: 'all' as const, deliver_policy: 'by_start_sequence' as const, opt_start_seq: Number(start) }),
    })
  }

  private async delete(): Promise<void> {
    const { stream, durable } = this.config
    try {
      await this.client.manager.consumers.delete(stream, durable)
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
  }

  /**
   * Waits for messages, up to `maxWaitMs`; once: only while there are some. After an abort no more come.
   *
   * @throws what the client throws
   */
  async pull({ signal, once }: Pick<OpenOptions, 'signal' | 'once'>): Promise<Pulled> {
    const { messages, error } = await this.fetch(this.consumer!, signal, once)
    const info = await this.look()
    if (!this.isOurs(info)) return { messages: [], info: undefined }
    if (error !== undefined && !isEndOfPull(error)) throw error
    return { messages, info }
  }

  private async fetch(consumer: ConsumerInfo, signal: AbortSignal, isBounded: boolean) {
    const messages: JsMsg[] = []
    const pull = await this.client.jetStream.consumers
      .getConsumerFromInfo(consumer)
      .fetch({ max_messages: this.pullLength, expires: this.config.maxWaitMs })
    const stop = () => pull.stop()
    signal.addEventListener('abort', stop, { once: true })
    try {
      if (signal.aborted) stop()
      for await (const message of pull) {
        messages.push(message)
        if (isBounded && message.info.pending === 0) stop()
      }
      const longest = messages.reduce((length, { data }) => Math.max(length, data.length), 1)
      this.pullLength = Math.max(1, Math.min(LONGEST_PULL, Math.floor(PULL_BYTES / longest)))
      return { messages }
    } catch (error) {
      return { messages, error }
    } finally {
      signal.removeEventListener('abort', stop)
    }
  }

  /** Resolves when nobody has read for `standbySecs`, when there is no consumer, when the consumer is this worker's after all, or by an abort. */
  async standBy(signal: AbortSignal): Promise<void> {
    let seen = ''
    let idleSince = Date.now()
    while (!signal.aborted) {
      const info = await this.look()
      if (this.isOurs(info)) return
      const state = `${info?.config.description} ${info?.delivered.consumer_seq}`
      if (state !== seen || (info?.num_waiting ?? 0) > 0) idleSince = Date.now()
      // who takes the consumer leaves none for a moment only
      const patienceMs = info === undefined ? GONE_MS : this.config.standbySecs * SECOND_MS
      if (Date.now() - idleSince >= patienceMs) return
      seen = state
      await delay(SECOND_MS / 2, signal)
    }
  }
}

function isNotFound(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === CONSUMER_NOT_FOUND
}

/** No failure: heartbeats were not seen in time, as on a busy machine. What came before them has come. */
function isEndOfPull(error: unknown): boolean {
  return causeText(error) === 'heartbeats missed'
}
