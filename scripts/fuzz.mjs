/**
 * `npm run fuzz -- [CASES [SEED]]`: reads damaged logs by both engines and prints each fault with its seed; 10,000 cases
 * unless said otherwise. `npm run fuzz -- 1 SEED` repeats one. Ends with 1 when there is a fault.
 */
import { withModule } from './typescript.mjs'

const [cases = '10000', seed = String(Date.now() % 1_000_000_000)] = process.argv.slice(2)
const faults = await withModule('test/fuzz/main.ts', ({ fuzz }) => fuzz(Number(cases), Number(seed)))
process.exitCode = faults === 0 ? 0 : 1
