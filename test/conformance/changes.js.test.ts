import { describe, it } from 'vitest'
import { jsEngine } from '../../src/engine/js/index.ts'
import { sharedMissing } from '../support/shared.ts'
import { changesConformance } from './changes.ts'
import { foreignTables, sparkTables } from './recorded-tables.ts'

const missing = sharedMissing('tables')

changesConformance('tables-spark', sparkTables(), jsEngine())
if (missing === undefined) changesConformance('tables', foreignTables(), jsEngine())
else describe('changes of tables', () => it.skip(missing, () => {}))
