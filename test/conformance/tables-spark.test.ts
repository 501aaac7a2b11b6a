import { describe, it } from 'vitest'
import { duckdbEngine } from '../../src/engine/duckdb/index.ts'
import { jsEngine } from '../../src/engine/js/index.ts'
import { sharedMissing } from '../support/shared.ts'
import { conformance } from './conformance.ts'
import { sparkTables } from './recorded-tables.ts'

const missing = sharedMissing('tables-spark')
/** the TypeScript reader knows shredded variants only to refuse them */
const SHREDDED = 'LAKE_PARQUET_UNSUPPORTED'
/** a file outside of the table's store; the TypeScript engine opens no other */
const ELSEWHERE = 'FAILED_READ_FILE.NO_HINT'

const refusedByJs = new Map([
  ['variant-shredded@1', SHREDDED],
  ['variant-shredded@2', SHREDDED],
  ['clone-shallow', ELSEWHERE],
])

if (missing === undefined) {
  const tables = sparkTables()
  conformance('tables-spark', { tables, engine: jsEngine(), refused: refusedByJs })
  conformance('tables-spark', { tables, engine: duckdbEngine() })
} else {
  describe('tables-spark', () => it.skip(missing, () => {}))
}
