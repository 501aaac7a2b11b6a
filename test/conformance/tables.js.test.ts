import { describe, it } from 'vitest'
import { jsEngine } from '../../src/engine/js/index.ts'
import { sharedMissing } from '../support/shared.ts'
import { conformance } from './conformance.ts'
import { foreignTables } from './recorded-tables.ts'

const missing = sharedMissing('tables')

if (missing === undefined) conformance('tables', { tables: foreignTables(), engine: jsEngine() })
else describe('tables', () => it.skip(missing, () => {}))
