/** Ingest: lines of JSON as a stream of chunks, through a worker, into a table partitioned by a column. */
import { createReadStream, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { duckdbEngine } from '../../dist/engine/duckdb/index.js'
import { memoryLimitOf, parseWorkerConfig, runWorker, workerThreads } from '../../dist/worker/index.js'

/** The columns of the events, as the peers type them. */
const SCHEMA = [
  'event_id BIGINT, ts TIMESTAMP, day STRING, level STRING, service STRING, host STRING, user_id BIGINT',
  'latency_ms DOUBLE, ok BOOLEAN, message STRING, trace STRUCT<trace_id: STRING, span_id: STRING, depth: INT>',
  'tags ARRAY<STRING>, payload STRING',
].join(', ')
const CHUNK_BYTES = 65_536

function configOf({ work, batch_bytes: bufferBytes, partition_by: partitionBy }) {
  return parseWorkerConfig({
    name: 'bench',
    sources: [{ id: 'events', type: 'stdin', schema: SCHEMA }],
    routes: [{ source: 'events', destination: 'lake' }],
    destinations: [{ id: 'lake', type: 'delta', location: `${work}/table`, partitionBy, bufferBytes }],
  })
}

function bytesOf(folder) {
  const names = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.parquet'))
  return names.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)
}

export async function run(question, { clock }) {
  const { data, src, work } = question
  const config = configOf(question)
  const engine = duckdbEngine({ memoryLimit: memoryLimitOf(config), threads: workerThreads() })
  try {
    const input = createReadStream(`${data}/${src}`, { highWaterMark: CHUNK_BYTES })
    const { destinations } = await clock.op(() => runWorker(config, { once: true, engine, input }))
    const [{ rows, commits, refused }] = destinations
    const notes = `${commits} commits, ${refused} refused`
    return { rows, bytes: bytesOf(`${work}/table`), in_bytes: statSync(`${data}/${src}`).size, notes }
  } finally {
    await engine.close()
  }
}
