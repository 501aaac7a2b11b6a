/**
 * `npm run conformance -- FOLDER [TEXT…]`: reads every table that FOLDER's manifest lists, at every recorded version, by
 * both engines, and prints each difference from its recording. A table without a recording, or any below a folder without
 * a manifest, is read at its latest version, where the engines must agree. TEXTs choose tables by their names. Ends with 1
 * when a table differs.
 */
import { resolve } from 'node:path'
import { withModule } from './typescript.mjs'

const [folder, ...names] = process.argv.slice(2)
if (folder === undefined) {
  console.error('usage: npm run conformance -- FOLDER [TEXT…]')
  process.exit(2)
}
const check = ({ checkFolder }) => checkFolder(resolve(folder), names)
process.exitCode = (await withModule('test/conformance/check-folder.ts', check)) === 0 ? 0 : 1
