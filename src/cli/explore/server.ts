/**
 * The explorer's server: the built page, the list of tables, their stores, and statements over them, on 127.0.0.1.
 *
 * It answers only requests that name this machine as host and, where a browser says where they come from, its own page,
 * so that a page of another site cannot reach it through a name it points here. Whatever runs something asks for a token
 * that only its own page carries. It only reads tables.
 */
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { extname, join, normalize, sep } from 'node:path'
import { type ServerType, serve } from '@hono/node-server'
import { Hono } from 'hono'
import { causeText, deltaError, isDeltaError } from '../../errors/index.ts'
import { packagePath } from '../package-folder.ts'
import { type ExploredTable, shownName, statementName } from './explored-table.ts'
import { type ExploredRepository, repositoryRoutes } from './repository-routes.ts'
import { type RunStatement, statementRoute } from './statement-route.ts'
import { storeRoutes } from './store-routes.ts'
import { workerRoute } from './worker-route.ts'

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
  /** runs statements that only read; without it the page has no SQL */
  readonly runStatement?: RunStatement
  /** a frozen repository, shown instead of tables */
  readonly repository?: ExploredRepository
  /** where a running worker tells of itself: `http://127.0.0.1:9464` */
  readonly worker?: string
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
  { port, host = '127.0.0.1', ...shown }: ExploreOptions,
): Promise<ExploreServer> {
  const app = exploreApp(tables, host, shown)
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
export function exploreApp(
  tables: readonly ExploredTable[],
  host: string,
  { runStatement, repository, worker }: Omit<ExploreOptions, 'port' | 'host'> = {},
): Hono {
  const app = new Hono()
  const shows = [tables.length > 0 && 'tables', repository && 'repository', worker && 'worker'].filter(Boolean)
  const token = randomBytes(24).toString('base64url')
  app.use(async (context, next) => {
    const ownHost = context.req.header('host')
    if (!isOwnHost(ownHost, host)) return context.text('this server answers to its own address only', 403)
    if (!isOwnOrigin(context.req.header('origin'), ownHost, context.req.header('sec-fetch-site')))
      return context.text('this server answers to its own page only', 403)
    await next()
    context.header('x-content-type-options', 'nosniff')
    context.header('referrer-policy', 'no-referrer')
    context.header('content-security-policy', "frame-ancestors 'none'")
    return undefined
  })
  if (runStatement !== undefined) app.route('/api/sql', statementRoute(runStatement, token))
  app.get('/api/tables', (context) =>
    context.json(
      tables.map(({ name, store }, id) => ({
        id,
        name: shownName(name, store.location),
        statementName: statementName(name, store.location),
        location: store.location,
      })),
    ),
  )
  if (repository !== undefined) app.route('/api/repository', repositoryRoutes(repository))
  if (worker !== undefined) app.route('/api/worker', workerRoute(worker))
  tables.forEach(({ store }, id) => {
    app.route(`/store/${id}`, storeRoutes(store, `/store/${id}`))
  })
  app.get('*', async (context) => {
    const path = new URL(context.req.url).pathname
    return path === '/'
      ? await answerIndex(runStatement === undefined ? '' : token, shows.join(' '))
      : await answerFile(path)
  })
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

/** A request of a page elsewhere says so, in one way or the other; what is no browser says nothing. */
function isOwnOrigin(origin: string | undefined, host: string | undefined, site: string | undefined): boolean {
  if (site !== undefined && !['same-origin', 'none'].includes(site)) return false
  return origin === undefined || origin === `http://${host}`
}

/** The page, told what it is served with and by which token it may ask for statements. */
async function answerIndex(token: string, shows: string): Promise<Response> {
  const text = await readFile(join(PAGE_FOLDER, 'index.html'), 'utf8')
  const told = `<meta name="bayou-served" content="${token}" /><meta name="bayou-shows" content="${shows}" />`
  return new Response(text.replace('</head>', `  ${told}\n  </head>`), {
    headers: { 'content-type': CONTENT_TYPES['.html']!, 'cache-control': 'no-store' },
  })
}

async function answerFile(path: string): Promise<Response> {
  const file = normalize(join(PAGE_FOLDER, decodeURIComponent(path)))
  if (!file.startsWith(PAGE_FOLDER + sep)) return new Response('not found', { status: 404 })
  try {
    const type = CONTENT_TYPES[extname(file)] ?? 'application/octet-stream'
    return new Response(new Uint8Array(await readFile(file)), { headers: { 'content-type': type } })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Response('not found', { status: 404 })
    throw error
  }
}
