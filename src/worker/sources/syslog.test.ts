import { createSocket } from 'node:dgram'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { decodeUtf8 } from '../../support/index.ts'
import { parseWorkerConfig } from '../config/config.ts'
import { openSource } from './open-source.ts'
import type { SourceBatch } from './source.ts'
import type { SyslogSource } from './syslog.ts'

const SCHEMA = 'severity INT, host STRING, message STRING'

interface Listening {
  readonly source: SyslogSource
  readonly batches: SourceBatch[]
  readonly warnings: string[]
  stop(): Promise<void>
}

async function listen(settings: object): Promise<Listening> {
  const config = { id: 's', type: 'syslog', schema: SCHEMA, port: 0, ...settings }
  const source = openSource(parseWorkerConfig({ sources: [config] }).sources[0]!, {
    input: (async function* () {})(),
    lookup: () => undefined,
  })
  const stopping = new AbortController()
  const batches: SourceBatch[] = []
  const warnings: string[] = []
  const onWarning = (text: string) => warnings.push(text)
  const reading = (async () => {
    const options = { positionOf: () => 0n, once: false, signal: stopping.signal, onWarning }
    for await (const batch of source.open(options)) batches.push(batch)
  })()
  await until(() => (source as SyslogSource).port !== undefined)
  const stop = async () => {
    stopping.abort()
    await reading
  }
  return { source: source as SyslogSource, batches, warnings, stop }
}

async function until(holds: () => boolean): Promise<void> {
  for (let i = 0; i < 500 && !holds(); i++) await new Promise((resolve) => setTimeout(resolve, 10))
  expect(holds()).toBe(true)
}

const linesOf = (batches: readonly SourceBatch[]) =>
  batches.flatMap(({ bytes }) => decodeUtf8(bytes).split('\n').slice(0, -1))

test('datagrams become records, what is no message is kept for the refusal', async () => {
  const { source, batches, stop } = await listen({})
  const socket = createSocket('udp4')
  const send = (text: string) => new Promise((resolve) => socket.send(text, source.port!, '127.0.0.1', resolve))
  await send('<34>1 2026-01-01T00:00:00Z web - - - - two\nlines')
  await send('no syslog')
  await until(() => linesOf(batches).length === 2)
  socket.close()
  await stop()
  expect(linesOf(batches)).toEqual(['{"severity":2,"host":"web","message":"two#012lines"}', '""'])
  expect([...batches.flatMap(({ origin }) => [...origin!.faults.values()])]).toEqual([
    'the line is not a syslog message',
  ])
  expect(batches.at(-1)!.end).toBe(2n)
})

test('TCP takes counted messages and lines, in pieces of any size, and the last one without its end', async () => {
  const { source, batches, stop } = await listen({ protocol: 'tcp' })
  const socket = connect(source.port!, '127.0.0.1')
  const text = '25 <34>1 - a - - - - counted<34>1 - b - - - - line\r\n<34>1 - c - - - - last'
  for (const piece of text.match(/.{1,7}/gs)!) {
    await new Promise((resolve) => socket.write(piece, resolve))
    await new Promise((resolve) => setImmediate(resolve))
  }
  socket.end()
  await until(() => linesOf(batches).length === 3)
  await stop()
  expect(linesOf(batches).map((line) => (JSON.parse(line) as { message: string }).message)).toEqual([
    'counted',
    'line',
    'last',
  ])
})

test('TCP senders wait while too much has no commit, and go on when it has', async () => {
  const { source, batches, stop } = await listen({ protocol: 'tcp', maxPendingBytes: 2000 })
  const socket = connect(source.port!, '127.0.0.1')
  const message = `<34>1 - a - - - - ${'x'.repeat(982)}\n`
  let sent = 0
  for (let i = 0; i < 40; i++) socket.write(message, () => sent++)
  await until(() => batches.length > 0)
  const before = linesOf(batches).length
  let settled = 0
  await new Promise((resolve) => setTimeout(resolve, 500))
  expect(linesOf(batches).length).toBe(before)
  while (linesOf(batches).length < 40) {
    while (settled < batches.length) batches[settled++]!.settle?.({ kind: 'committed', refused: 0 })
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  expect(sent).toBe(40)
  socket.destroy()
  await stop()
})

test('datagrams that are dropped are told of', async () => {
  const { source, batches, warnings, stop } = await listen({ maxPendingBytes: 10 })
  const socket = createSocket('udp4')
  const send = (text: string) => new Promise((resolve) => socket.send(text, source.port!, '127.0.0.1', resolve))
  await send('<34>1 - a - - - - taken')
  await until(() => batches.length === 1)
  await send('<34>1 - a - - - - dropped')
  await until(() => warnings.length === 1)
  socket.close()
  await stop()
  expect(warnings).toEqual(['1 message was dropped: too much waits for its commit'])
})

test('a port that is taken is refused by name', async () => {
  const { source, stop } = await listen({ protocol: 'tcp' })
  await expect(listenAgain(source.port!)).rejects.toMatchObject({ code: 'WORKER_SOURCE_FAILED' })
  await stop()
})

async function listenAgain(port: number): Promise<void> {
  const config = { id: 's', type: 'syslog', schema: SCHEMA, protocol: 'tcp', port }
  const source = openSource(parseWorkerConfig({ sources: [config] }).sources[0]!, {
    input: (async function* () {})(),
    lookup: () => undefined,
  })
  const signal = new AbortController().signal
  for await (const _ of source.open({ positionOf: () => 0n, once: false, signal })) return
}
