/** Tables read in a real browser: over HTTP without listing, from a picked folder, from picked files. */

import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { build } from 'vite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { jsEngine } from '../../src/engine/js/index.ts'
import { localStore } from '../../src/storage/fs/index.ts'
import { deltaTables, localBackend } from '../../src/table/index.ts'
import { launchBrowser } from '../support/browser.ts'
import { repositoryRoot, sharedPath } from '../support/shared.ts'
import type { Reading } from './page.ts'

const TABLES = ['types-primitives-extremes', 'dv-partitioned', 'cm-id-new', 'ckpt-v2-json', 'row-tracking-new']

let bundle: string
let server: Server
let base: string
let browser: Browser
let page: Page
let requests: { readonly path: string; readonly range: string | undefined; readonly bytes: number }[] = []

beforeAll(async () => {
  bundle = mkdtempSync(join(tmpdir(), 'bayou-page-'))
  await build({
    configFile: false,
    logLevel: 'error',
    root: repositoryRoot,
    build: {
      outDir: bundle,
      target: 'es2023',
      rolldownOptions: {
        input: join(repositoryRoot, 'test/browser/page.ts'),
        output: { format: 'es', entryFileNames: 'page.js' },
      },
    },
  })
  server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url!, 'http://x').pathname)
    if (path === '/') {
      response.setHeader('content-type', 'text/html')
      response.end('<input type="file" webkitdirectory><script type="module" src="/page/page.js"></script>')
      return
    }
    const isPage = path.startsWith('/page/')
    const file = isPage ? join(bundle, path.slice(6)) : join(sharedPath('tables-spark'), path)
    sendFile(file, { isPage, path, range: request.headers.range, isHead: request.method === 'HEAD' }, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  browser = await launchBrowser()
  page = await browser.newPage()
  await page.goto(base)
  await page.waitForFunction('window.contract !== undefined')
})

afterAll(async () => {
  await browser?.close()
  server?.close()
  rmSync(bundle, { recursive: true, force: true })
})

interface Asked {
  readonly isPage: boolean
  readonly path: string
  readonly range: string | undefined
  readonly isHead: boolean
}

/** A plain file server with ranges, and nothing else: no listing. */
function sendFile(file: string, { isPage, path, range, isHead }: Asked, response: import('node:http').ServerResponse) {
  let bytes: Buffer
  try {
    bytes = statSync(file).isFile() ? readFileSync(file) : Buffer.alloc(0)
  } catch {
    response.writeHead(404).end()
    requests.push({ path, range, bytes: 0 })
    return
  }
  const asked = /^bytes=(\d*)-(\d*)$/.exec(range ?? '')
  const type = path.endsWith('.js') ? { 'content-type': 'text/javascript' } : {}
  if (asked === null) {
    response.writeHead(200, { ...type, 'content-length': bytes.length }).end(isHead ? undefined : bytes)
    if (!isPage && !isHead) requests.push({ path, range, bytes: bytes.length })
    return
  }
  const [start, end] = [Number(asked[1]), Math.min(Number(asked[2] || bytes.length - 1), bytes.length - 1)]
  const part = bytes.subarray(start, end + 1)
  response.writeHead(206, { 'content-range': `bytes ${start}-${end}/${bytes.length}`, 'content-length': part.length })
  response.end(part)
  requests.push({ path, range, bytes: part.length })
}

/** The rows as this process reads them from the folder. */
async function expected(table: string, where?: string): Promise<string[]> {
  const store = localStore(join(sharedPath('tables-spark'), table, 'table'))
  const backend = localBackend({ openStore: async () => store, engine: jsEngine() })
  const opened = await deltaTables(() => backend).forPath('table')
  const rows = await opened.scan({ ...(where && { where }), as: 'exact' }).rows()
  await backend.close()
  const print = (_: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value)
  return rows.map((row) => JSON.stringify(row, print)).sort()
}

function keysOf(table: string): string[] {
  const root = join(sharedPath('tables-spark'), table, 'table')
  const entries = readdirSync(root, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
}

const call = (name: string, ...args: unknown[]) =>
  page.evaluate(
    ([name, args]) => (window as never as Record<string, (...args: unknown[]) => Promise<unknown>>)[name]!(...args),
    [name, args] as const,
  )

describe('in a browser', () => {
  test('the store over a picked folder keeps the contract of stores', { timeout: 180_000 }, async () => {
    expect(await call('contract')).toEqual([])
  })

  test.each(TABLES)('%s gives its rows over HTTP without a listing', async (table) => {
    requests = []
    const found = (await call('readHttp', `${base}/${table}/table`, {})) as Reading
    expect(found.rows).toEqual(await expected(table))
    expect(requests.some(({ path }) => path.includes('?list'))).toBe(false)
    console.log(`${table} over HTTP: ${requests.length} requests, ${found.bytes} bytes, ${Math.round(found.ms)} ms`)
  })

  test('a predicate fetches only the files it needs', async () => {
    const url = `${base}/dv-partitioned/table`
    const fetched = async (options: object) => {
      requests = []
      const reading = (await call('readHttp', url, options)) as Reading
      return {
        reading,
        files: new Set(requests.filter(({ path }) => path.endsWith('.parquet')).map(({ path }) => path)).size,
      }
    }
    const all = await fetched({})
    const where = "p = 'a'"
    const some = await fetched({ where })
    expect(some.reading.rows).toEqual(await expected('dv-partitioned', where))
    expect(some.reading.rows.length).toBeGreaterThan(0)
    expect(some.files).toBeLessThan(all.files)
  })

  test.each(TABLES)('%s gives its rows from a picked folder', async (table) => {
    const found = (await call('readDirectory', `${base}/${table}/table`, keysOf(table), {})) as Reading
    expect(found.rows).toEqual(await expected(table))
    console.log(
      `${table} from a folder: ${JSON.stringify(found.calls)}, ${found.bytes} bytes, ${Math.round(found.ms)} ms`,
    )
  })

  test.each(TABLES)('%s gives its rows from picked files', async (table) => {
    await page.setInputFiles('input', join(sharedPath('tables-spark'), table, 'table'))
    const found = (await call('readPicked', {})) as Reading
    expect(found.rows).toEqual(await expected(table))
    console.log(`${table} from files: ${JSON.stringify(found.calls)}, ${found.bytes} bytes, ${Math.round(found.ms)} ms`)
  })
})
