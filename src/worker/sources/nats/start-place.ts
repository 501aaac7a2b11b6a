/** Where a worker that takes the consumer goes on in the stream. */
import type { ConsumerInfo, StreamInfo } from '@nats-io/jetstream'
import { deltaError } from '../../../errors/index.ts'
import type { OpenOptions } from '../source.ts'
import type { ClaimPlace } from './claim.ts'
import type { NatsConfig } from './client.ts'

/**
 * The tables' positions come first, then what was acknowledged, then `from`.
 *
 * @param given behind what this worker holds without a commit; 0 where there is none
 * @throws DeltaError `WORKER_STREAM_RETENTION`, `WORKER_STREAM_SHRANK`, `WORKER_SOURCE_FAILED`
 */
export function startPlace(
  config: NatsConfig,
  found: { readonly stream: StreamInfo; readonly consumer: ConsumerInfo | undefined; readonly given: bigint },
  { positionOf, onWarning }: Pick<OpenOptions, 'positionOf' | 'onWarning'>,
): ClaimPlace {
  const { stream, consumer, given } = found
  const { retention } = stream.config
  if (retention === 'interest') throw deltaError('WORKER_STREAM_RETENTION', { stream: config.stream, retention })
  const { first_seq, last_seq } = stream.state
  if (!Number.isSafeInteger(last_seq)) {
    const cause = `the sequence ${last_seq} of the stream ${config.stream} is past what its client can count`
    throw deltaError('WORKER_SOURCE_FAILED', { source: config.id, cause })
  }
  const [first, end] = [BigInt(Math.max(1, first_seq)), BigInt(last_seq) + 1n]
  const known = later(positionOf(config.stream), given)
  if (known > end) {
    throw deltaError('WORKER_STREAM_SHRANK', { stream: config.stream, end: last_seq, position: known - 1n })
  }
  if (known > 0n) {
    if (known < first && retention === 'limits') {
      onWarning?.(
        `the stream ${config.stream} has lost its messages ${known} to ${first - 1n}, reading goes on behind them`,
      )
    }
    return { stream, start: later(known, first) }
  }
  const acknowledged = consumer === undefined ? 0n : acknowledgedTo(consumer)
  if (acknowledged > first) return { stream, start: acknowledged < end ? acknowledged : end }
  const isFromEnd = consumer === undefined && config.from === 'latest' && retention === 'limits'
  return { stream, start: isFromEnd ? end : first }
}

/** Behind what was acknowledged; a consumer of which nothing was stands where it began. */
function acknowledgedTo({ ack_floor, config }: ConsumerInfo): bigint {
  return later(BigInt(ack_floor.stream_seq) + 1n, BigInt(config.opt_start_seq ?? 0))
}

function later(a: bigint, b: bigint): bigint {
  return a < b ? b : a
}
