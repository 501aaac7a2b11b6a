import { defineConfig } from 'vitest/config'
import base from './vitest.config.ts'

/** The tests that need other engines; `npm run interop`. */
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: ['test/interop/**/*.test.ts'],
    exclude: ['**/node_modules/**'],
    testTimeout: 600_000,
    hookTimeout: 600_000,
  },
})
