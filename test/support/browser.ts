/**
 * A real browser for tests: the machine's own Chromium when there is one, else the one that comes by npm.
 *
 * The one from npm needs libraries that a bare machine lacks; the package carries them, and they are unpacked once.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, renameSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliDecompressSync } from 'node:zlib'
import packaged from '@sparticuz/chromium'
import { type Browser, chromium } from 'playwright-core'

const SYSTEM_BROWSERS = [
  process.env.BAYOU_CHROMIUM ?? '',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

/** A browser that reaches no other host than the page's and asks nothing of the network by itself. */
const QUIET = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

export async function launchBrowser(): Promise<Browser> {
  const system = SYSTEM_BROWSERS.find((path) => path !== '' && existsSync(path))
  if (system !== undefined) return chromium.launch({ executablePath: system, args: QUIET })
  const executablePath = await packaged.executablePath()
  const libraries = unpackLibraries()
  return chromium.launch({
    executablePath,
    // its own arguments are for one page in one process, which ends with the page
    args: QUIET,
    env: { ...process.env, LD_LIBRARY_PATH: [libraries, process.env.LD_LIBRARY_PATH].filter(Boolean).join(delimiter) },
  })
}

/** The archive of the libraries is small; the system's own tar reads it from standard input. */
function unpackLibraries(): string {
  const archive = fileURLToPath(new URL('../bin/al2023.tar.br', import.meta.resolve('@sparticuz/chromium')))
  const folder = join(tmpdir(), `bayou-browser-libraries-${process.getuid?.() ?? 0}`)
  if (existsSync(join(folder, 'lib'))) return join(folder, 'lib')
  const unpacking = mkdtempSync(`${folder}-`)
  execFileSync('tar', ['-x', '-C', unpacking], { input: brotliDecompressSync(readFileSync(archive)) })
  try {
    renameSync(unpacking, folder)
  } catch (error) {
    if (!existsSync(join(folder, 'lib'))) throw error
  }
  return join(folder, 'lib')
}
