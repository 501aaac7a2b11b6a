import { defineConfig } from 'vitest/config'
import { ClosingLine } from './test/support/reporter.ts'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'explorer/**/*.test.ts'],
    exclude: ['test/interop/**', 'test/integration/**', '**/node_modules/**'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    pool: 'forks',
    maxWorkers: 2,
    // on a loaded machine a server of others may fail once: the closing lines name every test that needed a second try
    retry: process.env.CI === undefined ? 0 : 1,
    reporters: [['default', { summary: false }], new ClosingLine()],
  },
})
