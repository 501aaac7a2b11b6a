/** `GET /api/worker`: what a running worker tells of itself, asked for its page, which may ask no other address. */
import { Hono } from 'hono'
import { causeText, deltaError } from '../../errors/index.ts'
import { failureOf } from './failure.ts'

const WAIT_MS = 5000
const MAX_BYTES = 1_000_000

/** @param url the address of the worker's server: `http://127.0.0.1:9464` */
export function workerRoute(url: string): Hono {
  const app = new Hono()
  app.get('/', async (context) => {
    try {
      const text = await askWorker(url)
      return context.body(text, 200, { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' })
    } catch (error) {
      return context.json({ failure: failureOf(error) })
    }
  })
  return app
}

/** @throws DeltaError `LAKE_WORKER_UNREACHABLE` */
export async function askWorker(url: string): Promise<string> {
  const address = `${url.replace(/\/+$/, '')}/status`
  const unreachable = (reason: string, cause?: unknown) =>
    deltaError('LAKE_WORKER_UNREACHABLE', { url: address, reason }, { cause })
  let answer: Response
  try {
    answer = await fetch(address, { signal: AbortSignal.timeout(WAIT_MS), redirect: 'error' })
  } catch (cause) {
    // fetch says why in the cause of what it throws
    throw unreachable(causeText((cause as Error).cause ?? cause), cause)
  }
  const text = answer.ok ? await answer.text() : ''
  if (!answer.ok) throw unreachable(`it answered ${answer.status}`)
  if (text.length > MAX_BYTES || !isStatus(text)) throw unreachable('what it answered is no status of a worker')
  return text
}

function isStatus(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && 'destinations' in value && Array.isArray(value.destinations)
  } catch {
    return false
  }
}
