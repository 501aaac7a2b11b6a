/**
 * Syslog messages, as datagrams or over TCP, where each is counted (`12 <34>…`) or ends with a newline (RFC 6587).
 *
 * Senders are told nothing, whatever becomes of their messages: what the worker has when it is killed is lost with it.
 * Over TCP senders wait while too much is without a commit; datagrams that come then are dropped, and counted.
 */
import { createSocket, type Socket as UdpSocket } from 'node:dgram'
import { createServer, type Server, type Socket } from 'node:net'
import { causeText, deltaError } from '../../errors/index.ts'
import { concatBytes, decodeUtf8 } from '../../support/index.ts'
import type { SourceOfType } from '../config/config.ts'
import { ONLY_PARTITION } from './file.ts'
import type { OpenOptions, Source, SourceBatch } from './source.ts'

type SyslogConfig = SourceOfType<'syslog'>

const NEWLINE = 0x0a
/** how long messages are gathered for a batch */
const GATHER_MS = 200
const BATCH_BYTES = 1024 * 1024

export interface SyslogSource extends Source {
  /** the port it listens on, once it does */
  readonly port: number | undefined
}

export function syslogSource(config: SyslogConfig): SyslogSource {
  const inbox = new Inbox(config.maxPendingBytes)
  let port: number | undefined
  return {
    id: config.id,
    isReplayable: false,
    get port() {
      return port
    },
    async *open({ signal, onWarning = () => undefined }: OpenOptions): AsyncGenerator<SourceBatch> {
      const drops = new Drops(onWarning)
      const isUdp = config.protocol === 'udp'
      const listener = isUdp ? await listenUdp(config, inbox, drops) : await listenTcp(config, inbox, drops)
      port = listener.port
      signal.addEventListener('abort', () => inbox.close(), { once: true })
      if (signal.aborted) inbox.close()
      try {
        yield* inbox.batches()
      } finally {
        inbox.close()
        await listener.close()
        drops.tell()
      }
    },
  }
}

const TELL_MS = 10_000

/** Messages that were not taken: told at once, then every ten seconds. */
class Drops {
  private readonly onWarning: (text: string) => void
  private count = 0
  private reason = ''
  private toldAtMs = 0

  constructor(onWarning: (text: string) => void) {
    this.onWarning = onWarning
  }

  add(reason: string): void {
    if (reason !== this.reason) this.tell()
    this.reason = reason
    this.count++
    if (Date.now() - this.toldAtMs >= TELL_MS) this.tell()
  }

  tell(): void {
    if (this.count === 0) return
    this.onWarning(`${this.count} ${this.count === 1 ? 'message was' : 'messages were'} dropped: ${this.reason}`)
    this.count = 0
    this.toldAtMs = Date.now()
  }
}

/** Messages that no batch holds yet, and the room for more. */
class Inbox {
  private readonly limit: number
  private messages: Uint8Array[] = []
  private bytes = 0
  private pending = 0
  private position = 0n
  private isOpen = true
  private wake = (): void => undefined
  private readonly drained = new Set<() => void>()

  constructor(limit: number) {
    this.limit = limit
  }

  get isFull(): boolean {
    return this.pending >= this.limit
  }

  add(message: Uint8Array): void {
    if (message.length === 0 || !this.isOpen) return
    this.messages.push(message)
    this.bytes += message.length
    this.pending += message.length
    this.wake()
  }

  /** Calls once there is room again. */
  onDrained(call: () => void): void {
    this.drained.add(call)
  }

  close(): void {
    this.isOpen = false
    this.wake()
  }

  async *batches(): AsyncGenerator<SourceBatch> {
    while (this.isOpen || this.messages.length > 0) {
      if (this.messages.length === 0) await this.something()
      else {
        if (this.isOpen && this.bytes < BATCH_BYTES) await new Promise((resolve) => setTimeout(resolve, GATHER_MS))
        yield this.take()
      }
    }
  }

  private something(): Promise<void> {
    return new Promise((resolve) => {
      this.wake = resolve
      if (!this.isOpen || this.messages.length > 0) resolve()
    })
  }

  private take(): SourceBatch {
    const messages = this.messages
    const held = this.bytes
    this.messages = []
    this.bytes = 0
    const start = this.position
    this.position += BigInt(messages.length)
    const bytes = concatBytes(messages.flatMap((message) => [oneLine(message), Uint8Array.of(NEWLINE)]))
    return {
      partition: ONLY_PARTITION,
      bytes,
      start,
      end: this.position,
      unit: 'record',
      settle: () => this.free(held),
    }
  }

  private free(bytes: number): void {
    this.pending -= bytes
    if (this.isFull) return
    for (const call of this.drained) call()
    this.drained.clear()
  }
}

/** Ends of lines inside of a message are escaped as syslog daemons do when they write files. */
function oneLine(message: Uint8Array): Uint8Array {
  let end = message.length
  while (end > 0 && (message[end - 1] === NEWLINE || message[end - 1] === 0x0d || message[end - 1] === 0)) end--
  const body = message.subarray(0, end)
  return body.includes(NEWLINE) ? new TextEncoder().encode(decodeUtf8(body).replaceAll('\n', '#012')) : body
}

interface Listener {
  readonly port: number
  close(): Promise<void>
}

async function listenUdp(config: SyslogConfig, inbox: Inbox, drops: Drops): Promise<Listener> {
  const socket = createSocket(config.host.includes(':') ? 'udp6' : 'udp4')
  socket.on('message', (message) => {
    if (inbox.isFull) drops.add('too much waits for its commit')
    else if (message.length > config.maxMessageBytes) drops.add(`it holds more than ${config.maxMessageBytes} bytes`)
    else inbox.add(new Uint8Array(message))
  })
  await bound(socket, config, () => socket.bind(config.port, config.host))
  return {
    port: socket.address().port,
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  }
}

async function listenTcp(config: SyslogConfig, inbox: Inbox, drops: Drops): Promise<Listener> {
  const connections = new Set<Socket>()
  const server = createServer((connection) => {
    connections.add(connection)
    connection.on('close', () => connections.delete(connection))
    connection.on('error', () => connection.destroy())
    receive(connection, config, { inbox, drops })
  })
  await bound(server, config, () => server.listen(config.port, config.host))
  return {
    port: (server.address() as { port: number }).port,
    close: () => {
      for (const connection of connections) connection.destroy()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

function bound(listener: UdpSocket | Server, config: SyslogConfig, listen: () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    listener.once('listening', resolve)
    listener.once('error', (cause) => {
      const text = `port ${config.port} of ${config.host} cannot be listened on: ${causeText(cause)}`
      reject(deltaError('WORKER_SOURCE_FAILED', { source: config.id, cause: text }, { cause }))
    })
    listen()
  })
}

/** Takes messages off a connection; what makes no sense ends it. */
function receive(
  connection: Socket,
  { maxMessageBytes }: SyslogConfig,
  { inbox, drops }: { readonly inbox: Inbox; readonly drops: Drops },
): void {
  let rest: Uint8Array = new Uint8Array(0)
  connection.on('data', (chunk) => {
    rest = rest.length === 0 ? new Uint8Array(chunk) : concatBytes([rest, chunk])
    for (let frame = nextFrame(rest); frame !== undefined; frame = nextFrame(rest)) {
      inbox.add(rest.subarray(frame.start, frame.stop))
      rest = rest.subarray(frame.end)
    }
    if (rest.length > maxMessageBytes) {
      drops.add(`it holds more than ${maxMessageBytes} bytes`)
      connection.destroy()
    } else if (inbox.isFull) {
      connection.pause()
      inbox.onDrained(() => connection.resume())
    }
  })
  connection.on('end', () => inbox.add(rest))
}

const COUNT = /^([1-9]\d{0,8}) </

/** @returns undefined where more bytes are needed */
function nextFrame(bytes: Uint8Array): { start: number; stop: number; end: number } | undefined {
  const count = COUNT.exec(decodeUtf8(bytes.subarray(0, 12)))?.[1]
  if (count !== undefined) {
    const start = count.length + 1
    const end = start + Number(count)
    return end <= bytes.length ? { start, stop: end, end } : undefined
  }
  const stop = bytes.indexOf(NEWLINE)
  return stop < 0 ? undefined : { start: 0, stop, end: stop + 1 }
}
