/**
 * `npm run faults [SEEDS] [FIRST]`: the worker under every fault of a store, and so many hours of its life on a clock of
 * its own, twenty from seed 1 when not told.
 */
import { spawnSync } from 'node:child_process'

const [seeds = '20', first = '1'] = process.argv.slice(2)
const files = ['test/simulation/worker-hour.test.ts', 'test/worker/s3-destination.test.ts']
const { status } = spawnSync('npx', ['vitest', 'run', ...files], {
  stdio: 'inherit',
  env: { ...process.env, BAYOU_FAULTS: 'all', BAYOU_SEEDS: seeds, BAYOU_FIRST_SEED: first },
})
process.exit(status ?? 1)
