/**
 * The default test run: build, style, types of the tests, then every test.
 *
 * `npm test` runs all of it; arguments are handed to vitest (`npm test -- src/kernel`). The last line is
 * `N passed, N failed, N skipped`, and each skipped test stands above it with its reason.
 */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const filters = process.argv.slice(2)

function run(title, args) {
  const startedMs = Date.now()
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' })
  console.log(`${title}: ${status === 0 ? 'ok' : 'FAILED'}, ${((Date.now() - startedMs) / 1000).toFixed(1)} s`)
  return status === 0
}

const steps = [
  ['build', ['node_modules/typescript/bin/tsc', '-b']],
  ['command', ['scripts/bundle.mjs']],
  ['page', ['node_modules/vite/bin/vite.js', 'build', 'explorer', '--logLevel', 'warn']],
  ['style', ['node_modules/@biomejs/biome/bin/biome', 'check', '--diagnostic-level=error']],
  ['types of tests', ['node_modules/typescript/bin/tsc', '-p', 'test']],
  ['types of the page', ['node_modules/typescript/bin/tsc', '-p', 'explorer']],
]

let failed = 0
for (const [title, args] of steps) if (!run(title, args)) failed++
if (failed > 0) {
  console.log(`0 passed, ${failed} failed`)
  process.exit(1)
}
const passed = run('tests', ['node_modules/vitest/vitest.mjs', 'run', ...filters])
process.exit(passed ? 0 : 1)
