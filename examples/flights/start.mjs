/** The demo: real flights stream into a Delta table, then the table is shown. See README.md beside this file. */
import { spawn, spawnSync } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const PARTS = 12
const POLL_MS = 50
const root = fileURLToPath(new URL('../..', import.meta.url))
const cli = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))
const source = 'demo/flights.ndjson'
const table = 'demo/flights'
process.chdir(root)

const explore = !process.argv.includes('--no-explore')
const lines = flightLines()
rmSync('demo', { recursive: true, force: true })
mkdirSync('demo')
writeFileSync(source, '')

console.log(`\n$ bayou run examples/flights/worker.json     # ${lines.length} flights in ${PARTS} parts`)
await stream(lines)
console.log('\nThe record that did not fit is kept aside (demo/refused.ndjson):')
console.log(readFileSync('demo/refused.ndjson', 'utf8').trimEnd())
show('history', table)
show('files', table, '--where', "month = '2001-02' and delay > 300", '--explain')
show(
  'sql',
  '--table',
  `flights=${table}`,
  'select origin, count(*) flights, avg(delay) delay from flights group by origin order by flights desc limit 5',
)
if (explore) {
  const page = spawn(process.execPath, [cli, 'explore', table], { stdio: 'inherit' })
  process.on('SIGINT', () => page.kill('SIGINT'))
  process.exitCode = await ended(page)
}

/** One flight a line, as the data set has them, with one bad record among them. */
function flightLines() {
  const flights = JSON.parse(readFileSync('node_modules/vega-datasets/data/flights-20k.json', 'utf8'))
  flights.splice(7000, 0, { ...flights[7000], delay: 'late' })
  return flights.map((flight) => JSON.stringify(flight))
}

/** Runs the worker, feeds its file a part at a time, and stops it once every record is in the table or refused. */
async function stream(lines) {
  const worker = spawn(process.execPath, [cli, 'run', 'examples/flights/worker.json'], { stdio: 'inherit' })
  const end = ended(worker)
  let isRunning = true
  end.then(() => {
    isRunning = false
  })
  for (let part = 0; part < PARTS && isRunning; part++) {
    const from = Math.floor((lines.length * part) / PARTS)
    const to = Math.floor((lines.length * (part + 1)) / PARTS)
    appendFileSync(source, `${lines.slice(from, to).join('\n')}\n`)
    while (isRunning && !existsSync(commitFile(part + 1))) await sleep(POLL_MS)
  }
  worker.kill('SIGTERM')
  const code = await end
  if (code !== 0) process.exit(code)
}

/** A part is committed when this file appears: the log's next entry, behind the one that made the table. */
function commitFile(version) {
  return `${table}/_delta_log/${String(version).padStart(20, '0')}.json`
}

function show(...args) {
  console.log(`\n$ bayou ${args.map((arg) => (/[\s*]/.test(arg) ? `"${arg}"` : arg)).join(' ')}`)
  const { status } = spawnSync(process.execPath, [cli, ...args], { stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}

function ended(child) {
  return new Promise((resolve) => child.on('close', (code) => resolve(code ?? 1)))
}
