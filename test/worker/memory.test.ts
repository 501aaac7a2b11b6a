/** UP-18: what a worker holds does not grow with the commits it has made. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, expect, it, vi } from 'vitest'
import { duckdbEngine } from '../../src/engine/duckdb/index.ts'
import { localStore } from '../../src/storage/fs/index.ts'
import { parseWorkerConfig, runWorker } from '../../src/worker/index.ts'

const folder = mkdtempSync(join(tmpdir(), 'bayou-memory-'))
afterAll(() => rmSync(folder, { recursive: true }))

const COMMITS = 360
/** Until here everything that is loaded once has been loaded. */
const WARM = 150
/** The adds of the commits in between, with their statistics, take more than twice this. */
const BAND_BYTES = 600_000

/** Bytes of what lives after a collection. */
function liveBytes(collect: () => void): number {
  collect()
  return process.memoryUsage().heapUsed
}

it('UP-18 the heap of a worker is flat over hundreds of commits and their checkpoints', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const columns = Array.from({ length: 30 }, (_, i) => `a_column_with_a_long_name_${i} STRING`)
  const config = parseWorkerConfig({
    name: 'w',
    sources: [
      { id: 'made', type: 'generator', schema: columns.join(', '), count: COMMITS, batchRecords: 1, recordsPerSec: 1 },
    ],
    routes: [{ source: 'made', destination: 'lake' }],
    destinations: [{ id: 'lake', type: 'delta', location: folder, fileIntervalSecs: 1, compression: 'none' }],
  })
  const engine = duckdbEngine()
  const held: number[] = []
  const realTimeout = setTimeout
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] })
  let isOver = false
  let commits = 0
  const nextTurn = () => new Promise((resolve) => realTimeout(resolve, 1))
  const running = runWorker(config, {
    engine,
    wrapStore: () => localStore(folder),
    onEvent: (event) => {
      if (event.kind !== 'commit') return
      commits++
      // between checkpoints, which are due every tenth
      if (commits > WARM && commits % 50 === 7) held.push(liveBytes(collect))
    },
  }).finally(() => {
    isOver = true
  })
  while (!isOver) {
    const before = commits
    await vi.advanceTimersByTimeAsync(1000)
    // the disk keeps the real time
    for (let turn = 0; turn < 400 && commits === before && !isOver; turn++) await nextTurn()
  }
  await running
  vi.useRealTimers()
  await engine.close()
  const checkpoints = readdirSync(join(folder, '_delta_log')).filter((name) => name.endsWith('.checkpoint.parquet'))
  expect(checkpoints.length).toBeGreaterThan(10)
  expect(commits).toBeGreaterThan(WARM + 100)
  expect(held.length).toBeGreaterThan(1)
  expect(held.at(-1)! - held[0]!).toBeLessThan(BAND_BYTES)
})
