/** Streams of a real server into a table: restarts, poison, workers that come and go, workers that come late. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type JetStreamClient, type JetStreamManager, jetstreamManager, type StreamConfig } from '@nats-io/jetstream'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ObjectStore } from '../../src/storage/index.ts'
import { parseWorkerConfig, type RunOptions, runWorker, type WorkerEvent } from '../../src/worker/index.ts'
import { readTable } from '../worker/read-table.ts'
import { type Service, serviceMissing, startService } from './service.ts'

const missing = serviceMissing('nats')
if (missing !== undefined) console.log(`skipped: NATS sources against a server: ${missing}`)

interface NatsService extends Service {
  readonly servers: string
}

function gateOf() {
  let resolve = (): void => undefined
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve }
}

/** Holds back every commit behind the one that makes the table, until the gate opens. */
function heldStore() {
  const [gate, held] = [gateOf(), gateOf()]
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
  return { wrapStore, held: held.promise, open: gate.resolve }
}

describe.skipIf(missing !== undefined)('NATS sources', () => {
  let service: NatsService
  let folder: string
  let connection: NatsConnection
  let manager: JetStreamManager
  let jetStream: JetStreamClient
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'bayou-nats-'))
    service = await startService<NatsService>('nats')
    connection = await connect({ servers: service.servers })
    manager = await jetstreamManager(connection)
    jetStream = manager.jetstream()
  })
  afterAll(async () => {
    await connection?.close()
    service?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const configOf = (stream: string, { name = 'w', table = stream, ...source }: Record<string, unknown> = {}) =>
    parseWorkerConfig({
      name,
      sources: [
        {
          id: 'messages',
          type: 'nats',
          schema: 'id BIGINT, name STRING',
          servers: [service.servers],
          stream,
          durable: 'lake',
          standbySecs: 5,
          ...source,
        },
      ],
      routes: [{ source: 'messages', destination: 'lake' }],
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
  const drain = (stream: string, more: Record<string, unknown> = {}, options: RunOptions = {}) =>
    runWorker(configOf(stream, more), { once: true, env: {}, ...options })
  const begin = (stream: string, name: string, options: RunOptions = {}) => {
    const stop = new AbortController()
    const events: WorkerEvent[] = []
    const ended = runWorker(configOf(stream, { name }), {
      signal: stop.signal,
      env: {},
      onEvent: (event) => events.push(event),
      ...options,
    })
    const commits = () => events.filter(({ kind }) => kind === 'commit').length
    const end = async () => {
      stop.abort()
      await ended
    }
    return { commits, end }
  }
  const create = (name: string, more: Partial<StreamConfig> = {}) =>
    manager.streams.add({ name, subjects: [`${name}.>`], ...more })
  const send = async (stream: string, from: number, to: number, subject = 'a') => {
    const ids = Array.from({ length: to - from }, (_, i) => from + i)
    await Promise.all(
      ids.map((id) => jetStream.publish(`${stream}.${subject}`, JSON.stringify({ id, name: `n${id}` }))),
    )
  }
  const idsIn = async (table: string) => {
    const { rows } = await readTable(join(folder, table))
    return rows.map(([id]) => Number(id)).sort((a, b) => a - b)
  }
  const positionIn = async (table: string, stream = table) => {
    const { snapshot } = await readTable(join(folder, table))
    const { created } = await manager.streams.info(stream)
    return snapshot.transactions.get(`lake/lake/messages/${stream}/${created}`)?.version
  }
  const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i)

  it('messages are read, acknowledged behind their commit, and none is read twice by the next run', async () => {
    await create('plain')
    await send('plain', 0, 3000)
    await drain('plain')
    expect(await idsIn('plain')).toEqual(range(0, 3000))
    expect(await positionIn('plain')).toBe(3001n)
    await expect.poll(async () => (await manager.consumers.info('plain', 'lake')).ack_floor.stream_seq).toBe(3000)
    await send('plain', 3000, 3020)
    await drain('plain')
    await drain('plain')
    expect(await idsIn('plain')).toEqual(range(0, 3020))
  })

  it('a table that knows nothing goes on behind what was acknowledged', async () => {
    await create('anew')
    await send('anew', 0, 10)
    await drain('anew')
    await send('anew', 10, 15)
    await drain('anew', { table: 'anew-2' })
    expect(await idsIn('anew-2')).toEqual(range(10, 15))
    await drain('anew')
    expect(await idsIn('anew')).toEqual(range(0, 15))
  })

  it('one subject of a stream, from its end on', async () => {
    await create('subjects')
    await send('subjects', 0, 5, 'eu')
    await drain('subjects', { subject: 'subjects.eu', from: 'latest' })
    expect(await idsIn('subjects')).toEqual([])
    await send('subjects', 5, 10, 'us')
    await send('subjects', 10, 12, 'eu')
    await drain('subjects', { subject: 'subjects.eu' })
    expect(await idsIn('subjects')).toEqual([10, 11])
  })

  it('what is no record goes to the dead letters with its place, and the rest goes on', async () => {
    await create('poison')
    for (const value of ['{"id":0}', '{"id":"x"', '{\n "id": 2\n}', '', '{"id":4}\n']) {
      await jetStream.publish('poison.a', value)
    }
    await drain('poison')
    await drain('poison')
    expect(await idsIn('poison')).toEqual([0, 2, 4])
    const letters = readFileSync(join(folder, 'poison.w.dead.ndjson'), 'utf8').trim().split('\n')
    expect(letters.map((line) => JSON.parse(line))).toMatchObject([
      { partition: expect.stringMatching(/^poison\/2/), position: '2', record: '{"id":"x"' },
      { partition: expect.stringMatching(/^poison\/2/), position: '4', reason: 'the message is empty' },
    ])
  })

  it('a work queue is empty behind the commit, and what was committed without it leaves it at the next start', async () => {
    await create('queue', { retention: 'workqueue' })
    const messages = async () => (await manager.streams.info('queue')).state.messages
    await send('queue', 0, 200)
    await drain('queue')
    await expect.poll(messages).toBe(0)
    await send('queue', 200, 300)
    // as if the worker were killed between its commit and its acknowledgements
    const lost = new AbortController()
    const wrapStore = (store: ObjectStore): ObjectStore => ({
      ...store,
      putIfAbsent: async (key, ...rest) => {
        const answer = await store.putIfAbsent(key, ...rest)
        if (/_delta_log\/\d+\.json$/.test(key)) {
          await manager.consumers.delete('queue', 'lake')
          lost.abort()
        }
        return answer
      },
    })
    await runWorker(configOf('queue'), { signal: lost.signal, env: {}, wrapStore })
    expect([await idsIn('queue'), await messages()]).toEqual([range(0, 300), 100])
    await send('queue', 300, 310)
    await drain('queue')
    expect(await idsIn('queue')).toEqual(range(0, 310))
    await expect.poll(messages).toBe(0)
  })

  it('workers come and go, and one is always reading: each record once', { timeout: 180_000 }, async () => {
    await create('moving')
    let sent = 0
    const more = async () => {
      await send('moving', sent, sent + 100)
      sent += 100
    }
    const first = begin('moving', 'a')
    await more()
    await expect.poll(first.commits, { timeout: 30_000 }).toBeGreaterThan(0)
    const second = begin('moving', 'b')
    await more()
    await expect.poll(second.commits, { timeout: 30_000 }).toBeGreaterThan(0)
    const third = begin('moving', 'c')
    await more()
    await expect.poll(third.commits, { timeout: 30_000 }).toBeGreaterThan(0)
    await third.end()
    await more()
    const others = () => idsIn('moving')
    await expect.poll(others, { timeout: 60_000, interval: 500 }).toHaveLength(sent)
    await Promise.all([first.end(), second.end()])
    await drain('moving', { name: 'last' })
    expect(await idsIn('moving')).toEqual(range(0, sent))
  })

  it('a worker whose commit comes late commits nothing that its heir has committed', { timeout: 180_000 }, async () => {
    await create('late')
    await send('late', 0, 90)
    const { wrapStore, held, open } = heldStore()
    const zombie = begin('late', 'zombie', { wrapStore })
    await held
    await send('late', 90, 100)
    const heir = begin('late', 'heir')
    await expect.poll(() => idsIn('late'), { timeout: 60_000, interval: 500 }).toHaveLength(100)
    open()
    await send('late', 100, 130)
    await expect.poll(() => idsIn('late'), { timeout: 60_000, interval: 500 }).toHaveLength(130)
    await Promise.all([zombie.end(), heir.end()])
    await drain('late', { name: 'last' })
    expect(await idsIn('late')).toEqual(range(0, 130))
  })

  it('messages that something else pulls from the consumer are read all the same', { timeout: 120_000 }, async () => {
    await create('shared')
    const worker = begin('shared', 'a')
    await send('shared', 0, 10)
    await expect.poll(worker.commits, { timeout: 30_000 }).toBeGreaterThan(0)
    const intruder = await jetStream.consumers.get('shared', 'lake')
    const pulled: number[] = []
    const pull = await intruder.fetch({ max_messages: 20, expires: 5000 })
    const pulling = (async () => {
      for await (const message of pull) pulled.push(message.seq)
    })().catch(() => undefined) // the worker makes the consumer anew, which ends the pull
    for (let i = 10; i < 200; i += 10) await send('shared', i, i + 10)
    await pulling
    await expect.poll(() => idsIn('shared'), { timeout: 60_000, interval: 500 }).toHaveLength(200)
    expect(pulled.length).toBeGreaterThan(0)
    await worker.end()
    expect(await idsIn('shared')).toEqual(range(0, 200))
  })

  it('streams and consumers that it cannot read exactly are refused', async () => {
    await create('interest', { retention: 'interest' })
    await expect(drain('interest')).rejects.toMatchObject({ code: 'WORKER_STREAM_RETENTION' })
    await create('foreign')
    await manager.consumers.add('foreign', { durable_name: 'lake', ack_policy: 'explicit' })
    await expect(drain('foreign')).rejects.toMatchObject({
      code: 'WORKER_CONSUMER_FOREIGN',
      message: 'the consumer lake of the stream foreign was not made by a worker',
    })
  })

  it('a stream that was deleted and made again is read from its beginning', async () => {
    await create('again')
    await send('again', 0, 20)
    await drain('again')
    await manager.streams.delete('again')
    await create('again')
    await send('again', 20, 50)
    await drain('again')
    expect(await idsIn('again')).toEqual(range(0, 50))
  })

  it('servers and streams that are not there, and credentials that are not, are named', async () => {
    await expect(drain('none')).rejects.toMatchObject({
      code: 'WORKER_SOURCE_FAILED',
      message: expect.stringContaining('stream not found'),
    })
    await expect(drain('none', { servers: ['127.0.0.1:1'] })).rejects.toMatchObject({
      code: 'WORKER_SOURCE_FAILED',
      message: expect.stringMatching(/refused/i),
    })
    await expect(drain('none', { token: 'NATS_TOKEN' })).rejects.toMatchObject({
      code: 'WORKER_SOURCE_CREDENTIAL_MISSING',
      message: expect.stringContaining('NATS_TOKEN'),
    })
  })
})
