/** `npm run concurrency [WRITERS] [APPENDS] [UPDATES]`: many processes on one local table, ten of two hundred appends when not told. */
import { spawnSync } from 'node:child_process'

const [writers = '10', appends = '200', updates = '20'] = process.argv.slice(2)
const { status } = spawnSync('npx', ['vitest', 'run', 'test/concurrency'], {
  stdio: 'inherit',
  env: { ...process.env, BAYOU_WRITERS: writers, BAYOU_APPENDS: appends, BAYOU_UPDATES: updates },
})
process.exit(status ?? 1)
