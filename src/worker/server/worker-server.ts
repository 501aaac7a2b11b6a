/** What a worker serves: `/health`, `/metrics`, `/status`, and the batches posted to its http sources. */
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import { Hono } from 'hono'
import { causeText, deltaError } from '../../errors/index.ts'
import type { ServerConfig } from '../config/config.ts'
import type { HttpSource } from '../sources/posted-source.ts'
import type { Meter } from './meter.ts'
import { metricsText } from './metrics.ts'
import { type WorkerFacts, workerStatus } from './status.ts'

export interface WorkerServer {
  readonly url: string
  close(): Promise<void>
}

/** @throws DeltaError `WORKER_PORT_UNAVAILABLE` */
export async function startServer(
  config: ServerConfig,
  meters: readonly Meter[],
  sources: readonly HttpSource[],
  facts?: WorkerFacts,
): Promise<WorkerServer> {
  const server = createAdaptorServer({ fetch: workerApp(meters, sources, facts).fetch }) as Server
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(config.port, config.host, resolve)
    })
  } catch (cause) {
    throw deltaError('WORKER_PORT_UNAVAILABLE', { ...config, cause: causeText(cause) }, { cause })
  }
  const { port } = server.address() as AddressInfo
  const host = config.host.includes(':') ? `[${config.host}]` : config.host
  return {
    url: `http://${host}:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeIdleConnections()
      }),
  }
}

export function workerApp(meters: readonly Meter[], sources: readonly HttpSource[], facts?: WorkerFacts): Hono {
  const app = new Hono()
  // A page of another site can make a browser post here; no page has business with a worker.
  app.use(async (context, next) => {
    const origin = context.req.header('origin')
    if (origin !== undefined && URL.parse(origin)?.host !== context.req.header('host')) {
      return context.json({ error: 'requests from pages of other origins are refused' }, 403)
    }
    return next()
  })
  app.get('/health', (context) => {
    const stalled = meters.filter((meter) => meter.isStalled)
    const destinations = meters.map((meter) => ({
      id: meter.id,
      status: meter.isStalled ? 'stalled' : 'ok',
      reason: meter.totals.stalledReason,
      lastVersion: meter.totals.lastVersion,
    }))
    const status = stalled.length === 0 ? 'ok' : 'stalled'
    return context.json({ status, destinations }, stalled.length === 0 ? 200 : 503)
  })
  app.get('/metrics', (context) =>
    context.body(metricsText(meters), 200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }),
  )
  if (facts !== undefined) app.get('/status', (context) => context.json(workerStatus(facts, meters, Date.now())))
  for (const source of sources) {
    app.post(source.path, (context) => source.receive(context.req.raw))
    app.all(source.path, (context) => context.json({ error: 'batches are posted here' }, 405, { allow: 'POST' }))
  }
  return app
}
