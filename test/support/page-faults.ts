/** What a page must not do, gathered while it is used: errors, requests to other hosts, breaches of its own policy. */
import type { Page } from 'playwright-core'

export function watchFaults(page: Page, base: string): string[] {
  const faults: string[] = []
  page.on('console', (message) => message.type() === 'error' && faults.push(message.text()))
  page.on('pageerror', (error) => faults.push(error.message))
  page.on('request', (request) => {
    const url = request.url()
    if (!url.startsWith(base) && !/^(data|blob):/.test(url)) faults.push(`asks ${url}`)
  })
  return faults
}
