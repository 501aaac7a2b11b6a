/**
 * Topics of Kafka, read as a member of a consumer group.
 *
 * How far a partition has come stands in the tables, in the same commit as its records and under the group's name: a
 * partition that moves to another worker goes on from there, and a worker that comes late with what another has committed
 * leaves it out. The group's own offsets follow the commits.
 */
import { deltaError, isDeltaError } from '../../../errors/index.ts'
import { delay } from '../../../support/index.ts'
import type { CredentialLookup } from '../../secrets.ts'
import { batchOfMessages, type SourceMessage } from '../messages.ts'
import type { OpenOptions, Source } from '../source.ts'
import { type KafkaConfig, type KafkaConsumer, type KafkaStream, kafkaErrorText, openConsumer } from './client.ts'
import { nameOf, Places, type TopicPartition } from './places.ts'
import { type PartitionStart, startOffsets } from './start-offsets.ts'

const BATCH_BYTES = 1024 * 1024
const FIRST_DELAY_MS = 1000
const MAX_DELAY_MS = 30_000

export interface KafkaSourceOptions {
  readonly lookup: CredentialLookup
  /** a message is a JSON value; else a line of another format */
  readonly isJson: boolean
}

export function kafkaSource(config: KafkaConfig, { lookup, isJson }: KafkaSourceOptions): Source {
  let member: Member | undefined
  return {
    id: config.id,
    isReplayable: true,
    owner: config.groupId,
    async *open(options) {
      member = await Member.join(config, lookup, options)
      for await (const { of, messages } of member.messages()) {
        const batch = batchOfMessages(nameOf(of), messages, isJson)
        yield { ...batch, settle: member.places.give(of, batch.end) }
      }
    },
    async close() {
      await member?.leave()
    },
  }
}

/** A member of the group, for as long as the source is open. */
class Member {
  private readonly config: KafkaConfig
  private readonly options: OpenOptions
  private readonly consumer: KafkaConsumer
  readonly places: Places
  /** counts the times the group has shared out its partitions */
  private generation = 0
  private stream: KafkaStream | undefined

  private constructor(config: KafkaConfig, options: OpenOptions, consumer: KafkaConsumer) {
    this.config = config
    this.options = options
    this.consumer = consumer
    this.places = new Places(consumer, (error) => this.warn('the group was not told of offsets', error))
    consumer.on('consumer:group:join', () => {
      this.generation++
      this.endStream()
    })
    // the client tells through the calls that fail; without a listener an event would end the process
    consumer.on('error', (error: Error) => this.warn('the client', error))
    options.signal.addEventListener('abort', () => this.endStream(), { once: true })
  }

  /** @throws DeltaError `WORKER_SOURCE_FAILED`, and what `openConsumer` throws */
  static async join(config: KafkaConfig, lookup: CredentialLookup, options: OpenOptions): Promise<Member> {
    const consumer = await openConsumer(config, lookup)
    const member = new Member(config, options, consumer)
    try {
      for (const topic of config.topics) consumer.topics.track(topic)
      await consumer.joinGroup({})
      return member
    } catch (cause) {
      await member.leave()
      throw failed(config, cause)
    }
  }

  /** Messages of one partition at a time, in the order of their offsets. */
  async *messages(): AsyncGenerator<PartitionMessages> {
    const { once, signal } = this.options
    let delayMs = FIRST_DELAY_MS
    while (!signal.aborted) {
      const generation = this.generation
      try {
        const starts = await startOffsets(this.consumer, this.config, this.places, this.options)
        const reading = new Reading(starts)
        if (generation === this.generation) {
          for await (const messages of this.read(reading, generation)) {
            delayMs = FIRST_DELAY_MS
            yield messages
          }
        }
        if (once && generation === this.generation && reading.isAtEnd()) return
      } catch (error) {
        if (isDeltaError(error) || once) throw failed(this.config, error)
        if (signal.aborted) return
        this.warn(`reading is tried again in ${delayMs / 1000} s`, error)
        await delay(delayMs, signal)
        delayMs = Math.min(MAX_DELAY_MS, delayMs * 2)
      }
    }
  }

  /** Until the stream ends: by a stop, by partitions shared out anew, or where all there was is read. */
  private async *read(reading: Reading, generation: number): AsyncGenerator<PartitionMessages> {
    const { once } = this.options
    const { topics } = this.config
    if (once && reading.isAtEnd()) return
    const offsets = reading.starts.map(({ topic, partition, offset }) => ({ topic, partition, offset }))
    const stream = await this.consumer.consume({ topics: [...topics], mode: 'manual', fallbackMode: 'fail', offsets })
    this.stream = stream
    // a stop, or partitions shared out anew, while the stream was made found none to end
    if (this.options.signal.aborted || generation !== this.generation) this.endStream()
    if (once) stream.on('fetch', () => setImmediate(() => this.endAtEnd(stream, reading)))
    try {
      for await (const message of stream) {
        reading.add(message)
        if (generation !== this.generation) return
        if (reading.bytes < BATCH_BYTES && stream.readableLength > 0) continue
        yield* reading.take()
      }
      if (generation === this.generation) yield* reading.take()
    } finally {
      this.endStream()
    }
  }

  /** Control records, and messages of transactions that were given up, move the place without a message. */
  private endAtEnd(stream: KafkaStream, reading: Reading): void {
    if (stream.readableLength > 0 || !reading.moveTo(stream.offsetsToFetch)) return
    if (stream === this.stream) this.endStream()
  }

  private endStream(): void {
    const { stream } = this
    this.stream = undefined
    stream?.close().catch((error: unknown) => this.warn('the stream', error))
  }

  private warn(what: string, error: unknown): void {
    this.options.onWarning?.(`${what}: ${kafkaErrorText(error)}`)
  }

  /** The group shares out the partitions at once, where it would wait for the end of the session else. */
  async leave(): Promise<void> {
    this.endStream()
    await this.places.told()
    await this.consumer.close(true).catch((error: unknown) => this.warn('leaving the group', error))
  }
}

interface PartitionMessages {
  readonly of: TopicPartition
  readonly messages: SourceMessage[]
}

/** Messages that wait to be handed on, by partition, and how far the partitions are to be read. */
class Reading {
  readonly starts: readonly PartitionStart[]
  bytes = 0
  private readonly next = new Map<string, bigint>()
  private waiting = new Map<string, PartitionMessages>()

  constructor(starts: readonly PartitionStart[]) {
    this.starts = starts
    for (const start of starts) this.next.set(nameOf(start), start.offset)
  }

  add(message: SourceMessage & TopicPartition): void {
    const { topic, partition, offset, value } = message
    const of = { topic, partition }
    const name = nameOf(of)
    const entry = this.waiting.get(name) ?? { of, messages: [] }
    entry.messages.push({ offset, value })
    this.waiting.set(name, entry)
    this.next.set(name, offset + 1n)
    this.bytes += value?.length ?? 0
  }

  take(): PartitionMessages[] {
    const taken = [...this.waiting.values()]
    this.waiting = new Map()
    this.bytes = 0
    return taken
  }

  /** Whether every partition is read up to where it ended when reading began. */
  isAtEnd(): boolean {
    return this.starts.every((start) => (this.next.get(nameOf(start)) ?? 0n) >= start.end)
  }

  /**
   * @param fetched where the client goes on, by its own names, when nothing is left in its stream
   * @returns whether that is the end
   */
  moveTo(fetched: ReadonlyMap<string, bigint>): boolean {
    for (const start of this.starts) {
      const place = fetched.get(`${start.topic}:${start.partition}`)
      if (place !== undefined) this.next.set(nameOf(start), place)
    }
    return this.isAtEnd()
  }
}

function failed({ id: source }: KafkaConfig, cause: unknown) {
  if (isDeltaError(cause)) return cause
  return deltaError('WORKER_SOURCE_FAILED', { source, cause: kafkaErrorText(cause) }, { cause })
}
