import { describe, expect, it } from 'vitest'
import { duckdbEngine } from '../../src/engine/duckdb/index.ts'
import { jsEngine } from '../../src/engine/js/index.ts'
import { fuzzLogs } from './fuzz-logs.ts'

/** The same cases on every run; `npm run fuzz` draws others. Case 82,850,551 once ran out of stack. */
const seed = Number(process.env.BAYOU_FUZZ_SEED ?? 82_850_500)

describe('damaged logs', () => {
  it('give the same files in both engines or an error with a code, soon', async () => {
    const engines = [jsEngine(), duckdbEngine()]
    const { ran, faults } = await fuzzLogs(engines, { seed, cases: 300, untilMs: Date.now() + 15_000 })
    for (const engine of engines) await engine.close()
    console.log(`${ran} damaged logs from the seed ${seed} on (BAYOU_FUZZ_SEED repeats them)`)
    expect(faults).toEqual([])
    expect(ran).toBeGreaterThan(0)
  })
})
