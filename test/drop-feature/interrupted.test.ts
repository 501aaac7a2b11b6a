/** A drop of which one call to the store fails: the table keeps its rows, and another run ends what was begun. */
import { afterAll, describe, expect, test } from 'vitest'
import { jsEngine } from '../../src/engine/js/index.ts'
import { isDeltaError } from '../../src/errors/index.ts'
import { type FaultPlan, faulty, type ObjectStore } from '../../src/storage/index.ts'
import { TableInMemory } from './table-in-memory.ts'

const engine = jsEngine()
afterAll(() => engine.close())

const MAX_CALLS = 500
/** One in so many calls fails, another one each time a scenario begins; 1 for all of them. */
const STEP = Number(process.env.BAYOU_FAIL_EVERY ?? 5)

interface Scenario {
  readonly feature: string
  readonly truncateHistory?: boolean
  readonly statements: readonly string[]
  readonly protocol: string
}

const scenarios: readonly Scenario[] = [
  {
    feature: 'deletionVectors',
    statements: [
      "CREATE TABLE $T (id INT) USING delta TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')",
      'INSERT INTO $T VALUES (1), (2), (3)',
      'DELETE FROM $T WHERE id = 1',
    ],
    protocol: '(1,7) appendOnly, checkpointProtection, invariants',
  },
  {
    feature: 'columnMapping',
    statements: [
      "CREATE TABLE $T (id INT) USING delta TBLPROPERTIES ('delta.columnMapping.mode' = 'name')",
      'INSERT INTO $T VALUES (2), (3)',
    ],
    protocol: '(1,7) appendOnly, checkpointProtection, invariants',
  },
  {
    feature: 'rowTracking',
    statements: [
      "CREATE TABLE $T (id INT) USING delta TBLPROPERTIES ('delta.enableRowTracking' = 'true')",
      'INSERT INTO $T VALUES (2), (3)',
    ],
    protocol: '(1,7) appendOnly, domainMetadata, invariants',
  },
  {
    feature: 'columnMapping',
    truncateHistory: true,
    statements: [
      "CREATE TABLE $T (id INT) USING delta TBLPROPERTIES ('delta.columnMapping.mode' = 'name', 'delta.dropFeatureTruncateHistory.retentionDuration' = 'interval 0 hours')",
      'INSERT INTO $T VALUES (2), (3)',
    ],
    protocol: '(1,2)',
  },
]

const WAITS = ['DELTA_FEATURE_DROP_WAIT_FOR_RETENTION_PERIOD', 'DELTA_FEATURE_DROP_HISTORICAL_VERSIONS_EXIST'] as const

/** Runs a drop as often as it says that it has to be run again. */
async function drop({ feature, truncateHistory = false }: Scenario, table: TableInMemory, store?: ObjectStore) {
  for (let runs = 1; ; runs++) {
    try {
      return await table.table(store).dropFeatureSupport(feature, { truncateHistory })
    } catch (error) {
      if (runs > 2 || !isDeltaError(error, ...WAITS)) throw error
      table.wait(1)
    }
  }
}

/** @returns whether the fault happened */
async function tryWith(plan: FaultPlan, scenario: Scenario): Promise<boolean> {
  const table = new TableInMemory(engine)
  await table.run(...scenario.statements)
  const broken = faulty(table.store, plan)
  const at = `${plan.when} call ${plan.failCall}`
  try {
    await drop(scenario, table, broken)
  } catch (error) {
    if (!isDeltaError(error)) throw error
    expect(await table.rows(), at).toEqual(['[2]', '[3]'])
    try {
      await drop(scenario, table)
    } catch (again) {
      // the last commit stood, and its answer was lost
      if (!isDeltaError(again, 'DELTA_FEATURE_DROP_FEATURE_NOT_PRESENT')) throw again
    }
  }
  expect(await table.protocol(), at).toBe(scenario.protocol)
  expect(await table.rows(), at).toEqual(['[2]', '[3]'])
  const isProtected = scenario.protocol.includes('checkpointProtection')
  const before = await table.property('delta.requireCheckpointProtectionBeforeVersion')
  expect(before === undefined, at).toBe(!isProtected)
  if (isProtected) expect(await table.checkpoints(), at).toContain(Number(before))
  return broken.hasFailed()
}

describe.each(scenarios.map((s) => [s.truncateHistory ? `${s.feature} with its history` : s.feature, s] as const))(
  '%s',
  (_, scenario) => {
    test.each(['before', 'after-effect'] as const)('with a call failing %s', async (when) => {
      let failCall = 1 + ((scenarios.indexOf(scenario) + (when === 'before' ? 0 : 2)) % STEP)
      while (await tryWith({ failCall, when }, scenario)) {
        failCall += STEP
        expect(failCall).toBeLessThan(MAX_CALLS)
      }
      expect(failCall).toBeGreaterThan(10)
    })
  },
)
