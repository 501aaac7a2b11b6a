/** Every chapter of the guide and the playground in a real browser: what is pressed, and what must be seen then. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { seriousFaults } from '../support/axe.ts'
import { launchBrowser } from '../support/browser.ts'
import { watchFaults } from '../support/page-faults.ts'
import { type PageServer, servePage } from '../support/page-server.ts'

/** Screens are kept here when it is set. */
const shots = process.env.BAYOU_SCREENSHOTS

/** Whatever is looked for may take a while to come. */
const seen = <T>(get: () => T) => expect.poll(get, { timeout: 15_000 })

let server: PageServer
let browser: Browser
let page: Page
let faults: string[]

beforeAll(async () => {
  server = await servePage()
  browser = await launchBrowser()
  if (shots !== undefined) mkdirSync(shots, { recursive: true })
})
afterAll(async () => {
  await browser?.close()
  server?.close()
})
beforeEach(async () => {
  page = await browser.newPage({ viewport: { width: 1440, height: 900 }, locale: 'en-US', reducedMotion: 'reduce' })
  faults = watchFaults(page, server.base)
})
afterEach(async ({ task }) => {
  if (shots !== undefined) {
    await page.screenshot({
      path: join(shots, `${task.name.replaceAll(/\W+/g, '-').slice(0, 60)}.png`),
      fullPage: true,
    })
  }
  await page.close()
  expect(faults).toEqual([])
})

const press = async (name: string | RegExp, scope = 'body') =>
  await page
    .locator(scope)
    .getByRole('button', { name, exact: typeof name === 'string' })
    .first()
    .click()
const open = async (search: string) => {
  await page.goto(server.base + search)
}
const chapter = async (step: string) => {
  await open(`?mode=guide&step=${step}`)
  await page.locator('.figure').waitFor()
}
const text = async (selector: string) => (await page.locator(selector).first().textContent()) ?? ''
const count = async (selector: string) => await page.locator(selector).count()
const settled = async () => await page.locator('.at-rows .rows[aria-busy=false] tbody').waitFor()

describe('the guide', () => {
  test('a folder of files: a stray file changes the sum', async () => {
    await chapter('folder')
    await seen(() => text('.sum')).toContain('4 + 4 + 4 = 12 rows')
    await press('Drop a stray file in')
    await seen(() => text('.sum')).toContain('= 15 rows')
    await page.locator('.block').first().click()
    await seen(() => text('.orders-of-file')).toContain('1043')
    expect(await seriousFaults(page)).toEqual([])
  })

  test('a plain folder gives a count that was never true', async () => {
    await chapter('plain')
    await press('Read the folder')
    await press('Advance the write')
    await seen(() => text('.progress-line')).toContain('2 of 6')
    await press('Read the folder')
    for (const rows of [4, 6]) {
      await press('Advance the write')
      await seen(() => text('.progress-line')).toContain(`${rows} of 6`)
    }
    await press('Read the folder')
    const readings = await page.locator('.readings li').allTextContents()
    expect(readings.map((line) => line.slice(0, 7))).toEqual(['12 rows', '14 rows', '18 rows'])
    expect(await count('.false-count')).toBe(1)
  })

  test('the log is written last: the count jumps once', async () => {
    await chapter('log')
    await press('Read the table')
    await press('Write the data file')
    await seen(() => count('.block.uncommitted')).toBe(1)
    await press('Read the table')
    await press('Commit')
    await seen(() => count('.block.live')).toBe(4)
    await press('Read the table')
    await expect
      .poll(() => page.locator('.readings li').allTextContents())
      .toEqual(['12 rows at version 0', '12 rows at version 0', '18 rows at version 1'])
  })

  test('append adds, overwrite removes every file, and the version before is still readable', async () => {
    await chapter('modes')
    await press('append these two rows')
    await seen(() => text('.commits .chosen .counts')).toBe('+1 file+2 rows')
    await press('overwrite with them')
    await seen(() => text('.commits .chosen .counts')).toBe('−4 files+1 file−14 rows+2 rows')
    await seen(() => text('.at-rows .banner')).toContain('Version 2 is still readable')
    await press(/^v2/, '.strip')
    await seen(() => text('.at-rows .pane-head')).toContain('14 rows at v2')
  })

  test('the schema is checked, and grows when it is told to', async () => {
    await chapter('schema')
    await press('append a column it does not have')
    await seen(() => text('.failure code')).toBe('DELTA_METADATA_MISMATCH')
    await press('append words where numbers belong')
    await seen(() => text('.failure')).toContain('amount')
    expect(await count('.stops li')).toBe(1)
    await press('append with mergeSchema')
    await seen(() => text('.at-rows thead')).toContain('channel')
  })

  test('one row rewrites a file, a row in every file rewrites all; a deletion vector rewrites none', async () => {
    await chapter('rewrite')
    const rewritten = () => text('.at-rows .banner')
    await press('a row in one file')
    await seen(rewritten).toContain('Rows updated: 1. Rows that had to be written anew beside them: 3')
    expect(await count('.touched-removed')).toBe(1)
    expect(await count('.cell.changed')).toBe(2)
    await press('a row in every file')
    await seen(rewritten).toContain('Rows updated: 3. Rows that had to be written anew beside them: 9')
    await press('turn deletion vectors on')
    await seen(() => text('.commits .chosen')).toContain('SET TBLPROPERTIES')
    await press('delete one row')
    await seen(() => text('.block.touched-marked')).toContain('1 row marked deleted')
  })

  test('partitions open what the layout and the question say', async () => {
    await chapter('partitions')
    const opened = () => text('.tallies li')
    const choose = async (name: string) => await page.getByRole('radio', { name, exact: true }).check()
    await seen(opened).toBe('3 of 3 files opened')
    await choose('by country')
    await seen(opened).toBe('1 of 3 files opened')
    await choose("month = '2024-03'")
    await seen(opened).toBe('3 of 3 files opened')
    await choose('by country and month')
    await seen(opened).toBe('2 of 6 files opened')
    await choose('both')
    await seen(opened).toBe('1 of 6 files opened')
    expect(await text('.tallies')).toContain('2 rows a file on average')
  })

  test('data skipping says why', async () => {
    await chapter('skipping')
    await expect
      .poll(() => page.locator('.reasons li').allTextContents())
      .toEqual([
        expect.stringContaining('opened'),
        expect.stringContaining('order_id 1045–1048 cannot be 1043'),
        expect.stringContaining('order_id 1049–1052 cannot be 1043'),
      ])
    await page.getByLabel('without statistics').check()
    await seen(() => text('.tallies li')).toBe('3 of 3 files opened')
  })

  test('merge: clauses before they run, the cases, and the commit', async () => {
    await chapter('merge')
    const fires = () => page.locator('.sides .fires:not(.none)').allTextContents()
    await seen(fires).toEqual(['2 update', '1 delete', '2 update', '3 insert', '3 insert', '1 delete'])
    expect(await count('.stops li')).toBe(2)
    await press('Execute')
    await seen(() => text('.done-line')).toBe('Version 2: 1 row updated, 1 deleted, 2 inserted')
    await press('An old file, guarded')
    await press('Execute')
    await seen(() => text('.done-line')).toContain('no clause fired')
    await press('An old file, unguarded')
    await press('Execute')
    await seen(() => text('.done-line')).toContain('1 row updated')
    await press('Two source rows for one order')
    await seen(() => text('.fires.refused')).toContain('refused')
    await press('Execute')
    await seen(() => text('.failure code')).toBe('DELTA_MULTIPLE_SOURCE_ROW_MATCHING_TARGET_ROW_IN_MERGE')
    await press('A clause that can never fire')
    await press('Execute')
    await seen(() => text('.failure code')).toContain('DELTA_NON_LAST')
    expect(await seriousFaults(page)).toEqual([])
  })

  test('time travel by slider, by time, and compared', async () => {
    await chapter('time')
    await settled()
    await press(/^v1/, '.strip')
    await seen(() => text('.at-rows tbody tr:nth-child(3)')).toContain('1250.00')
    await page.getByLabel('as of (UTC)').fill('2024-04-05 12:00:00')
    await press('Go to that time')
    await seen(() => text('.at-rows .pane-head')).toContain('at v4')
    await page.getByLabel('as of (UTC)').fill('1999-01-01')
    await press('Go to that time')
    await seen(() => text('.failure code')).toContain('DELTA_TIMESTAMP')
    await page.getByLabel('compare with another version').check()
    await seen(() => text('.difference h2')).toBe('v4 → v7')
    await seen(() => text('.difference')).toContain('The same rows at both versions')
  })

  test('restore appends a commit', async () => {
    await chapter('restore')
    await seen(() => count('.stops li')).toBe(7)
    await press('restore version 4')
    await seen(() => text('.stop[aria-current=true]')).toContain('RESTORE')
    await seen(() => text('.at-rows .pane-head')).toContain('11 rows at v7')
    expect(await count('.stops li')).toBe(8)
  })

  test('vacuum crosses out the versions it took', async () => {
    await chapter('upkeep')
    await press('VACUUM, dry run')
    await seen(() => text('.done-line')).toContain('No commit')
    await press('a week passes')
    await seen(() => count('.block.vacuumable')).toBe(1)
    await press('VACUUM')
    await seen(() => count('.block.vacuumed')).toBe(1)
    await seen(() => count('.stop.unreadable')).toBe(6)
    await press(/^v0/, '.strip')
    await seen(() => text('.at-rows .warning')).toContain('cannot be read any more')
  })

  test('history as a report', async () => {
    await chapter('history')
    await press('add a commit with a note')
    await seen(() => text('.figure tbody tr')).toContain('asked for by the shop')
  })

  test.each([
    ['append + append', 'committed', 'committed version 3'],
    ['update + update, one file', 'lost', 'DELTA_CONCURRENT_APPEND'],
    ['update + delete of what it read', 'lost', 'DELTA_CONCURRENT_DELETE_READ'],
    ['merge + append that it would match', 'lost', 'DELTA_CONCURRENT_APPEND'],
    ['schema change + append', 'lost', 'DELTA_METADATA_CHANGED'],
    ['an answer that is lost', 'committed', 'committed version 3'],
  ])('two writers: %s', async (preset, end, told) => {
    await chapter('writers')
    await page.getByRole('radio', { name: preset, exact: true }).check()
    await page.locator('.lanes .lane').first().waitFor()
    for (const lane of ['A', 'B']) await press('Read', `[aria-label="writer ${lane}"]`)
    for (const lane of ['A', 'B']) {
      const scope = page.locator(`[aria-label="writer ${lane}"]`)
      for (const step of ['Write files', 'Commit']) {
        const button = scope.getByRole('button', { name: step, exact: true })
        await seen(async () => (await scope.getAttribute('class'))?.includes('idle')).toBe(false)
        await page.waitForFunction(
          () =>
            document.querySelector('.lane button.primary:not(:disabled)') !== null ||
            document.querySelector('.lane.lost, .lane.committed') !== null,
        )
        if (await button.isEnabled()) await button.click()
        await page.locator('.run-line button:not(:disabled)').first().waitFor()
      }
    }
    await seen(async () => await page.locator(`.lane.${end}[aria-label="writer B"]`).count()).toBe(1)
    expect(await text('[aria-label="writer B"]')).toContain(told)
    if (preset === 'an answer that is lost')
      expect(await text('[aria-label="writer A"] .trace')).toContain('the answer was lost')
    if (end === 'lost') {
      await press('Run it again', '[aria-label="writer B"]')
      await seen(() => text('[aria-label="writer B"] .trace')).toContain('read version 2')
    }
  })

  test('a feature is dropped: protocol, empty commits, who opens it', async () => {
    await chapter('features')
    await seen(() => text('.before-after')).toContain('Readers must know deletionVectors')
    await press('DROP FEATURE deletionVectors')
    await expect
      .poll(() => page.locator('.before-after > div').nth(1).textContent())
      .toContain('Every reader of Delta opens it')
    expect(
      (await page.locator('.commit strong').allTextContents()).filter((name) => name === 'Empty Commit'),
    ).toHaveLength(3)
  })

  test('goes through all chapters by keyboard, each without serious faults of access', {
    timeout: 180_000,
  }, async () => {
    await open('?mode=guide')
    for (let chapters = 1; ; chapters++) {
      await page.locator('.figure').waitFor()
      await page.waitForTimeout(400)
      expect(await seriousFaults(page), await page.title()).toEqual([])
      const next = page.getByRole('button', { name: 'Next →' })
      if (await next.isDisabled()) {
        expect(chapters).toBe(16)
        break
      }
      await next.focus()
      await page.keyboard.press('Enter')
      await page.getByText(`Chapter ${chapters + 1} of 16`).waitFor()
    }
  })

  test('is taken to the playground with its state', async () => {
    await chapter('modes')
    await press('append these two rows')
    await seen(() => count('.stops li')).toBe(3)
    await press('Take it to the playground')
    await page.locator('.builder').waitFor()
    await seen(() => text('.at-rows .pane-head')).toContain('14 rows at v2')
  })
})
