/**
 * How fast does the worker take NDJSON from a file into a partitioned table, and in how much memory?
 *
 * Beside it plain DuckDB does the same bytes, `read_json` to `COPY`, without a table, a log or exactly-once positions:
 * the limit of our own engine.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { EVENT_SCHEMA, writeEvents } from './events.mjs'
import { measure, median } from './measure.mjs'

const SCALES = {
  small: { records: 40_000, repeats: 1 },
  medium: { records: 1_000_000, repeats: 3 },
  large: { records: 5_000_000, repeats: 1 },
}
const CLI = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url))
const RAW = fileURLToPath(new URL('raw-ingest.mjs', import.meta.url))

export async function benchIngest(scale) {
  const { records, repeats } = SCALES[scale]
  const cache = join(tmpdir(), 'bayou-bench')
  mkdirSync(cache, { recursive: true })
  const input = join(cache, `events-${records}.ndjson`)
  const bytes = await writeEvents(input, records)
  const work = mkdtempSync(join(tmpdir(), 'bayou-ingest-'))
  try {
    const runs = { worker: [], raw: [] }
    for (let repeat = 0; repeat < repeats; repeat++) {
      runs.worker.push(await runWorker(join(work, `table-${repeat}`), input, records))
      runs.raw.push(await runRaw(join(work, `raw-${repeat}`), input, records))
    }
    return report(runs, { records, bytes })
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

async function runWorker(folder, input, records) {
  mkdirSync(folder)
  const config = join(folder, 'config.json')
  const table = join(folder, 'table')
  writeFileSync(config, JSON.stringify(workerConfig(input, table)))
  const run = await measure([process.execPath, CLI, 'run', config, '--once', '--quiet'])
  const counted = await measure([process.execPath, CLI, 'count', table, '--json'])
  return { ...run, ok: run.code === 0 && Number(JSON.parse(counted.stdout).count) === records }
}

function workerConfig(input, table) {
  return {
    name: 'bench',
    sources: [{ id: 'events', type: 'file', path: input, schema: EVENT_SCHEMA }],
    routes: [{ source: 'events', destination: 'lake' }],
    destinations: [{ id: 'lake', type: 'delta', location: table, partitionBy: ['day'] }],
  }
}

async function runRaw(folder, input, records) {
  const run = await measure([process.execPath, RAW, input, folder])
  return { ...run, ok: run.code === 0 && JSON.parse(run.stdout).rows === records }
}

function report(runs, { records, bytes }) {
  const rows = Object.entries(runs).map(([who, all]) => {
    const seconds = median(all.map((run) => run.seconds))
    return {
      who,
      'rows/s': Math.round(records / seconds),
      'MB/s': (bytes / 1e6 / seconds).toFixed(1),
      'CPU-s': median(all.map((run) => run.cpuSeconds)).toFixed(2),
      'peak MB': Math.round(median(all.map((run) => run.peakMb))),
      right: all.every((run) => run.ok),
    }
  })
  console.log(`${records} records, ${(bytes / 1e6).toFixed(0)} MB, ${runs.raw.length} run(s) each, whole processes`)
  console.table(rows)
  const ratioOf = (figure) => median(runs.worker.map((run, i) => runs.raw[i][figure] / run[figure]))
  const ratio = ratioOf('seconds')
  // on a machine that does other work as well, what a run cost says more than how long it took
  const byCpu = ratioOf('cpuSeconds').toFixed(2)
  console.log(`throughput of the worker ÷ plain DuckDB: ${ratio.toFixed(2)}; by CPU seconds: ${byCpu}`)
  return { ok: rows.every((row) => row.right), ratio }
}
