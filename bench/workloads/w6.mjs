/** Processes that append to one table at once, ready before the clock starts. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const WRITER = fileURLToPath(new URL('../writer.mjs', import.meta.url))

export async function run({ work, writers, appends, rows }, { table, clock }) {
  const path = join(work, 'table')
  const processes = Array.from({ length: writers }, (_, i) => begin([path, String(i), String(appends), String(rows)]))
  await Promise.all(processes.map(({ ready }) => ready))
  const reports = await clock.op(async () => {
    for (const { child } of processes) child.stdin.write('go\n')
    return (await Promise.all(processes.map(({ said }) => said))).map((text) => JSON.parse(text))
  })
  const total = writers * appends
  const errors = reports.reduce((sum, report) => sum + report.errors, 0)
  return {
    rows: total,
    commits_s: Number((total / clock.seconds).toFixed(1)),
    lost: total - (await (await table(path)).version()),
    errors,
    p99_ms: Math.max(...reports.map(({ p99Ms }) => p99Ms)),
    notes: `${errors} errors reached the caller and were retried`,
  }
}

function begin(args) {
  const child = spawn(process.execPath, [WRITER, ...args], { stdio: ['pipe', 'pipe', 'inherit'] })
  let text = ''
  let tellReady
  const ready = new Promise((resolve) => (tellReady = resolve))
  child.stdout.on('data', (chunk) => {
    text += chunk
    if (text.startsWith('ready\n')) tellReady()
  })
  const said = new Promise((resolve, reject) => {
    child.on('close', (code) =>
      code === 0 ? resolve(text.slice('ready\n'.length)) : reject(new Error(`writer: ${code}`)),
    )
  })
  return { child, ready, said }
}
