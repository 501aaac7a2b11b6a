/** What axe finds on a page that a person with a screen reader, a keyboard or weak sight would fail at. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface Found {
  readonly violations: readonly { readonly id: string; readonly impact: string; readonly nodes: { html: string }[] }[]
}

/** Serious and critical faults. axe is handed in as text of the test, which the page's own policy would not let it load. */
export async function seriousFaults(page: Page): Promise<string[]> {
  await page.evaluate(axe)
  return await page.evaluate(async () => {
    const { violations } = await (globalThis as unknown as { axe: { run(): Promise<Found> } }).axe.run()
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 200)}`)
  })
}
