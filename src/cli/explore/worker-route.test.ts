import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { Meter } from '../../worker/server/meter.ts'
import { workerApp } from '../../worker/server/worker-server.ts'
import { askWorker, workerRoute } from './worker-route.ts'

/** A server that answers all requests alike, for the time of the work. */
async function answering<T>(status: number, body: string, work: (url: string) => Promise<T>): Promise<T> {
  const server = createServer((_, response) => response.writeHead(status).end(body))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    return await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  } finally {
    server.close()
  }
}

test('a status is what /status says of each destination', async () => {
  const meter = new Meter('lake', () => undefined)
  meter.committed({
    version: 3,
    files: 1,
    rows: 2,
    refused: 1,
    filtered: 0,
    ignoredFields: 0,
    fileBytes: 10,
    recordBytes: 20,
    ms: 5,
  })
  const facts = {
    name: 'shop',
    beganAtMs: 0,
    sources: [{ id: 'orders', type: 'http' }],
    routes: [{ id: 'r', source: 'orders', destination: 'lake' }],
    destinations: [{ id: 'lake', target: '/lake', bufferBytes: 100, deadLetterFile: 'x' }],
  }
  const status = await (await workerApp([meter], [], facts).request('/status')).json()
  expect(status).toMatchObject({
    ...facts,
    destinations: [
      { id: 'lake', status: 'ok', records: 3, rows: 2, refused: 1, lastVersion: 3, heldBytes: 0, bufferBytes: 100 },
    ],
  })
  await answering(200, JSON.stringify(status), async (url) => {
    expect(await (await workerRoute(url).request('/')).json()).toEqual(status)
  })
})

test.each([
  [404, 'not found', 'it answered 404'],
  [200, '{"status":"ok"}', 'no status of a worker'],
  [200, '<html>', 'no status of a worker'],
])('an answer %i %s is refused by name', async (status, body, reason) => {
  await answering(status, body, async (url) => {
    await expect(askWorker(url)).rejects.toMatchObject({
      code: 'LAKE_WORKER_UNREACHABLE',
      message: expect.stringContaining(reason),
    })
  })
})

test('a worker that is not there is told as a failure', async () => {
  const url = await answering(200, '', async (address) => address)
  const answer = await (await workerRoute(url).request('/')).json()
  const message = expect.stringContaining('ECONNREFUSED')
  expect(answer).toMatchObject({ failure: { code: 'LAKE_WORKER_UNREACHABLE', message } })
})
