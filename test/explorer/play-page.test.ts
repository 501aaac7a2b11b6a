/** The playground in a real browser: calls in both spellings, undo, share, keep, zip, keys, links, narrow screens. */
import { readFileSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { unzipTable } from '../../explorer/src/play/zip.ts'
import { seriousFaults } from '../support/axe.ts'
import { launchBrowser } from '../support/browser.ts'
import { watchFaults } from '../support/page-faults.ts'
import { type PageServer, servePage } from '../support/page-server.ts'

/** Whatever is looked for may take a while to come. */
const seen = <T>(get: () => T) => expect.poll(get, { timeout: 15_000 })

let server: PageServer
let browser: Browser
let page: Page
let faults: string[]

beforeAll(async () => {
  server = await servePage()
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser?.close()
  server?.close()
})
beforeEach(async () => {
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    locale: 'en-US',
    acceptDownloads: true,
  })
  page = await context.newPage()
  faults = watchFaults(page, server.base)
})
afterEach(async () => {
  await page.context().close()
  expect(faults).toEqual([])
})

const open = async (search = '?mode=play') => {
  await page.goto(server.base + search)
  await page.locator('.at-rows tbody').waitFor()
}
const text = async (selector: string) => (await page.locator(selector).first().textContent()) ?? ''
const stops = async () => await page.locator('.stops .stop').count()
const run = async () => await page.getByRole('button', { name: 'Run', exact: true }).click()

describe('the playground', () => {
  test('runs a call, shows what it wrote, and takes it back', async () => {
    await open()
    expect(await stops()).toBe(8)
    await page.getByRole('button', { name: 'Update', exact: true }).click()
    await run()
    await seen(() => text('.done-line')).toBe('Version 8: 5 rows updated')
    expect(await page.locator('.outcome-box .action').allTextContents()).toEqual(
      expect.arrayContaining(['commitInfo', 'add', 'remove']),
    )
    await seen(() => page.locator('.row-changed').count()).toBe(5)
    await page.getByRole('button', { name: 'Undo' }).click()
    await seen(stops).toBe(8)
  })

  test('either spelling fills the other', async () => {
    await open()
    await page.getByLabel('SQL', { exact: true }).fill("DELETE FROM orders WHERE country = 'FR'")
    await seen(() => page.getByLabel('TypeScript').inputValue()).toBe('await orders.delete("country = \'FR\'")')
    await page.getByLabel('TypeScript').fill("await orders.update({ set: { amount: '0.00' } })")
    await expect
      .poll(() => page.getByLabel('SQL', { exact: true }).inputValue())
      .toBe('UPDATE orders\nSET amount = 0.00')
    await page.getByLabel('SQL', { exact: true }).fill('DELETE FROM orders WHERE')
    await seen(() => text('.problem:not(:empty)')).toContain('syntax error')
    await page.getByLabel('SQL', { exact: true }).fill('ALTER TABLE orders ADD COLUMNS (channel STRING)')
    await page.keyboard.press('Control+Enter')
    await seen(() => text('.done-line')).toBe('Version 8')
    await seen(() => text('.at-rows thead')).toContain('channel')
  })

  test('a refused call says what to do and changes nothing', async () => {
    await open()
    await page.getByLabel('SQL', { exact: true }).fill('DELETE FROM orders WHERE nowhere = 1')
    await page.keyboard.press('Control+Enter')
    await seen(() => text('.failure code')).toContain('UNRESOLVED_COLUMN')
    expect(await page.getByLabel('SQL', { exact: true }).inputValue()).toContain('nowhere')
    expect(await stops()).toBe(8)
  })

  test('is kept by the browser until it is reset', async () => {
    await open()
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await run()
    await seen(stops).toBe(9)
    await page.reload()
    await page.locator('.at-rows tbody').waitFor()
    await seen(stops).toBe(9)
    await page.getByRole('button', { name: 'Reset' }).click()
    await seen(stops).toBe(8)
  })

  test('is shared by a link', async () => {
    await open()
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await run()
    await seen(stops).toBe(9)
    await page.getByRole('button', { name: 'Share' }).click()
    await seen(() => page.url()).toContain('#calls=')
    const link = page.url()
    const other = await (await browser.newContext({ locale: 'en-US' })).newPage()
    watchFaults(other, server.base).push = (...lines) => faults.push(...lines)
    await other.goto(link)
    await seen(() => other.locator('.stops .stop').count()).toBe(9)
    await other.context().close()
  })

  test('is downloaded as a zip and loaded again', async () => {
    await open()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download zip' }).click(),
    ])
    const path = await download.path()
    const names = unzipTable(new Uint8Array(readFileSync(path))).map(({ key }) => key)
    expect(names).toContain('_delta_log/00000000000000000007.json')
    await page.getByRole('button', { name: 'Overwrite', exact: true }).click()
    await run()
    await seen(stops).toBe(9)
    await page.getByLabel('zip of a table').setInputFiles(path)
    await seen(stops).toBe(8)
    await seen(() => text('.at-rows .pane-head')).toContain('11 rows')
  })

  test('finds by clicking in which commit a row disappeared and by which operation', async () => {
    await open('?mode=play&version=2')
    await page.getByRole('button', { name: "history of the row where order_id = '1046'" }).click()
    await seen(() => text('.verdict')).toBe('The row disappeared in v3, by DELETE.')
    expect(page.url()).toContain('row=')
    await page.reload()
    await seen(() => text('.verdict')).toBe('The row disappeared in v3, by DELETE.')
  })

  test('goes through versions by keys, opens a file and a commit', async () => {
    await open()
    await page.locator('body').press('Home')
    await seen(() => text('.stop[aria-current=true]')).toContain('v0')
    await page.keyboard.press('ArrowRight')
    await seen(() => text('.stop[aria-current=true]')).toContain('v1')
    // blocks are drawn anew when the version's files come
    await seen(async () => {
      if ((await page.locator('.file-panel').count()) === 0) await page.locator('.block').first().press('Enter')
      const tables = await page.locator('.file-panel table').allTextContents()
      return tables.join('')
    }).toContain('order_id')
    await page.keyboard.press('Escape')
    await seen(() => page.locator('.file-panel').count()).toBe(0)
    await page.getByRole('button', { name: 'actions of version 2' }).click()
    await page.locator('.action-list summary', { hasText: 'remove' }).click()
    await page.locator('.action-list .field', { hasText: 'deletionTimestamp' }).focus()
    expect(await text('.field-help')).toContain('the retention is counted from here')
    await page.keyboard.press('?')
    await page.locator('dialog[open]').waitFor()
  })

  test.each([['light'], ['dark']] as const)('has no serious fault of access in %s', async (colorScheme) => {
    await page.emulateMedia({ colorScheme })
    await open('?mode=play&version=3')
    await page.getByRole('button', { name: 'Merge', exact: true }).click()
    await page.locator('.sides tbody').first().waitFor()
    await page.waitForTimeout(400)
    expect(await seriousFaults(page)).toEqual([])
  })

  test('fits 360 pixels, pane by pane, and doubled text', async () => {
    await page.setViewportSize({ width: 360, height: 740 })
    await page.goto(`${server.base}?mode=play`)
    for (const name of ['folder', 'log', 'rows', 'call']) {
      await page.getByRole('tab', { name, exact: true }).click()
      await page.locator(`.at-${name}`).waitFor()
      expect(await page.evaluate(() => document.documentElement.scrollWidth), name).toBeLessThanOrEqual(360)
    }
  })

  test('moves nothing about while it loads', async () => {
    await page.addInitScript(() => {
      const shifts: number[] = []
      Object.assign(globalThis, { shifts })
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) shifts.push((entry as unknown as { value: number }).value)
      }).observe({ type: 'layout-shift', buffered: true })
    })
    await open()
    await page.waitForTimeout(500)
    const shifted = await page.evaluate(() =>
      (globalThis as unknown as { shifts: number[] }).shifts.reduce((sum, one) => sum + one, 0),
    )
    expect(shifted).toBeLessThan(0.1)
  })
})

describe('the page', () => {
  test('shows its first view with little script', async () => {
    const scripts: number[] = []
    page.on('response', async (response) => {
      if (response.url().endsWith('.js')) scripts.push((await response.body()).length)
    })
    const start = performance.now()
    await page.goto(server.base)
    await page.getByRole('heading', { name: 'See a table. Operate it.' }).waitFor()
    const ms = performance.now() - start
    const bytes = scripts.reduce((sum, one) => sum + one, 0)
    console.log(`first view: ${bytes} bytes of script, ${Math.round(ms)} ms`)
    expect(bytes).toBeLessThan(300_000)
  })

  test('opens a table by its address, from another folder of the host', async () => {
    await page.goto(`${server.base}?mode=explore`)
    await page.getByLabel('address of the table').fill(`${server.base}nothing-here`)
    await page.getByRole('button', { name: 'Open', exact: true }).click()
    await seen(() => text('.failure code')).toBe('DELTA_TABLE_NOT_FOUND')
    faults.length = 0
  })
})
