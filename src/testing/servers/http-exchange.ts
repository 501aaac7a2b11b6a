/** One request and its answer, as the servers of this folder see them. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request, read whole. */
export interface ServerRequest {
  readonly method: string
  /** as it was sent, still encoded, without the query */
  readonly path: string
  readonly query: URLSearchParams
  /** names in lower case */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly bytes: Uint8Array
}

export interface Answer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string | number>>
  readonly body?: Uint8Array | string
}

/** What becomes of the answer to a request. */
export type Sending =
  | { readonly kind: 'whole'; readonly answer: Answer }
  | { readonly kind: 'hang up' }
  /** the head of the answer, so many bytes of its body, then nothing or the end of the connection */
  | { readonly kind: 'cut body'; readonly answer: Answer; readonly bytes: number; readonly then: 'stall' | 'hang up' }

export interface ListeningServer {
  /** `http://127.0.0.1:PORT` */
  readonly url: string
  close(): Promise<void>
}

/** Listens on a free port of this host until it is closed; open connections end with it. */
export async function listen(serve: (request: ServerRequest) => Promise<Sending>): Promise<ListeningServer> {
  const server = createServer((incoming, response) => {
    receive(incoming)
      .then(serve)
      .then(
        (sending) => send(sending, response),
        () => response.destroy(), // the client went away in the middle
      )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, close: () => close(server) }
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}

async function receive(incoming: IncomingMessage): Promise<ServerRequest> {
  const parts: Buffer[] = []
  for await (const part of incoming) parts.push(part as Buffer)
  const [path = '/', query = ''] = splitOnce(incoming.url ?? '/', '?')
  const headers = Object.fromEntries(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]))
  const { method = 'GET' } = incoming
  return { method, path, query: new URLSearchParams(query), headers, bytes: Buffer.concat(parts) }
}

function splitOnce(text: string, at: string): [string, string] {
  const index = text.indexOf(at)
  return index < 0 ? [text, ''] : [text.slice(0, index), text.slice(index + 1)]
}

function send(sending: Sending, response: ServerResponse): void {
  if (sending.kind === 'hang up') {
    response.destroy()
    return
  }
  const { status, headers, body } = sending.answer
  const length = body === undefined ? 0 : typeof body === 'string' ? Buffer.byteLength(body) : body.length
  response.writeHead(status, { ...(status === 204 ? {} : { 'content-length': length }), ...headers })
  if (sending.kind === 'whole') {
    response.end(body)
    return
  }
  response.write(Buffer.from(body ?? '').subarray(0, sending.bytes), () => {
    if (sending.then === 'hang up') response.destroy()
  })
}
