import { describe, it } from 'vitest'
import { duckdbEngine } from '../../src/engine/duckdb/index.ts'
import { sharedMissing } from '../support/shared.ts'
import { changesConformance } from './changes.ts'
import { foreignTables, sparkTables } from './recorded-tables.ts'

const missing = sharedMissing('tables')

changesConformance('tables-spark', sparkTables(), duckdbEngine())
if (missing === undefined) changesConformance('tables', foreignTables(), duckdbEngine())
else describe('changes of tables', () => it.skip(missing, () => {}))
