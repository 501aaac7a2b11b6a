/** `bayou/browser` bundled as a page would: no Node in it, and how big it is. */

import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build, type Rolldown } from 'vite'
import { expect, test } from 'vitest'
import { repositoryRoot } from './support/shared.ts'

const READER_LIMIT_BYTES = 150_000

interface Bundle {
  /** gzipped bytes of the entry and what it imports at once */
  readonly eager: number
  /** gzipped bytes of what is loaded when first needed */
  readonly lazy: number
  readonly code: string
}

async function bundle(names: readonly string[]): Promise<Bundle> {
  const entry = `export { ${names.join(', ')} } from ${JSON.stringify(join(repositoryRoot, 'src/browser.ts'))}`
  const result = await build({
    configFile: false,
    logLevel: 'error',
    root: repositoryRoot,
    plugins: [
      {
        name: 'entry',
        resolveId: (id) => (id === 'virtual:entry' ? '\0entry' : undefined),
        load: (id) => (id === '\0entry' ? entry : undefined),
      },
    ],
    build: {
      write: false,
      target: 'es2023',
      minify: true,
      rolldownOptions: { input: 'virtual:entry', preserveEntrySignatures: 'strict', output: { format: 'es' } },
    },
  })
  const { output } = result as Rolldown.RolldownOutput
  const chunks = output.filter((file) => file.type === 'chunk')
  const eagerNames = new Set<string>()
  const visit = (name: string) => {
    if (eagerNames.has(name)) return
    eagerNames.add(name)
    for (const next of chunks.find((chunk) => chunk.fileName === name)?.imports ?? []) visit(next)
  }
  for (const chunk of chunks) if (chunk.isEntry) visit(chunk.fileName)
  const size = (eager: boolean) =>
    chunks
      .filter((chunk) => eagerNames.has(chunk.fileName) === eager)
      .reduce((sum, chunk) => sum + gzipSync(chunk.code).length, 0)
  return { eager: size(true), lazy: size(false), code: chunks.map((chunk) => chunk.code).join('\n') }
}

test('bayou/browser bundles without Node, and its reader is small', { timeout: 120_000 }, async () => {
  const exported = Object.keys(await import('../src/browser.ts'))
  const whole = await bundle(exported)
  expect(whole.code).not.toMatch(/["'`]node:/)
  expect(whole.code).not.toMatch(/__vite-browser-external/)
  expect(whole.code).not.toMatch(/@duckdb/)
  const reader = await bundle([
    'loadSnapshot',
    'httpStore',
    'memoryStore',
    'jsEngine',
    'history',
    'planScan',
    'rowToJson',
  ])
  console.log(
    `bayou/browser gzipped: reader ${reader.eager} bytes (+ ${reader.lazy} when a codec is needed), all ${whole.eager} bytes`,
  )
  expect(reader.eager).toBeLessThan(READER_LIMIT_BYTES)
})
