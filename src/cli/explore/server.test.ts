import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { memoryStore } from '../../storage/index.ts'
import { encodeUtf8 } from '../../support/index.ts'
import { findTables } from './find-tables.ts'
import { type ExploreServer, startExploreServer } from './server.ts'
import { parseRange } from './store-routes.ts'

describe('the explorer server', () => {
  let server: ExploreServer
  const get = (path: string, headers: Record<string, string> = {}) => fetch(`${server.url}${path}`, { headers })

  beforeAll(async () => {
    const store = memoryStore()
    await store.put('_delta_log/00000000000000000000.json', encodeUtf8('0123456789'))
    await store.put('p=a%2Fb/é 1.parquet', encodeUtf8('x'))
    server = await startExploreServer([{ name: 'orders', store }], {
      port: 0,
      runStatement: async (sql) => ({ columns: [{ name: 'sql', type: 'string' }], rows: [[sql]], more: false }),
    })
  })
  afterAll(() => server.close())

  test('lists its tables', async () => {
    expect(await (await get('api/tables')).json()).toEqual([expect.objectContaining({ id: 0, name: 'orders' })])
  })

  test('answers objects and ranges', async () => {
    const key = 'store/0/_delta_log/00000000000000000000.json'
    expect(await (await get(key)).text()).toBe('0123456789')
    const part = await get(key, { range: 'bytes=2-4' })
    expect([part.status, part.headers.get('content-range'), await part.text()]).toEqual([206, 'bytes 2-4/10', '234'])
    expect((await get(key, { range: 'bytes=10-' })).status).toBe(416)
    expect((await get('store/0/_delta_log/1.json')).status).toBe(404)
  })

  test('decodes a key once', async () => {
    expect(await (await get(`store/0/${encodeURIComponent('p=a%2Fb/é 1.parquet')}`)).text()).toBe('x')
  })

  test('lists keys as JSON', async () => {
    const listed = await (await get('store/0/?list&prefix=_delta_log/&shallow=true')).json()
    expect(listed).toEqual([expect.objectContaining({ key: '_delta_log/00000000000000000000.json', size: 10 })])
  })

  test('refuses another host name', async () => {
    const status = await new Promise((resolve, reject) => {
      const { port } = new URL(server.url)
      const call = request({ port, path: '/api/tables', headers: { host: 'evil.example' } }, (answer) => {
        answer.resume()
        resolve(answer.statusCode)
      })
      call.on('error', reject).end()
    })
    expect(status).toBe(403)
  })

  test('refuses a page of another site, and a statement without its token', async () => {
    const path = 'api/sql'
    expect((await get('api/tables', { origin: 'http://evil.example' })).status).toBe(403)
    const post = (headers: Record<string, string>) =>
      fetch(`${server.url}${path}`, { method: 'POST', headers, body: JSON.stringify({ sql: 'select 1' }) })
    expect((await post({ 'content-type': 'application/json' })).status).toBe(403)
    const page = await (await get('')).text()
    const [, token = ''] = /name="bayou-served" content="([^"]+)"/.exec(page) ?? []
    const answer = await post({ 'content-type': 'application/json', 'x-bayou-token': token })
    expect(await answer.json()).toEqual({
      columns: [{ name: 'sql', type: 'string' }],
      rows: [['select 1']],
      more: false,
    })
  })

  test('does not leave its page folder', async () => {
    expect((await get('..%2f..%2fpackage.json')).status).toBe(404)
  })

  test('says which port is taken', async () => {
    const port = Number(new URL(server.url).port)
    await expect(startExploreServer([], { port })).rejects.toMatchObject({ code: 'LAKE_PORT_IN_USE' })
  })
})

test.each([
  ['bytes=2-4', { start: 2, end: 5 }],
  ['bytes=7-', { start: 7, end: 10 }],
  ['bytes=-3', { start: 7, end: 10 }],
  ['bytes=8-99', { start: 8, end: 10 }],
  ['bytes=10-', undefined],
  ['bytes=-', undefined],
  ['lines=1-2', undefined],
])('%s of ten bytes', (header, expected) => {
  expect(parseRange(header, 10)).toEqual(expected)
})

describe('findTables', () => {
  test('finds tables at any level and does not enter them', async () => {
    const root = await mkdtemp(join(tmpdir(), 'bayou-find-'))
    for (const path of ['a/_delta_log', 'b/c/_delta_log', 'b/c/inner/_delta_log', '.hidden/_delta_log']) {
      await mkdir(join(root, path), { recursive: true })
    }
    expect((await findTables(root)).map((table) => table.name)).toEqual(['a', 'b/c'])
    await rm(root, { recursive: true })
  })

  test('names a folder without a table', async () => {
    const root = await mkdtemp(join(tmpdir(), 'bayou-find-'))
    await expect(findTables(root)).rejects.toMatchObject({ code: 'DELTA_TABLE_NOT_FOUND' })
    await rm(root, { recursive: true })
  })
})
