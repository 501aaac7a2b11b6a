/**
 * W10: how soon does a page show rows of a table that lies behind HTTP, with what requests and bytes?
 *
 * Each run is a page of its own in a profile of its own. Beside it hyparquet reads the same files, which are given to it:
 * the limit of such a page, for it has no log to read.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, runnerImport } from 'vite'
import { serve } from './browser/serve.mjs'
import { median } from './measure.mjs'

const here = (path) => fileURLToPath(new URL(path, import.meta.url))
const PAGES = { bayou: 'browser/bayou-page.js', hyparquet: 'browser/hyparquet-page.js' }
const CASES = ['first', 'part', 'id']
const FILES = 100
const DELAY_MS = 20
const SCALES = { small: { rowsPerFile: 2_000, repeats: 3 }, medium: { rowsPerFile: 40_000, repeats: 5 } }

export async function benchBrowser(scale) {
  const { rowsPerFile, repeats } = SCALES[scale]
  const work = mkdtempSync(join(tmpdir(), 'bayou-browser-'))
  try {
    makeTable(join(work, 'table'), rowsPerFile)
    for (const [who, page] of Object.entries(PAGES)) await bundle(here(page), join(work, 'pages', who))
    const id = Math.floor((FILES * rowsPerFile * 2) / 3)
    const given = await givenFiles(join(work, 'table'), id)
    return await compare({ work, given, id, repeats })
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/** As many files as parts, each with ids of its own, as a table of events by day has them. */
function makeTable(path, rowsPerFile) {
  const statement = `CREATE TABLE delta.\`${path}\` PARTITIONED BY (part) AS
    SELECT i AS id, 'p' || (i // ${rowsPerFile})::VARCHAR AS part, (i * 7919 % 100003)::DOUBLE / 7 AS value,
      'name ' || (i % 997)::VARCHAR AS name, TIMESTAMPTZ '2026-01-01 00:00:00+00' + to_seconds(i) AS at
    FROM range(${FILES * rowsPerFile}) AS t(i)`
  execFileSync(process.execPath, [here('../dist/cli/main.js'), 'sql', statement, '--quiet'])
}

async function bundle(input, outDir) {
  const output = { format: 'es', entryFileNames: 'page.js' }
  await build({
    configFile: false,
    logLevel: 'error',
    build: { outDir, emptyOutDir: true, target: 'es2023', rolldownOptions: { input, output } },
  })
}

/** What a page without a log has to be told: which files answer which question. */
async function givenFiles(path, id) {
  const [{ openSession }, { nodeEngine }] = await Promise.all([
    import('../dist/session/index.js'),
    import('../dist/session/node-engine.js'),
  ])
  const session = openSession({ engine: nodeEngine() })
  try {
    const table = await session.tables.forPath(path)
    const pathsOf = async (where) => {
      const paths = []
      for await (const file of table.files({ ...(where && { where }) })) paths.push(`/table/${file.path}`)
      return paths
    }
    const [[first], part, [only]] = [await pathsOf(), await pathsOf("part = 'p37'"), await pathsOf(`id = ${id}`)]
    return { first, part, id: only }
  } finally {
    await session.close()
  }
}

async function compare({ work, given, id, repeats }) {
  const { module } = await runnerImport(here('../test/support/browser.ts'), { configFile: false, logLevel: 'error' })
  const page = (who) => `<!doctype html><table></table><script type="module" src="/${who}/page.js"></script>`
  const server = await serve({
    folders: { table: join(work, 'table'), ...folders(work) },
    texts: {
      ...Object.fromEntries(Object.keys(PAGES).map((who) => [`/${who}.html`, page(who)])),
      '/given.json': JSON.stringify(given),
    },
    delayMs: DELAY_MS,
  })
  const browser = await module.launchBrowser()
  try {
    const rows = []
    for (const name of CASES) {
      for (const who of Object.keys(PAGES)) rows.push(await measureCase({ server, browser, who, name, id, repeats }))
    }
    return report(rows)
  } finally {
    await browser.close()
    server.close()
  }
}

const folders = (work) => Object.fromEntries(Object.keys(PAGES).map((who) => [who, join(work, 'pages', who)]))

async function measureCase({ server, browser, who, name, id, repeats }) {
  const runs = []
  for (let repeat = 0; repeat < repeats; repeat++) {
    server.asked.length = 0
    const context = await browser.newContext()
    const page = await context.newPage()
    const faults = []
    page.on('pageerror', (error) => faults.push(String(error)))
    await page.goto(`${server.url}/${who}.html?case=${name}&id=${id}&table=/table`)
    const waited = page.waitForFunction('window.done', undefined, { timeout: 60_000 })
    const done = await waited
      .then((handle) => handle.jsonValue())
      .catch((error) => ({ fault: faults[0] ?? String(error) }))
    const data = server.asked.filter(({ path }) => path.startsWith('/table/') || path === '/given.json')
    const script = server.asked.filter(({ path }) => path.endsWith('.js'))
    runs.push({ ...done, data, script })
    await context.close()
  }
  const [{ text, rows, fault, data, script }] = runs
  return { who, name, text, rows, fault, ms: median(runs.map((run) => run.ms)), data, script }
}

function report(found) {
  const sum = (list) => list.reduce((bytes, entry) => bytes + entry.bytes, 0)
  const limit = (name) => found.find((row) => row.who === 'hyparquet' && row.name === name)
  console.log(`${FILES} files, ${DELAY_MS} ms before each answer, a fresh page and profile each time`)
  console.table(
    found.map(({ who, name, ms, rows, fault, data, script }) => ({
      who,
      case: name,
      ms: fault ?? Math.round(ms),
      'of hyparquet': (ms / limit(name).ms).toFixed(2),
      requests: data.length,
      'kB of data': Math.round(sum(data) / 1000),
      'kB of script': Math.round(sum(script) / 1000),
      rows,
    })),
  )
  console.log('left out: duckdb-wasm, whose Parquet reader is an extension that is fetched from another host')
  const isRight = CASES.every((name) => {
    const [own, given] = ['bayou', 'hyparquet'].map((who) => found.find((row) => row.who === who && row.name === name))
    return own.fault === undefined && own.rows === given.rows && (name === 'first' || own.text === given.text)
  })
  console.log(isRight ? 'both gave the same rows' : 'WRONG: the two did not give the same rows')
  return { ok: isRight }
}
