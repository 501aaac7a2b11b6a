/** Where a worker that takes the consumer goes on in the stream. */
import type { ConsumerInfo, StreamInfo } from '@nats-io/jetstream'
import { deltaError } from '../../../errors/index.ts'
import type { OpenOptions } from '../source.ts'
import type { ClaimPlace } from './claim.ts'
import type { NatsConfig } from './client.ts'

/**
 * The tables' positions come first, then what was acknowledged, then `from`.
 *
 * @param found `known` is behind what the tables have, or this worker holds for them; 0 where neither knows
 * @throws DeltaError `WORKER_STREAM_RETENTION`, `WORKER_STREAM_SHRANK`, `WORKER_SOURCE_FAILED`
 */
export function startPlace(
  config: NatsConfig,
  found: { readonly stream: StreamInfo; readonly consumer: ConsumerInfo | undefined; readonly known: bigint },
  onWarning: OpenOptions['onWarning'],
): ClaimPlace {
  const { stream, consumer, known } = found
  const { retention } = stream.config
  if (retention === 'interest') throw deltaError('WORKER_STREAM_RETENTION', { stream: config.stream, retention })
  const { first_seq, last_seq } = stream.state
  if (!Number.isSafeInteger(last_seq)) {
    const cause = `the sequence ${last_seq} of the stream ${config.stream} is past what its client can count`
    throw deltaError('WORKER_SOURCE_FAILED', { source: config.id, cause })
  }
  const [first, end] = [BigInt(Math.max(1, first_seq)), BigInt(last_seq) + 1n]
  if (known > end) {
    throw deltaError('WORKER_STREAM_SHRANK', { stream: config.stream, end: last_seq, position: known - 1n })
  }
  if (known > 0n) {
    if (known < first && retention === 'limits') {
      onWarning?.(
        `the stream ${config.stream} has lost its messages ${known} to ${first - 1n}, reading goes on behind them`,
      )
    }
    return { stream, start: laterOf(known, first) }
  }
  const acknowledged = consumer === undefined ? 0n : acknowledgedTo(consumer)
  if (acknowledged > first) return { stream, start: acknowledged < end ? acknowledged : end }
  const isFromEnd = consumer === undefined && config.from === 'latest' && retention === 'limits'
  return { stream, start: isFromEnd ? end : first }
}

/** Behind what was acknowledged; a consumer of which nothing was stands where it began. */
function acknowledgedTo({ ack_floor, config }: ConsumerInfo): bigint {
  return laterOf(BigInt(ack_floor.stream_seq) + 1n, BigInt(config.opt_start_seq ?? 0))
}

export function laterOf(a: bigint, b: bigint): bigint {
  return a < b ? b : a
}

/** What a stream is called among the positions of a table: one that was made again under its name has positions anew. */
export function partitionOf({ config, created }: StreamInfo): string {
  return `${config.name}/${created}`
}
