/**
 * Joins the modules of the command, as the compiler wrote them, into few files: what a command loads when it is called
 * stays a file of its own. Large dependencies stay outside; the licences of those inside lie beside them.
 */
import { fileURLToPath } from 'node:url'
import { build } from 'vite'

const path = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url))

await build({
  root: path('.'),
  configFile: false,
  logLevel: 'warn',
  publicDir: false,
  ssr: { noExternal: ['commander', 'zod'] },
  build: {
    ssr: path('dist/cli/command-line.js'),
    outDir: path('dist/cli/bundle'),
    emptyOutDir: true,
    target: 'node20',
    minify: false,
    license: { fileName: 'licenses.md' },
    rolldownOptions: { output: { entryFileNames: 'command-line.js', chunkFileNames: '[name]-[hash].js' } },
  },
})
