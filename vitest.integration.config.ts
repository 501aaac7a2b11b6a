import { defineConfig } from 'vitest/config'
import base from './vitest.config.ts'

/** The tests that need servers of others; `npm run integration`. */
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: ['test/integration/**/*.test.ts'],
    exclude: ['**/node_modules/**'],
    testTimeout: 120_000,
    hookTimeout: 600_000,
  },
})
