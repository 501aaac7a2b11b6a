/**
 * `npm run concurrency [WRITERS] [APPENDS] [UPDATES] [MERGERS] [MERGES]`: many processes on one local table; when not told,
 * ten of two hundred appends, and the same beside four that merge and one that compacts.
 */
import { spawnSync } from 'node:child_process'

const [writers = '10', appends = '200', updates = '20', mergers = '4', merges = '20'] = process.argv.slice(2)
const sizes = {
  BAYOU_WRITERS: writers,
  BAYOU_APPENDS: appends,
  BAYOU_UPDATES: updates,
  BAYOU_MERGERS: mergers,
  BAYOU_MERGES: merges,
}
const { status } = spawnSync('npx', ['vitest', 'run', 'test/concurrency'], {
  stdio: 'inherit',
  env: { ...process.env, ...sizes },
})
process.exit(status ?? 1)
