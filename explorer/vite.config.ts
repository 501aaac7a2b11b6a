import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

/** The page is built into the package, beside the compiled library it runs. */
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: './',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: fileURLToPath(new URL('../dist/explorer', import.meta.url)),
    emptyOutDir: true,
    target: 'es2023',
  },
  worker: { format: 'es' },
})
