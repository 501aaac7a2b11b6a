/** Many small changes, one after the other, each from a newly opened handle; then one full read. */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** Rows of the template, of which each step changes half as many as it has. */
const BASE_ROWS = 100_000
const START = '2026-01-01T00:00:00Z'

function stepRows(step, count) {
  const half = Math.floor(count / 2)
  const spread = Array.from({ length: half }, (_, i) => (step * 7919 + i * Math.floor(BASE_ROWS / half)) % BASE_ROWS)
  const fresh = Array.from({ length: half }, (_, i) => BASE_ROWS + step * half + i)
  return [...spread, ...fresh].map((id) => ({
    id,
    part: `p${String(id % 100).padStart(2, '0')}`,
    ts: START,
    cust: id % 1_000_003,
    amount: step + 0.5,
    s: `step${step}`,
  }))
}

function median(times) {
  return Number([...times].sort((a, b) => a - b)[times.length >> 1].toFixed(4))
}

async function change(handle, op, rows) {
  if (op === 'append') return await handle.append(rows)
  const merge = handle.as('t').merge(rows, 't.id = s.id', { sourceAlias: 's' })
  return await merge.whenMatchedUpdateAll().whenNotMatchedInsertAll().execute()
}

function bytesOf(folder) {
  const names = readdirSync(folder, { recursive: true }).filter((name) => /\.(parquet|bin)$/.test(name))
  const data = names.filter((name) => !name.startsWith('_delta_log'))
  return { files: data.length, bytes: data.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0) }
}

export async function run({ work, op, steps, rows_per_step: count }, { table, lake, clock }) {
  const path = `${work}/table`
  const times = []
  await clock.op(async () => {
    for (let step = 0; step < steps; step++) {
      const start = performance.now()
      await change(await table(path), op, stepRows(step, count))
      times.push((performance.now() - start) / 1000)
    }
  })
  const tenth = Math.max(1, Math.floor(times.length / 10))
  await (await lake({ t: path }).sql('SELECT count(*) AS n, sum(amount) AS a FROM t')).rows()
  const { files, bytes } = bytesOf(path)
  return {
    rows: steps,
    bytes,
    first_decile_s: median(times.slice(0, tenth)),
    last_decile_s: median(times.slice(-tenth)),
    notes: `${files} files`,
  }
}
