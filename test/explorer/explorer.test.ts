/** The explorer as a person meets it: the built command, a real browser, a real table. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { seriousFaults } from '../support/axe.ts'
import { launchBrowser } from '../support/browser.ts'
import { cli, type Explored, startExplore } from '../support/explore-command.ts'
import { watchFaults } from '../support/page-faults.ts'

const order = (order_id: string, country: string, amount: string) => ({ order_id, country, amount })

/** Three versions: two orders, two more, and one with a text that HTML would take for markup. */
const WRITES = [
  [order('1042', 'DE', '10.00'), order('1043', 'DE', '12.50')],
  [order('1044', 'FR', '7.25'), order('1045', 'NL', '99.90')],
  [order('<b>1046</b>', 'FR', '1.00')],
]

/** Whatever is looked for may take a while to come. */
const seen = <T>(get: () => T) => expect.poll(get, { timeout: 15_000 })

let root: string
let table: string
let server: Explored
let url: string
let browser: Browser

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'bayou-explorer-'))
  table = join(root, 'orders')
  for (const rows of WRITES) {
    const input = rows.map((row) => JSON.stringify(row)).join('\n')
    execFileSync(process.execPath, [cli, 'write', table, '-', '--partition-by', 'country', '--mode', 'append'], {
      input,
    })
  }
  server = await startExplore(table)
  url = server.url
  browser = await launchBrowser()
})

afterAll(async () => {
  await browser?.close()
  server?.close()
  rmSync(root, { recursive: true, force: true })
})

describe('the explorer', () => {
  let page: Page
  let faults: string[]

  beforeEach(async () => {
    page = await browser.newPage({ viewport: { width: 1200, height: 800 }, locale: 'en-US' })
    faults = watchFaults(page, url)
  })

  afterEach(async () => {
    await page.close()
    expect(faults).toEqual([])
  })

  const open = async (search = '') => {
    await page.goto(url + search)
    await page.getByRole('tab', { name: 'Rows' }).waitFor()
  }
  const cells = async () => {
    await page.locator('[aria-busy=false] tbody').waitFor()
    return await page
      .locator('tbody tr')
      .evaluateAll((rows) => rows.map((row) => [...row.children].map((c) => c.textContent)))
  }

  test('lists the versions and shows the rows of the newest', async () => {
    await open()
    expect(await page.locator('.versions .virtual li').count()).toBe(3)
    expect((await cells()).map((row) => row[0]).sort()).toEqual(['1042', '1043', '1044', '1045', '<b>1046</b>'])
    expect(await page.title()).toContain('orders')
  })

  test('goes to an older version, and Back comes back', async () => {
    await open()
    await page.getByRole('button', { name: /^v0/ }).click()
    await page.getByText('version 0 of 2').waitFor()
    await seen(async () => (await cells()).length).toBe(2)
    expect(page.url()).toContain('version=0')
    await page.goBack()
    await page.getByText('version 2 of 2').waitFor()
    await seen(async () => (await cells()).length).toBe(5)
  })

  test('filters rows, and a link restores the screen', async () => {
    await open()
    await page.getByLabel('where').fill("country = 'FR' and amount > '2'")
    await page.keyboard.press('Enter')
    await seen(async () => (await cells()).map((row) => row[0])).toEqual(['1044'])
    const link = page.url()
    await page.goto('about:blank')
    await page.goto(link)
    await seen(async () => (await cells()).map((row) => row[0])).toEqual(['1044'])
  })

  test('says what is wrong with a predicate and keeps it', async () => {
    await open()
    await page.getByLabel('where').fill('nowhere = 1')
    await page.keyboard.press('Enter')
    const alert = page.getByRole('alert')
    await alert.waitFor()
    expect(await alert.textContent()).toContain('UNRESOLVED_COLUMN')
    expect(await page.getByLabel('where').inputValue()).toBe('nowhere = 1')
  })

  test('says why a file is skipped', async () => {
    await open(`?pane=files&where=${encodeURIComponent("country = 'NL'")}`)
    await page.getByText(/4 live files, .* 1 file to read, 3 files skipped/).waitFor()
    const skipped = await page.locator('.file.skipped .outcome').allTextContents()
    expect(skipped).toEqual(expect.arrayContaining([expect.stringContaining('country')]))
  })

  test('shows the actions of a commit as they are', async () => {
    await open('?pane=log&version=0')
    await page.getByText('_delta_log/00000000000000000000.json').waitFor()
    const kinds = await page.locator('.action-list .action').allTextContents()
    expect(new Set(kinds)).toEqual(new Set(['commitInfo', 'protocol', 'metaData', 'add']))
    await page.locator('.action-list summary', { hasText: 'metaData' }).click()
    expect(await page.locator('.action-list details[open] pre').textContent()).toContain('"partitionColumns"')
  })

  test('tells what lies in the folder, and shows the files of one state and one folder', async () => {
    writeFileSync(join(table, 'country=DE', 'part-left-behind.parquet'), 'PAR1 and no more')
    await open('?pane=folder')
    const states = page.locator('.state-list')
    await states.getByRole('button', { name: /^orphaned/ }).click()
    await page.getByText('1 orphaned file', { exact: true }).waitFor()
    expect(await page.locator('.storage td:nth-child(2)').allTextContents()).toContain(
      'country=DE/part-left-behind.parquet',
    )
    await states.getByRole('button', { name: /^orphaned/ }).click()
    await page.getByRole('button', { name: 'country=FR/' }).click()
    await page.getByText('2 files below country=FR').waitFor()
    rmSync(join(table, 'country=DE', 'part-left-behind.parquet'))
  })

  test('tells schema, protocol and properties', async () => {
    await open('?pane=about')
    await page.getByText('reader version 1, writer version 2').waitFor()
    expect(await page.locator('.about .scroll').first().locator('tbody tr td:first-child').allTextContents()).toEqual([
      'order_id',
      'country',
      'amount',
    ])
  })

  test('is used by keyboard alone', async () => {
    await open()
    await page.getByRole('tab', { name: 'Rows' }).focus()
    await page.keyboard.press('ArrowRight')
    await page.getByText('4 live files').waitFor()
    expect(await page.getByRole('tab', { name: 'Files' }).evaluate((tab) => tab === document.activeElement)).toBe(true)
    await page.getByRole('slider').focus()
    await page.keyboard.press('Home')
    await page.getByText('version 0 of 2').waitFor()
    expect(await page.getByRole('slider').getAttribute('aria-valuetext')).toBe('version 0 of 2, WRITE')
  })

  test('follows the system in dark, and the switch', async () => {
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
    await page.emulateMedia({ colorScheme: 'light' })
    await open()
    const light = await ground()
    await page.emulateMedia({ colorScheme: 'dark' })
    expect(await ground()).not.toBe(light)
    await page.getByLabel('colours').selectOption('light')
    await seen(ground).toBe(light)
  })

  test('tells the history of a row that is still there', async () => {
    await open()
    await page.getByRole('button', { name: /^v0/ }).click()
    await seen(async () => (await cells()).length).toBe(2)
    await page.getByRole('button', { name: "history of the row where order_id = '1042'" }).click()
    await page.getByText('The row is in the table').waitFor()
    expect(await page.locator('.events').textContent()).toContain('appeared by WRITE')
  })

  test('shows what is different between two versions', async () => {
    await open('?pane=changes&version=2&against=0')
    await page.getByText('v0 → v2').waitFor()
    await seen(async () => page.locator('.difference .row-new').count()).toBe(3)
    await page.getByLabel('as change feed').check()
    await page.getByText('DELTA_MISSING_CHANGE_DATA').waitFor()
  })

  test('runs statements in the serving process, as a table and as a chart', async () => {
    await open('?pane=sql')
    await page
      .getByLabel('Statement')
      .fill('select country, count(*) as n from orders group by country order by country')
    await page.keyboard.press('Control+Enter')
    await seen(async () => (await cells()).map((row) => row.join(' '))).toEqual(['DE 2', 'FR 2', 'NL 1'])
    await page.getByLabel('as a chart').check()
    await page.locator('.chart canvas').waitFor()
    await page.getByLabel('Statement').fill('drop table orders')
    await page.getByRole('button', { name: 'Run' }).click()
    await page.getByRole('alert').waitFor()
    expect(await page.getByRole('alert').textContent()).toContain('LAKE_USAGE')
  })

  test('searches the history', async () => {
    await open()
    await page.getByPlaceholder('search the history').fill('nothing of the kind')
    await page.keyboard.press('Enter')
    await page.getByText('no commit speaks of it').waitFor()
  })

  test('fits a narrow screen, pane by pane, each without serious faults of access', async () => {
    await page.setViewportSize({ width: 360, height: 740 })
    for (const pane of ['rows', 'files', 'folder', 'log', 'changes', 'story', 'sql', 'about']) {
      await open(`?pane=${pane}`)
      await page.locator('#pane [aria-busy=false], #pane .difference').first().waitFor()
      const width = await page.evaluate(() => document.documentElement.scrollWidth)
      expect(width, pane).toBeLessThanOrEqual(360)
      expect(await seriousFaults(page), pane).toEqual([])
    }
  })
})
