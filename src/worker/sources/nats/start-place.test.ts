import type { ConsumerInfo, StreamInfo } from '@nats-io/jetstream'
import { expect, test } from 'vitest'
import { parseWorkerConfig } from '../../config/config.ts'
import type { NatsConfig } from './client.ts'
import { startPlace } from './start-place.ts'

interface Given {
  readonly known?: bigint
  readonly consumer?: { readonly floor: number; readonly began?: number }
  readonly from?: 'earliest' | 'latest'
  readonly retention?: 'limits' | 'workqueue' | 'interest'
}

/** A stream that holds the messages 11 to 20. */
function start({ known = 0n, consumer, from = 'earliest', retention = 'limits' }: Given) {
  const source = { id: 's', type: 'nats', schema: 'id INT', servers: ['n:4222'], stream: 'S', durable: 'd', from }
  const config = parseWorkerConfig({ sources: [source] }).sources[0] as NatsConfig
  const warnings: string[] = []
  const stream = { config: { retention }, state: { first_seq: 11, last_seq: 20 } } as StreamInfo
  const found = consumer && {
    ack_floor: { stream_seq: consumer.floor, consumer_seq: 0 },
    config: { ...(consumer.began !== undefined && { opt_start_seq: consumer.began }) },
  }
  const place = startPlace(config, { stream, consumer: found as ConsumerInfo | undefined, known }, (text) =>
    warnings.push(text),
  )
  return { at: place.start, warnings }
}

test('what is known comes first, then what was acknowledged, then the setting', () => {
  expect(start({ known: 15n, consumer: { floor: 18 }, from: 'latest' }).at).toBe(15n)
  expect(start({ consumer: { floor: 18 }, from: 'latest' }).at).toBe(19n)
  expect(start({ consumer: { floor: 0, began: 14 } }).at).toBe(14n)
  expect(start({}).at).toBe(11n)
  expect(start({ from: 'latest' }).at).toBe(21n)
  expect(start({ from: 'latest', retention: 'workqueue' }).at).toBe(11n)
  expect(start({ known: 21n }).at).toBe(21n)
})

test('messages that are gone are named, where a stream lost them', () => {
  expect(start({ known: 5n })).toEqual({
    at: 11n,
    warnings: ['the stream S has lost its messages 5 to 10, reading goes on behind them'],
  })
  expect(start({ known: 5n, retention: 'workqueue' })).toEqual({ at: 11n, warnings: [] })
})

test('a stream that ends before the table, or keeps nothing for a second reading, is refused', () => {
  expect(() => start({ known: 22n })).toThrow('ends with message 20, and the table holds it up to 21')
  expect(() => start({ retention: 'interest' })).toThrow('the stream S keeps messages by interest')
})
