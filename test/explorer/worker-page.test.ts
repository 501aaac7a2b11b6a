/** A running worker in the explorer: real records through a real table, watched by a real browser. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { parseWorkerConfig, runWorker } from '../../src/worker/index.ts'
import { seriousFaults } from '../support/axe.ts'
import { launchBrowser } from '../support/browser.ts'
import { type Explored, startExplore } from '../support/explore-command.ts'
import { watchFaults } from '../support/page-faults.ts'

const shots = process.env.BAYOU_SCREENSHOTS
const root = mkdtempSync(join(tmpdir(), 'bayou-watched-'))
const seen = <T>(get: () => T) => expect.poll(get, { timeout: 20_000 })

let stop: AbortController
let ended: Promise<unknown>
let workerUrl: string
let server: Explored
let browser: Browser
let page: Page
let faults: string[]

beforeAll(async () => {
  stop = new AbortController()
  const config = parseWorkerConfig({
    name: 'shop',
    sources: [{ id: 'orders', type: 'http', schema: 'id BIGINT' }],
    destinations: [
      {
        id: 'lake',
        type: 'delta',
        location: join(root, 'table'),
        fileIntervalSecs: 1,
        deadLetterFile: join(root, 'refused.ndjson'),
      },
    ],
    routes: [{ source: 'orders', destination: 'lake' }],
    server: { port: 0 },
  })
  workerUrl = await new Promise<string>((resolve, reject) => {
    ended = runWorker(config, {
      signal: stop.signal,
      onEvent: (event) => event.kind === 'started' && resolve(event.url ?? ''),
    })
    ended.catch(reject)
  })
  server = await startExplore('--worker', workerUrl)
  browser = await launchBrowser()
  if (shots !== undefined) mkdirSync(shots, { recursive: true })
})
afterAll(async () => {
  await browser?.close()
  server?.close()
  stop.abort()
  await ended
  rmSync(root, { recursive: true, force: true })
})
beforeEach(async () => {
  page = await browser.newPage({ viewport: { width: 1280, height: 850 }, locale: 'en-US', reducedMotion: 'reduce' })
  faults = watchFaults(page, server.url)
})
afterEach(async ({ task }) => {
  if (shots !== undefined)
    await page.screenshot({
      path: join(shots, `worker-${task.name.replaceAll(/\W+/g, '-').slice(0, 50)}.png`),
      fullPage: true,
    })
  await page.close()
  expect(faults).toEqual([])
})

const text = async (selector: string) => (await page.locator(selector).first().textContent()) ?? ''
const post = async (lines: readonly string[]) =>
  await fetch(`${workerUrl}/orders`, { method: 'POST', body: lines.join('\n') })

describe('a worker in the explorer', () => {
  test('shows where records go, and what is committed and refused, as it happens', async () => {
    await page.goto(server.url)
    await page.getByRole('heading', { name: 'shop' }).waitFor()
    const [route] = await page.locator('.worker tbody tr').allTextContents()
    expect(route).toContain('orders http')
    expect(route).toContain('orders-to-lake')
    expect(route).toContain(join(root, 'table'))
    await seen(() => text('.destination')).toContain('none yet')
    const answer = await post(['{"id":1}', '{"id":2}', '{"id":"three"}'])
    expect(await answer.json()).toEqual({ records: 3, refused: 1 })
    await seen(() => text('.destination')).toMatch(/version \d+, \d+ seconds? ago/)
    const told = await text('.destination')
    expect(told).toContain('3 taken')
    expect(told).toContain('2 written in 1 file')
    expect(told).toContain('1 record did not fit')
    expect(told).toContain(join(root, 'refused.ndjson'))
    await seen(() => text('.throughput .pane-head')).toContain('records a second')
    expect(await seriousFaults(page)).toEqual([])
  })

  test.each(['light', 'dark'] as const)('fits a narrow screen in %s', async (colorScheme) => {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize({ width: 360, height: 740 })
    await page.goto(server.url)
    await page.locator('.destination').waitFor()
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360)
    expect(await seriousFaults(page)).toEqual([])
  })
})
