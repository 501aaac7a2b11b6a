import { describe, it } from 'vitest'
import { duckdbEngine } from '../../src/engine/duckdb/index.ts'
import { jsEngine } from '../../src/engine/js/index.ts'
import { sharedMissing } from '../support/shared.ts'
import { conformance } from './conformance.ts'
import { foreignTables } from './recorded-tables.ts'

const missing = sharedMissing('tables')
/** the TypeScript reader knows shredded variants only to refuse them */
const SHREDDED = 'LAKE_PARQUET_UNSUPPORTED'
/** a file outside of the table's store; the TypeScript engine opens no other */
const ELSEWHERE = 'FAILED_READ_FILE.NO_HINT'

const refusedByJs = new Map([
  ['delta-spark/variant-stats-nested-no-checkpoint@1', SHREDDED],
  ['delta-spark/variant-stats-state-reconstruction@0', SHREDDED],
  ['delta-spark/variant-stats-with-struct-no-checkpoint@1', SHREDDED],
  ['delta-kernel-rs-golden/canonicalized-paths-normal-a/delta@0', ELSEWHERE],
  ['delta-kernel-rs-golden/canonicalized-paths-normal-b/delta@0', ELSEWHERE],
  ['delta-kernel-rs-golden/canonicalized-paths-special-a/delta@0', ELSEWHERE],
  ['delta-kernel-rs-golden/canonicalized-paths-special-b/delta@0', ELSEWHERE],
])
const refusedByDuckDb = new Map([['delta-spark/variant-stats-nested-no-checkpoint@1', 'FAILED_READ_FILE.NO_HINT']])

if (missing === undefined) {
  const tables = foreignTables()
  conformance('tables', { tables, engine: jsEngine(), refused: refusedByJs })
  conformance('tables', { tables, engine: duckdbEngine(), refused: refusedByDuckDb })
} else {
  describe('tables', () => it.skip(missing, () => {}))
}
