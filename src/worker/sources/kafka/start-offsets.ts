/** Where the partitions that a worker was given go on, and where they end now. */
import { deltaError } from '../../../errors/index.ts'
import type { OpenOptions } from '../source.ts'
import type { KafkaConfig, KafkaConsumer } from './client.ts'
import { nameOf, type Places, type TopicPartition } from './places.ts'

const LATEST = -1n
const EARLIEST = -2n

export interface PartitionStart extends TopicPartition {
  /** the first offset to read */
  readonly offset: bigint
  /** behind the last message there is now */
  readonly end: bigint
}

/**
 * The tables' positions come first, then the group's offsets, then `from`.
 *
 * @throws DeltaError `WORKER_TOPIC_SHRANK`, and what the client throws
 */
export async function startOffsets(
  consumer: KafkaConsumer,
  config: KafkaConfig,
  places: Places,
  options: OpenOptions,
): Promise<readonly PartitionStart[]> {
  const assigned = (consumer.assignments ?? []).filter(({ partitions }) => partitions.length > 0)
  if (assigned.length === 0) return []
  const topics = assigned.map(({ topic }) => topic)
  const partitions = Object.fromEntries(assigned.map((own) => [own.topic, own.partitions]))
  await options.refreshPositions?.()
  const [begin, end, committed] = await Promise.all([
    consumer.listOffsets({ topics, partitions, timestamp: EARLIEST }),
    consumer.listOffsets({ topics, partitions, timestamp: LATEST }),
    consumer.listCommittedOffsets({ topics: assigned }),
  ])
  return assigned.flatMap(({ topic, partitions }) =>
    partitions.map((partition) => {
      const of = { topic, partition }
      const bounds = { begin: begin.get(topic)?.[partition] ?? 0n, end: end.get(topic)?.[partition] ?? 0n }
      const known = max(options.positionOf(nameOf(of)), places.underWayTo(of))
      const told = committed.get(topic)?.[partition] ?? LATEST
      if (known > bounds.end) throw shrank(config, of, bounds.end, known)
      return { ...of, end: bounds.end, offset: startOf(of, { known, told, ...bounds }, config, options) }
    }),
  )
}

interface Bounds {
  /** 0 where no table knows of the partition */
  readonly known: bigint
  /** the group's own; below 0 where there is none */
  readonly told: bigint
  readonly begin: bigint
  readonly end: bigint
}

function startOf(
  of: TopicPartition,
  { known, told, begin, end }: Bounds,
  { from }: KafkaConfig,
  options: OpenOptions,
): bigint {
  const wanted = known > 0n ? known : told
  if (wanted < 0n) return from === 'earliest' ? begin : end
  if (wanted >= begin) return wanted > end ? end : wanted
  options.onWarning?.(
    `${nameOf(of)}: the topic has lost its messages ${wanted} to ${begin - 1n}, reading goes on behind them`,
  )
  return begin
}

function shrank({ id }: KafkaConfig, { topic, partition }: TopicPartition, end: bigint, position: bigint) {
  return deltaError('WORKER_TOPIC_SHRANK', { source: id, topic, partition, end, position })
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}
