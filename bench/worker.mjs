/**
 * One case of a workload, run and measured: the product's side of a runner that puts several engines side by side.
 *
 * The last argument is the case as JSON; the last line printed is its result as JSON. Everything is imported and the
 * engine is open before the clock starts, as it is for the peers. A workload is a file of `workloads/`.
 */
import { readFileSync } from 'node:fs'
import { openSession } from '../dist/session/index.js'
import { nodeEngine } from '../dist/session/node-engine.js'
import { Lake } from '../dist/sql/index.js'
import { Clock, round } from './clock.mjs'

/** The same for every engine of a run. */
const LIMITS = { threads: 2, memoryLimit: '3GB' }

function peakMb() {
  return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'))[1]) >> 10
}

async function openBench() {
  const session = openSession({ engine: nodeEngine(LIMITS) })
  const { engine, openStore, backend } = session
  const lakes = []
  const lake = (tables) => {
    const opened = new Lake({ engine, openStore, backend, tables: new Map(Object.entries(tables)) }, async () => {})
    lakes.push(opened)
    return opened
  }
  await (await lake({}).sql('SELECT 1')).rows()
  const close = async () => {
    for (const opened of lakes) await opened.close()
    await session.close()
  }
  return { session, table: (path) => session.tables.forPath(path), lake, close }
}

async function main(question) {
  const { run } = await import(`./workloads/${question.workload.toLowerCase()}.mjs`).catch((error) => {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error
    return { run: async () => ({ skip: `the product has no ${question.workload}` }) }
  })
  const bench = await openBench()
  const clock = new Clock()
  try {
    const result = await run(question, { ...bench, clock })
    return {
      seconds: round(clock.seconds),
      op_cpu_s: Number(clock.cpuSeconds.toFixed(3)),
      phases: clock.phases,
      hwm_mb: peakMb(),
      version: `bayou, Node ${process.versions.node}`,
      ...result,
    }
  } finally {
    await bench.close()
  }
}

const result = await main(JSON.parse(process.argv.at(-1))).catch((error) => ({ error: String(error?.stack ?? error) }))
console.log(JSON.stringify(result))
