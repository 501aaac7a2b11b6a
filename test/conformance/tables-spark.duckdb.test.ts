import { describe, it } from 'vitest'
import { duckdbEngine } from '../../src/engine/duckdb/index.ts'
import { sharedMissing } from '../support/shared.ts'
import { conformance } from './conformance.ts'
import { sparkTables } from './recorded-tables.ts'

const missing = sharedMissing('tables-spark')

if (missing === undefined) conformance('tables-spark', { tables: sparkTables(), engine: duckdbEngine(), fewer: true })
else describe('tables-spark', () => it.skip(missing, () => {}))
