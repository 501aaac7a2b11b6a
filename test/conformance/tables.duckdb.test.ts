import { describe, it } from 'vitest'
import { duckdbEngine } from '../../src/engine/duckdb/index.ts'
import { sharedMissing } from '../support/shared.ts'
import { conformance } from './conformance.ts'
import { foreignTables } from './recorded-tables.ts'

const missing = sharedMissing('tables')

if (missing === undefined) conformance('tables', { tables: foreignTables(), engine: duckdbEngine(), fewer: true })
else describe('tables', () => it.skip(missing, () => {}))
