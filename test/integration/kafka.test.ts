/** Topics of a real broker into a table: all codecs, restarts, poison, partitions that move, workers that come late. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ObjectStore } from '../../src/storage/index.ts'
import { parseWorkerConfig, type RunOptions, runWorker, type WorkerEvent } from '../../src/worker/index.ts'
import { readTable } from '../worker/read-table.ts'
import { type Service, serviceMissing, startService } from './service.ts'

const missing = 'withResolvers' in Promise ? serviceMissing('kafka') : 'the client of Kafka needs Node 22'
if (missing !== undefined) console.log(`skipped: Kafka sources against a broker: ${missing}`)

function gateOf() {
  let resolve = (): void => undefined
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve }
}

const CODECS = ['none', 'gzip', 'snappy', 'lz4', 'zstd'] as const

interface KafkaService extends Service {
  readonly bootstrap: string
}

describe.skipIf(missing !== undefined)('Kafka sources', () => {
  let service: KafkaService
  let folder: string
  let kafka: typeof import('@platformatic/kafka')
  let producer: import('@platformatic/kafka').Producer<string, string, string, string>
  let admin: import('@platformatic/kafka').Admin
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'bayou-kafka-'))
    service = await startService<KafkaService>('kafka')
    kafka = await import('@platformatic/kafka')
    const client = { clientId: 'test', bootstrapBrokers: [service.bootstrap] }
    // a producer that tries again must not write a message twice
    producer = new kafka.Producer({ ...client, serializers: kafka.stringSerializers, idempotent: true })
    admin = new kafka.Admin(client)
  })
  afterAll(async () => {
    await producer?.close()
    await admin?.close()
    service?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const configOf = (topic: string, { name = 'w', table = topic, ...source }: Record<string, unknown> = {}) =>
    parseWorkerConfig({
      name,
      sources: [
        {
          id: 'topic',
          type: 'kafka',
          schema: 'id BIGINT, name STRING',
          brokers: [service.bootstrap],
          topics: [topic],
          groupId: `group-${topic}`,
          sessionTimeoutMs: 6000,
          maxWaitMs: 100,
          ...source,
        },
      ],
      routes: [{ source: 'topic', destination: 'lake' }],
      destinations: [
        {
          id: 'lake',
          type: 'delta',
          location: join(folder, String(table)),
          fileIntervalSecs: 1,
          deadLetterFile: join(folder, `${table}.${name}.dead.ndjson`),
        },
      ],
    })
  const drain = (topic: string, more: Record<string, unknown> = {}, options: RunOptions = {}) =>
    runWorker(configOf(topic, more), { once: true, env: {}, ...options })
  const create = (topic: string, partitions: number) => admin.createTopics({ topics: [topic], partitions, replicas: 1 })
  const send = async (topic: string, from: number, to: number, more: object = {}, partitions = 3) => {
    const messages = Array.from({ length: to - from }, (_, i) => ({
      topic,
      partition: (from + i) % partitions,
      value: JSON.stringify({ id: from + i, name: `n${from + i}` }),
    }))
    await producer.send({ messages, ...more })
  }
  const idsIn = async (table: string) => {
    const { rows } = await readTable(join(folder, table))
    return rows.map(([id]) => Number(id)).sort((a, b) => a - b)
  }
  const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i)

  it('messages of every codec are read, and none twice by the next run', async () => {
    await create('codecs', 3)
    for (const [i, compression] of CODECS.entries()) await send('codecs', i * 100, i * 100 + 100, { compression })
    await drain('codecs')
    expect(await idsIn('codecs')).toEqual(range(0, 500))
    await send('codecs', 500, 520)
    await drain('codecs')
    await drain('codecs')
    expect(await idsIn('codecs')).toEqual(range(0, 520))
    const { snapshot } = await readTable(join(folder, 'codecs'))
    const places = [0, 1, 2].map((p) => snapshot.transactions.get(`group-codecs/lake/topic/codecs/${p}`)?.version)
    expect(places.reduce((sum, place) => sum! + place!)).toBe(520n)
  })

  it('the group is told of what is committed, and believed only where no table knows better', async () => {
    await create('told', 1)
    await send('told', 0, 50, {}, 1)
    await drain('told')
    const consumer = new kafka.Consumer({
      clientId: 'look',
      groupId: 'group-told',
      bootstrapBrokers: [service.bootstrap],
    })
    const topics = [{ topic: 'told', partitions: [0] }]
    expect((await consumer.listCommittedOffsets({ topics })).get('told')).toEqual([50n])
    await consumer.close()
    await send('told', 50, 60, {}, 1)
    await drain('told', { table: 'told-anew' })
    expect(await idsIn('told-anew')).toEqual(range(50, 60))
    await drain('told')
    expect(await idsIn('told')).toEqual(range(0, 60))
  })

  it('what is no record goes to the dead letters with its place, and the rest goes on', async () => {
    await create('poison', 1)
    const values = [
      '{"id":0,"name":"a"}',
      '{"id":"x"',
      '{\n  "id": 2,\n  "name": "b"\n}',
      '',
      '{"id":4}\n',
      '{"id":\n"5\n"}',
    ]
    await producer.send({ messages: values.map((value) => ({ topic: 'poison', partition: 0, value })) })
    await producer.send({ messages: [{ topic: 'poison', partition: 0, key: 'k' }] })
    await send('poison', 7, 8, {}, 1)
    await drain('poison')
    await drain('poison')
    expect(await idsIn('poison')).toEqual([0, 2, 4, 7])
    const letters = readFileSync(join(folder, 'poison.w.dead.ndjson'), 'utf8').trim().split('\n')
    expect(letters.map((line) => JSON.parse(line)).map(({ partition, position }) => [partition, position])).toEqual([
      ['poison/0', '1'],
      ['poison/0', '3'],
      ['poison/0', '5'],
      ['poison/0', '6'],
    ])
    expect(JSON.parse(letters[0]!).record).toBe('{"id":"x"')
    expect(JSON.parse(letters[3]!).reason).toBe('the message has no value')
  })

  it('messages of a transaction that was given up are left out', async () => {
    await create('transactions', 1)
    const transactional = new kafka.Producer({
      clientId: 'tx',
      bootstrapBrokers: [service.bootstrap],
      serializers: kafka.stringSerializers,
      idempotent: true,
      transactionalId: 'tx',
    })
    for (const [id, isKept] of [
      [1, true],
      [2, false],
      [3, true],
    ] as const) {
      const transaction = await transactional.beginTransaction()
      await transaction.send({ messages: [{ topic: 'transactions', partition: 0, value: JSON.stringify({ id }) }] })
      await (isKept ? transaction.commit() : transaction.abort())
    }
    await transactional.close()
    await drain('transactions')
    expect(await idsIn('transactions')).toEqual([1, 3])
  })

  it('partitions move between workers that come and go: each record once', { timeout: 180_000 }, async () => {
    await create('moving', 3)
    let sent = 0
    const runs: { readonly stop: AbortController; readonly ended: Promise<unknown> }[] = []
    const begin = (name: string) => {
      const stop = new AbortController()
      runs.push({ stop, ended: runWorker(configOf('moving', { name }), { signal: stop.signal, env: {} }) })
    }
    for (const step of ['begin a', 'begin b', 'begin c', 'end a', 'begin d', 'end b', 'end c']) {
      const [verb, name] = step.split(' ') as [string, string]
      if (verb === 'begin') begin(name)
      else runs['abcd'.indexOf(name)]!.stop.abort()
      for (let i = 0; i < 10; i++) {
        await send('moving', sent, sent + 30)
        sent += 30
        await new Promise((resolve) => setTimeout(resolve, 150))
      }
    }
    for (const { stop } of runs) stop.abort()
    await Promise.all(runs.map(({ ended }) => ended))
    await drain('moving', { name: 'last' })
    expect(await idsIn('moving')).toEqual(range(0, sent))
  })

  it('a worker whose commit comes late commits nothing that its heir has committed', { timeout: 180_000 }, async () => {
    await create('late', 3)
    await send('late', 0, 90)
    const gate = gateOf()
    const held = gateOf()
    const wrapStore = (store: ObjectStore): ObjectStore => ({
      ...store,
      putIfAbsent: async (key, ...rest) => {
        if (/_delta_log\/0*[1-9]\d*\.json$/.test(key)) {
          held.resolve()
          await gate.promise
        }
        return await store.putIfAbsent(key, ...rest)
      },
    })
    const stop = new AbortController()
    const zombie = runWorker(configOf('late', { name: 'zombie' }), { signal: stop.signal, env: {}, wrapStore })
    await held.promise
    const events: WorkerEvent[] = []
    const heirStop = new AbortController()
    const heir = runWorker(configOf('late', { name: 'heir' }), {
      signal: heirStop.signal,
      env: {},
      onEvent: (event) => events.push(event),
    })
    await expect.poll(() => events.some(({ kind }) => kind === 'commit'), { timeout: 90_000 }).toBe(true)
    gate.resolve()
    await send('late', 90, 120)
    await expect.poll(() => idsIn('late'), { timeout: 60_000, interval: 500 }).toHaveLength(120)
    stop.abort()
    heirStop.abort()
    await Promise.all([zombie, heir])
    expect(await idsIn('late')).toEqual(range(0, 120))
  })

  it('a topic that is not the one it was is refused', async () => {
    await create('shrunk', 1)
    await send('shrunk', 0, 20, {}, 1)
    await drain('shrunk')
    await admin.deleteTopics({ topics: ['shrunk'] })
    await expect
      .poll(
        () =>
          create('shrunk', 1).then(
            () => true,
            () => false,
          ),
        { timeout: 20_000 },
      )
      .toBe(true)
    await send('shrunk', 0, 5, {}, 1)
    await expect(drain('shrunk')).rejects.toMatchObject({
      code: 'WORKER_TOPIC_SHRANK',
      message: expect.stringContaining('partition 0 of the topic shrunk ends at 5, and the table holds it up to 20'),
    })
  })

  it('brokers that are not there, and credentials that are not, are named', async () => {
    await expect(drain('none', { brokers: ['127.0.0.1:1'] })).rejects.toMatchObject({
      code: 'WORKER_SOURCE_FAILED',
      message: expect.stringContaining('127.0.0.1:1'),
    })
    const sasl = { saslMechanism: 'PLAIN', saslUsername: 'KAFKA_USER', saslPassword: 'KAFKA_PASSWORD' }
    await expect(drain('none', sasl)).rejects.toMatchObject({
      code: 'WORKER_SOURCE_CREDENTIAL_MISSING',
      message: expect.stringContaining('KAFKA_USER'),
    })
  })
})
