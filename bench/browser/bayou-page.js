/** A table over HTTP to rows on the screen, by the package as a page uses it. */
import { deltaTables, httpStore, jsEngine, localBackend } from '../../dist/browser.js'
import { shown } from './shown.js'

const question = new URLSearchParams(location.search)
const url = new URL(question.get('table'), location.href).href

const backend = localBackend({ openStore: async () => httpStore(url), engine: jsEngine() })
const table = await deltaTables(() => backend).forPath('table')
const cases = {
  first: async () => await table.scan({ limit: 50 }).rows(),
  part: async () => [{ count: await table.count({ where: "part = 'p37'" }) }],
  id: async () => await table.scan({ where: `id = ${question.get('id')}` }).rows(),
}
await shown(await cases[question.get('case')]())
