import { describe, it } from 'vitest'
import { jsEngine } from '../../src/engine/js/index.ts'
import { sharedMissing } from '../support/shared.ts'
import { conformance } from './conformance.ts'
import { sparkTables } from './recorded-tables.ts'

const missing = sharedMissing('tables-spark')

if (missing === undefined) conformance('tables-spark', { tables: sparkTables(), engine: jsEngine() })
else describe('tables-spark', () => it.skip(missing, () => {}))
