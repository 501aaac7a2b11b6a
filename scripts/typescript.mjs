/** Runs a TypeScript module of this repository as it stands, for scripts that need one. */
import { fileURLToPath } from 'node:url'
import { createServer } from 'vite'

/**
 * Loads a module and hands it to `use`; modules may import parts of themselves late while that runs.
 *
 * @param path from the repository's root
 */
export async function withModule(path, use) {
  const root = fileURLToPath(new URL('..', import.meta.url))
  const server = { middlewareMode: true, hmr: false, ws: false, watch: null }
  const vite = await createServer({ root, configFile: false, appType: 'custom', logLevel: 'error', server })
  try {
    return await use(await vite.ssrLoadModule(`/${path}`))
  } finally {
    await vite.close()
  }
}
