/**
 * The runner that puts the product beside its peers and the limit of its own engine.
 *
 * The runner and its peers lie in a folder of their own (`BAYOU_SHARED`, else `../shared`, in `bench`) and are installed
 * by its `install.sh` into `BENCH_HOME`.
 */
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const WORKER = fileURLToPath(new URL('worker.mjs', import.meta.url))
const SHARED = process.env.BAYOU_SHARED ?? fileURLToPath(new URL('../../shared', import.meta.url))

/** Peers worth their time beside each workload. */
const PEERS = {
  W1: 'deltalake,polars,duckdb,raw',
  W2: 'deltalake,duckdb,polars,raw',
  W3: 'deltalake,duckdb,raw',
  W4: 'deltalake,raw',
  W5: 'deltalake',
  W6: 'deltalake,raw',
  W7: 'deltalake,polars,raw',
  W8: 'deltalake,raw',
  W9: 'duckdb,raw',
}

export const isWorkload = (name) => Object.hasOwn(PEERS, name)

/**
 * Runs workloads beside their peers and prints ratios.
 *
 * @param {string[]} workloads
 * @param {{ scale?: string, cases?: string, repeat?: string, peers?: string, trace?: boolean }} options
 */
export async function benchPeers(workloads, { scale = 'small', cases, repeat = '3', peers, trace = false }) {
  const home = process.env.BENCH_HOME ?? join(tmpdir(), 'bayou-bench-peers')
  const python = process.env.BENCH_PYTHON ?? join(home, 'venv/bin/python')
  const runner = resolve(SHARED, 'bench/anchors.py')
  if (!existsSync(runner) || !existsSync(python)) {
    console.log(
      `the peers are not installed: BENCH_HOME=${home} BENCH_NO_SPARK=1 ${resolve(SHARED, 'bench/install.sh')}`,
    )
    return { ok: false }
  }
  mkdirSync(home, { recursive: true })
  const out = join(home, `results-${process.pid}.jsonl`)
  rmSync(out, { force: true })
  const env = {
    ...process.env,
    BENCH_DATA: process.env.BENCH_DATA ?? join(home, 'data'),
    BENCH_WORK: process.env.BENCH_WORK ?? join(home, 'work'),
    BENCH_PRODUCT_CMD: `${process.execPath} ${WORKER}`,
  }
  const run = (args) => runProgram(python, args, { cwd: join(SHARED, 'bench'), env })
  let ok = true
  for (const workload of workloads) {
    const anchors = ['product', peers ?? PEERS[workload]].join(',')
    const args = ['--workload', workload, '--scale', scale, '--anchor', anchors, '--repeat', repeat, '--out', out]
    if (cases) args.push('--case', cases)
    if (trace) args.push('--trace')
    ok = (await run([runner, ...args])) === 0 && ok
  }
  for (const [key, base] of [
    ['op_cpu_s', 'raw'],
    ['op_cpu_s', 'deltalake'],
    ['op_cpu_s', 'duckdb'],
    ['peak_rss_mb', 'deltalake'],
  ]) {
    console.log('')
    await run([resolve(SHARED, 'bench/summarize.py'), out, '--key', key, '--base', base])
  }
  console.log(`\nevery run: ${out}`)
  return { ok }
}

function runProgram(program, args, options) {
  return new Promise((done, fail) => {
    const child = spawn(program, args, { ...options, stdio: 'inherit' })
    child.on('error', fail)
    child.on('close', done)
  })
}
