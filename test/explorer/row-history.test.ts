/** A person finds, by clicking alone, in which commit a row of a real table disappeared, and by which operation. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchBrowser } from '../support/browser.ts'
import { cli, type Explored, startExplore } from '../support/explore-command.ts'
import { watchFaults } from '../support/page-faults.ts'

const root = mkdtempSync(join(tmpdir(), 'bayou-row-history-'))
const table = join(root, 'orders')
const seen = <T>(get: () => T) => expect.poll(get, { timeout: 15_000 })

let server: Explored
let browser: Browser

beforeAll(async () => {
  const bayou = (args: readonly string[], ids: readonly number[] = []) =>
    execFileSync(process.execPath, [cli, ...args], {
      input: ids.map((id) => JSON.stringify({ order_id: String(id) })).join('\n'),
    })
  const append = ['write', table, '-', '--mode', 'append']
  bayou(append, [1, 2])
  bayou(append, [3])
  bayou(['sql', `DELETE FROM delta.\`${table}\` WHERE order_id = '2'`])
  bayou(append, [4])
  server = await startExplore(table)
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser?.close()
  server?.close()
  rmSync(root, { recursive: true, force: true })
})

test('the row that v1 has is followed to the commit that took it', async () => {
  const page = await browser.newPage({ viewport: { width: 1200, height: 800 }, locale: 'en-US' })
  const faults = watchFaults(page, server.url)
  await page.goto(server.url)
  await page.getByRole('button', { name: /^v1/ }).click()
  await page.getByText('version 1 of 3').waitFor()
  await page.getByRole('button', { name: "history of the row where order_id = '2'" }).click()
  await seen(() => page.locator('.verdict').textContent()).toBe('The row disappeared in v2, by DELETE.')
  expect(page.url()).toContain('row=')
  await page.close()
  expect(faults).toEqual([])
})
