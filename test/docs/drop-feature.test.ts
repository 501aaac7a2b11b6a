/** The page about dropping features: its tables are those of the code, and its methods run. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { jsEngine } from '../../src/engine/js/index.ts'
import { dropFeatureErrors } from '../../src/errors/catalogue/drop-feature.ts'
import { removals } from '../../src/operations/drop-feature/removals.ts'
import { TableInMemory } from '../drop-feature/table-in-memory.ts'
import { repositoryRoot } from '../support/shared.ts'

const page = readFileSync(join(repositoryRoot, 'docs/drop-feature.md'), 'utf8')
const rows = page
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .map((line) => line.split('|').map((cell) => cell.trim()))

test('names every message with its state', () => {
  const told = rows.flatMap(([, code = '', state = '']) => (/^`DELTA_/.test(code) ? [[code.slice(1, -1), state]] : []))
  const known = Object.entries(dropFeatureErrors).map(([code, { sqlState }]) => [code, sqlState])
  expect(told.sort()).toEqual(known.sort())
})

test('names every feature that can be dropped, and whether its history is protected', () => {
  const told = rows.flatMap(([, names = '', history = '']) =>
    /^(protected or cut|no need|cut)$/.test(history) ? [[names.split(', ')[0]!, history]] : [],
  )
  const known = [...removals.values()].map(({ name, needsHistoryProtection }) => {
    return [name, needsHistoryProtection ? 'protected or cut' : name === 'checkpointProtection' ? 'cut' : 'no need']
  })
  expect(told.sort()).toEqual(known.sort())
})

test('its statements and methods run', async () => {
  const engine = jsEngine()
  const table = new TableInMemory(engine)
  await table.run("CREATE TABLE $T (id INT) USING delta TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')")
  const [first, second] = /```sql\n([\s\S]*?)```/.exec(page)![1]!.trim().split('\n')
  await table.run(first!.replace('orders', '$T').replace(';', ''))
  await table.run("ALTER TABLE $T SET TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')")
  const refused = await table.refusal(second!.replace('orders', '$T').replace(';', ''))
  expect(refused.code).toBe('DELTA_FEATURE_DROP_WAIT_FOR_RETENTION_PERIOD')
  const code = /```ts\n([\s\S]*?)```/.exec(page)![1]!
  for (const [, method] of code.matchAll(/orders\.(\w+)\(/g)) expect(table.table()).toHaveProperty(method!)
  await engine.close()
})
