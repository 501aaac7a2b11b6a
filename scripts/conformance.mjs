/**
 * `npm run conformance -- FOLDER [TEXT…]`: reads every table that FOLDER's manifest lists, at every recorded version, by
 * both engines, and prints each difference from its recording. TEXTs choose tables by their names. Ends with 1 when a
 * table differs.
 */
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createServer } from 'vite'

const [folder, ...names] = process.argv.slice(2)
if (folder === undefined) {
  console.error('usage: npm run conformance -- FOLDER [TEXT…]')
  process.exit(2)
}
const path = fileURLToPath(new URL('../test/conformance/check-folder.ts', import.meta.url))
// vite runs TypeScript as it stands; engines import parts of themselves late, so it stays until the end
const server = { middlewareMode: true, hmr: false, ws: false, watch: null }
const vite = await createServer({ configFile: false, appType: 'custom', logLevel: 'error', server })
try {
  const { checkFolder } = await vite.ssrLoadModule(path)
  process.exitCode = (await checkFolder(resolve(folder), names)) === 0 ? 0 : 1
} finally {
  await vite.close()
}
