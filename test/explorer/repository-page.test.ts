/** A frozen repository as a person meets it: the built command, a real browser, two published versions. */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { lakePath, makeRoot } from '../ducklake/lakes.ts'
import { seriousFaults } from '../support/axe.ts'
import { launchBrowser } from '../support/browser.ts'
import { cli, type Explored, startExplore } from '../support/explore-command.ts'
import { watchFaults } from '../support/page-faults.ts'

const shots = process.env.BAYOU_SCREENSHOTS
const root = makeRoot()
const repository = join(root.path, 'lake')
const bayou = (...args: string[]) => execFileSync(process.execPath, [cli, ...args], { encoding: 'utf8' })

/** Whatever is looked for may take a while to come. */
const seen = <T>(get: () => T) => expect.poll(get, { timeout: 15_000 })

let server: Explored
let browser: Browser
let page: Page
let faults: string[]

beforeAll(async () => {
  bayou('repo', 'init', repository)
  bayou('repo', 'publish', repository, lakePath('plain', 'catalog.duckdb'), '-m', 'first', '--author', 'ann')
  bayou('repo', 'publish', repository, lakePath('history', 'catalog.duckdb'), '-m', 'second')
  bayou('repo', 'publish', repository, '--query', 'select 7 as a', '--as', 'main.extra', '-m', 'third')
  bayou('repo', 'tag', repository, 'audited')
  server = await startExplore(repository)
  browser = await launchBrowser()
  if (shots !== undefined) mkdirSync(shots, { recursive: true })
})
afterAll(async () => {
  await browser?.close()
  server?.close()
  root.remove()
})
beforeEach(async () => {
  page = await browser.newPage({ viewport: { width: 1280, height: 850 }, locale: 'en-US', reducedMotion: 'reduce' })
  faults = watchFaults(page, server.url)
})
afterEach(async ({ task }) => {
  if (shots !== undefined) {
    await page.screenshot({ path: join(shots, `repository-${task.name.replaceAll(/\W+/g, '-').slice(0, 50)}.png`) })
  }
  await page.close()
  expect(faults).toEqual([])
})

const open = async (search = '') => {
  await page.goto(server.url + search)
  await page.locator('#pane .pane').waitFor()
}
const text = async (selector: string) => (await page.locator(selector).first().textContent()) ?? ''
const cells = async () => {
  await page.locator('.lake .rows[aria-busy=false] tbody').waitFor()
  return await page
    .locator('.lake .rows tbody tr')
    .evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent)))
}

describe('a repository in the explorer', () => {
  test('lists its versions with refs and formats, and the tables of HEAD', async () => {
    await open()
    const lines = await page.locator('.repository-versions .version-line').allTextContents()
    expect(lines.map((line) => /first|second|third/.exec(line)?.[0])).toEqual(['third', 'second', 'first'])
    expect(lines[0]).toContain('main')
    expect(lines[0]).toContain('tag audited')
    expect(await page.locator('.lake-tables .partition-name').allTextContents()).toEqual([
      'main.extra',
      'main.t',
      'main.u',
    ])
    expect(await seriousFaults(page)).toEqual([])
  })

  test('shows the rows of a table at any snapshot, and a link restores them', async () => {
    await open('?name=main.t')
    const newest = JSON.parse(bayou('repo', 'query', repository, 'select count(*) as n from main.t', '--json').trim())
    await seen(async () => (await cells()).length).toBe(Number(newest.n))
    const history = bayou('history', `ducklake:${repository}#main.t`, '--json')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    const first: number = history.at(-1).version
    const count = bayou('count', `ducklake:${repository}#main.t`, '--version', String(first)).trim()
    await page.goto(`${server.url}?snapshot=${first}&name=main.t`)
    await page.getByText(`snapshot ${first}`, { exact: true }).waitFor()
    await seen(async () => await page.locator('.lake .rows[aria-busy=false]').count()).toBe(1)
    expect(await page.locator('.lake .rows tbody tr').count()).toBe(Number(count))
    await page.getByRole('slider').focus()
    await page.keyboard.press('End')
    await seen(async () => (await cells()).length).toBe(Number(newest.n))
    expect(page.url()).not.toContain('snapshot=')
  })

  test('tells which files a version shares with the one before', async () => {
    const ids = bayou('repo', 'log', repository, '--json')
      .trim()
      .split('\n')
      .map((line): string => JSON.parse(line).id)
    const [third, second] = ids.map((id): { path: string }[] => {
      return JSON.parse(readFileSync(join(repository, 'versions', id, 'files.json'), 'utf8'))
    })
    await open('?pane=files')
    expect(await text('.tallies')).toContain(`${second!.length} shared with the version before`)
    const lines = await page
      .locator('#pane tbody tr')
      .evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent)))
    const shared = new Set(second!.map(({ path }) => path))
    expect(new Map(lines.map(([path, , is, versions]) => [path, [is, versions]]))).toEqual(
      new Map(third!.map(({ path }) => [path, shared.has(path) ? ['shared', '2'] : ['new', '1']])),
    )
    await page.locator('.repository-versions .version-line', { hasText: 'first' }).click()
    await page.getByText('It is the first version: all of its files are new.').waitFor()
    expect(await seriousFaults(page)).toEqual([])
  })

  test('tells which DuckDB opens which catalog, with its ATTACH', async () => {
    await open('?pane=about')
    const readers = await page.locator('.readers > li').allTextContents()
    expect(readers[0]).toContain('DuckDB 2.0 opens DuckLake 1.1')
    expect(readers[0]).toContain("ATTACH 'ducklake:")
    expect(readers[1]).toContain('DuckDB 1.5 opens DuckLake 1.0')
    expect(readers[2]).toContain('opens none of its catalogs; no format that is written here is old enough for it')
    expect(await text('.about table')).toContain('catalogs/1.0.duckdb')
    expect(await seriousFaults(page)).toEqual([])
  })

  test('shows no version that is being published, or that nothing leads to', async () => {
    const [newest] = bayou('repo', 'log', repository, '--json').trim().split('\n')
    const { id }: { id: string } = JSON.parse(newest!)
    const lone = join(repository, 'versions', id.replace(/^0/, '1'))
    const half = join(repository, 'versions', id.replace(/^0/, '2'))
    try {
      cpSync(join(repository, 'versions', id), lone, { recursive: true })
      const json = readFileSync(join(lone, 'version.json'), 'utf8')
      writeFileSync(join(lone, 'version.json'), json.replaceAll(id, id.replace(/^0/, '1')))
      mkdirSync(half)
      writeFileSync(join(half, 'ducklake.duckdb'), 'half')
      await open()
      expect(await page.locator('.repository-versions li').count()).toBe(3)
    } finally {
      rmSync(lone, { recursive: true })
      rmSync(half, { recursive: true })
    }
  })

  test('opens a version by the name of a branch', async () => {
    await open('?ref=main&pane=about')
    await page.getByText('DuckDB 2.0', { exact: true }).waitFor()
    expect(await page.locator('.repository-versions [aria-current=true]').textContent()).toContain('third')
  })

  test('says what is wrong with a link, by code', async () => {
    await page.goto(`${server.url}?ref=0000000000`)
    await seen(() => text('.failure code')).toBe('DUCKLAKE_REF_NOT_FOUND')
    await page.goto(`${server.url}?snapshot=999`)
    await seen(() => text('.failure code')).toBe('DUCKLAKE_SNAPSHOT_NOT_FOUND')
  })

  test.each(['rows', 'files', 'about'])('fits a narrow screen: %s', async (pane) => {
    await page.setViewportSize({ width: 360, height: 740 })
    await open(`?pane=${pane}`)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360)
  })
})
