/**
 * The explorer's server: the built page, the list of tables, and their stores, on 127.0.0.1.
 *
 * It answers only requests that name this machine as host, so that a page of another site cannot reach it through a
 * name it points here, and it only reads.
 */
import { readFile } from 'node:fs/promises'
import { basename, extname, join, normalize, sep } from 'node:path'
import { type ServerType, serve } from '@hono/node-server'
import { Hono } from 'hono'
import { causeText, deltaError, isDeltaError } from '../../errors/index.ts'
import type { ObjectStore } from '../../storage/index.ts'
import { packagePath } from '../package-folder.ts'
import { storeRoutes } from './store-routes.ts'

export interface ExploredTable {
  readonly name: string
  readonly store: ObjectStore
}

export interface ExploreServer {
  /** `http://127.0.0.1:PORT/` */
  readonly url: string
  close(): Promise<void>
}

export interface ExploreOptions {
  /** 0 takes any free port */
  readonly port: number
  /** another address than 127.0.0.1 has to be asked for */
  readonly host?: string
}

const PAGE_FOLDER = packagePath('dist', 'explorer')

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.wasm': 'application/wasm',
  '.svg': 'image/svg+xml',
}

/**
 * Starts the server.
 *
 * @throws DeltaError `LAKE_PORT_IN_USE` when the port is taken
 */
export async function startExploreServer(
  tables: readonly ExploredTable[],
  { port, host = '127.0.0.1' }: ExploreOptions,
): Promise<ExploreServer> {
  const app = exploreApp(tables, host)
  return new Promise((resolve, reject) => {
    const server: ServerType = serve({ fetch: app.fetch, port, hostname: host }, (address) => {
      resolve({ url: `http://${host}:${address.port}/`, close: () => closeServer(server) })
    })
    server.on('error', (cause: NodeJS.ErrnoException) => {
      reject(cause.code === 'EADDRINUSE' ? deltaError('LAKE_PORT_IN_USE', { host, port }, { cause }) : cause)
    })
  })
}

function closeServer(server: ServerType): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    if ('closeAllConnections' in server) server.closeAllConnections()
  })
}

/** The routes, without a socket. */
export function exploreApp(tables: readonly ExploredTable[], host: string): Hono {
  const app = new Hono()
  app.use(async (context, next) => {
    if (!isOwnHost(context.req.header('host'), host))
      return context.text('this server answers to its own address only', 403)
    await next()
    context.header('x-content-type-options', 'nosniff')
    return undefined
  })
  app.get('/api/tables', (context) =>
    context.json(
      tables.map(({ name, store }, id) => ({
        id,
        name: name === '.' ? basename(store.location) : name,
        location: store.location,
      })),
    ),
  )
  tables.forEach(({ store }, id) => {
    app.route(`/store/${id}`, storeRoutes(store, `/store/${id}`))
  })
  app.get('*', async (context) => answerPage(new URL(context.req.url).pathname))
  app.onError((error, context) => {
    const body = isDeltaError(error) ? `${error.code}: ${error.message}` : causeText(error)
    return context.text(body, 500)
  })
  return app
}

function isOwnHost(header: string | undefined, host: string): boolean {
  const name = (header ?? '').replace(/:\d+$/, '')
  return name === host || ['127.0.0.1', 'localhost', '[::1]'].includes(name)
}

async function answerPage(path: string): Promise<Response> {
  const file = normalize(join(PAGE_FOLDER, path === '/' ? 'index.html' : decodeURIComponent(path)))
  if (!file.startsWith(PAGE_FOLDER + sep)) return new Response('not found', { status: 404 })
  try {
    const type = CONTENT_TYPES[extname(file)] ?? 'application/octet-stream'
    return new Response(new Uint8Array(await readFile(file)), { headers: { 'content-type': type } })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Response('not found', { status: 404 })
    throw error
  }
}
