/** Each chapter of the guide starts the playground in the state its figure shows. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchBrowser } from '../support/browser.ts'
import { watchFaults } from '../support/page-faults.ts'
import { type PageServer, servePage } from '../support/page-server.ts'

/** chapter, newest version, rows of it */
const STATES: readonly (readonly [string, number, number])[] = [
  ['folder', 0, 12],
  ['plain', 0, 12],
  ['log', 0, 12],
  ['modes', 1, 12],
  ['schema', 0, 8],
  ['rewrite', 1, 12],
  ['partitions', 1, 12],
  ['skipping', 1, 12],
  ['merge', 1, 12],
  ['time', 7, 11],
  ['restore', 6, 3],
  ['upkeep', 6, 15],
  ['history', 7, 11],
  ['writers', 1, 12],
  ['features', 1, 11],
  ['fit', 7, 11],
]

let server: PageServer
let browser: Browser
let page: Page
let faults: string[]

beforeAll(async () => {
  server = await servePage()
  browser = await launchBrowser()
  page = await browser.newPage({ viewport: { width: 1440, height: 900 }, locale: 'en-US', reducedMotion: 'reduce' })
  faults = watchFaults(page, server.base)
})
afterAll(async () => {
  await browser?.close()
  server?.close()
  expect(faults).toEqual([])
})

test.each(STATES)('%s: the playground opens at version %i with %i rows', async (step, version, rows) => {
  await page.goto(`${server.base}?mode=guide&step=${step}`)
  await page.locator('.figure').waitFor()
  await page.getByRole('button', { name: 'Take it to the playground' }).click()
  await page.locator('.builder').waitFor()
  await expect
    .poll(() => page.locator('.at-rows .pane-head').textContent(), { timeout: 15_000 })
    .toMatch(new RegExp(`at v${version}\\D*${rows} rows`))
  expect(await page.locator('.stops .stop').count()).toBe(version + 1)
})
