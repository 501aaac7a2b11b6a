/** `npm run fuzz`: many cases of `fuzz-logs.ts`, each fault printed as it shows. */
import { duckdbEngine } from '../../src/engine/duckdb/index.ts'
import { jsEngine } from '../../src/engine/js/index.ts'
import { fuzzLogs } from './fuzz-logs.ts'

const STEP = 500

/** @returns the number of faults */
export async function fuzz(cases: number, seed: number): Promise<number> {
  console.log(`${cases} damaged logs from the seed ${seed} on`)
  const engines = [jsEngine(), duckdbEngine()]
  let faulty = 0
  for (let done = 0; done < cases; ) {
    const { ran, faults } = await fuzzLogs(engines, { seed: seed + done, cases: Math.min(STEP, cases - done) })
    done += ran
    faulty += faults.length
    for (const fault of faults) console.log(fault)
    console.log(`${done} of ${cases}, ${faulty} faults`)
  }
  for (const engine of engines) await engine.close()
  return faulty
}
