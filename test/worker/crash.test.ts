/**
 * A worker that is killed, with SIGKILL, at random moments of a long run, and started again each time: the table ends with
 * every record once, and so does the dead-letter file.
 */
import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { readTable } from './read-table.ts'

const RECORDS = Number(process.env.BAYOU_CRASH_RECORDS ?? 100_000)
const KILLS = Number(process.env.BAYOU_CRASH_KILLS ?? 8)
const BAD_EVERY = 997
const script = fileURLToPath(new URL('./run-config.mjs', import.meta.url))

/** @returns what the process said, or undefined when it was killed first */
function runOnce(config: string, killAfterMs: number | undefined): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [script, config], { stdio: ['ignore', 'pipe', 'pipe'] })
    let said = ''
    let complaint = ''
    child.stdout.on('data', (text) => {
      said += text
    })
    child.stderr.on('data', (text) => {
      complaint += text
    })
    const timer = killAfterMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfterMs)
    child.on('exit', (code, signal) => {
      clearTimeout(timer)
      if (signal === 'SIGKILL') resolve(undefined)
      else if (code === 0) resolve(said)
      else reject(new Error(`the worker ended with ${code}: ${complaint}`))
    })
  })
}

it(`${KILLS} kills in a run over ${RECORDS} records lose nothing and double nothing`, {
  timeout: 600_000,
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'bayou-crash-'))
  try {
    const config = join(folder, 'config.json')
    const deadLetterFile = join(folder, 'dead.ndjson')
    const source = {
      id: 'made',
      type: 'generator',
      schema: 'id BIGINT, name STRING, at TIMESTAMP',
      badEvery: BAD_EVERY,
    }
    await writeFile(
      config,
      JSON.stringify({
        name: 'crash',
        sources: [{ ...source, count: RECORDS, batchRecords: 500, recordsPerSec: RECORDS / 10 }],
        routes: [{ source: 'made', destination: 'lake' }],
        destinations: [
          {
            id: 'lake',
            type: 'delta',
            location: join(folder, 'table'),
            fileIntervalSecs: 1,
            bufferBytes: 1_048_576,
            deadLetterFile,
          },
        ],
      }),
    )
    let kills = 0
    while (kills < KILLS) {
      // Starting takes about half a second; the moments fall into all of the work that follows.
      const said = await runOnce(config, 500 + Math.random() * 2500)
      if (said !== undefined) break
      kills++
    }
    const said = await runOnce(config, undefined)
    expect(said).toContain('done')
    console.log(`killed ${kills} times`)
    expect(kills).toBeGreaterThan(0)

    const { rows, snapshot, commits } = await readTable(join(folder, 'table'))
    const ids = new Set(rows.map((row) => row[0]))
    const bad = Math.floor(RECORDS / BAD_EVERY)
    expect([rows.length, ids.size]).toEqual([RECORDS - bad, RECORDS - bad])
    expect(snapshot.transactions.get('crash/lake/made/0')?.version).toBe(BigInt(RECORDS))
    expect(commits.length).toBe(snapshot.version + 1)

    const letters = (await readFile(deadLetterFile, 'utf8'))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).position)
    expect(letters).toEqual(Array.from({ length: bad }, (_, i) => String((i + 1) * BAD_EVERY - 1)))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
