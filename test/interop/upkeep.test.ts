/** Tables that we restored, cloned, converted and vacuumed, read by Spark and delta-rs; and Spark's upkeep of ours. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { nodeEngine, openSession } from '../../src/index.ts'
import { oracleMissing, readByDeltaRs, readBySpark, runOnSpark } from './oracle.ts'

const missing = oracleMissing()
if (missing !== undefined) console.log(`skipped: upkeep is not read by others: ${missing}`)

/** Nine days ahead: what was removed before is old. */
const later = openSession({ engine: nodeEngine(), clock: { now: () => Date.now() + 9 * 24 * 3_1_200_000 } })
const session = openSession({ engine: nodeEngine() })
const root = mkdtempSync(join(tmpdir(), 'upkeep-interop-'))
const path = (name: string) => join(root, name)

const ids = (rows: readonly Readonly<Record<string, unknown>>[] | undefined) => rows?.map(({ id }) => Number(id)).sort()

describe.skipIf(missing !== undefined)('upkeep beside other engines', () => {
  beforeAll(async () => {
    for (const [name, vectors] of [
      ['plain', 'false'],
      ['vectors', 'true'],
      ['for-spark', 'true'],
    ] as const) {
      const table = await session.tables
        .create()
        .location(path(name))
        .addColumns('id INT, p STRING')
        .partitionedBy('p')
        .properties({ 'delta.enableDeletionVectors': vectors })
        .execute()
      await table.append([1, 2, 3].map((id) => ({ id, p: 'a b%20é' })))
      await table.append([4, 5].map((id) => ({ id, p: 'c' })))
      await table.delete('id IN (2, 4)')
      await table.update({ where: 'id = 3', set: { id: '30' } })
    }
    for (const name of ['plain', 'vectors']) {
      const table = await session.tables.forPath(path(name))
      await table.clone(path(`${name}-deep`))
      await table.clone(path(`${name}-shallow`), { shallow: true })
      await table.clone(path(`${name}-restored`))
      const restored = await session.tables.forPath(path(`${name}-restored`))
      await restored.append([{ id: 9, p: 'c' }])
      await restored.restoreToVersion(0)
      const vacuumed = await later.tables.forPath(path(`${name}-deep`))
      await vacuumed.append([{ id: 7, p: 'd' }])
      await vacuumed.delete('id = 1')
      await (await later.tables.forPath(path(`${name}-deep`))).vacuum()
    }
    const folder = path('plain-converted')
    await (await session.tables.forPath(path('plain'))).clone(folder)
    rmSync(join(folder, '_delta_log'), { recursive: true })
    await session.tables.convertToDelta(folder, { partitionBy: 'p STRING' })
  }, 240_000)
  afterAll(async () => {
    await session.close()
    await later.close()
    rmSync(root, { recursive: true })
  })

  const EXPECTED: readonly (readonly [name: string, ids: readonly number[]])[] = [
    ['plain', [1, 30, 5]],
    ['plain-deep', [30, 5, 7]],
    ['plain-shallow', [1, 30, 5]],
    ['plain-restored', [1, 30, 5]],
    ['plain-converted', [1, 30, 5]],
    ['vectors', [1, 30, 5]],
    ['vectors-deep', [30, 5, 7]],
    ['vectors-shallow', [1, 30, 5]],
    ['vectors-restored', [1, 30, 5]],
  ]

  test('delta-rs and Spark read what we made', () => {
    const paths = EXPECTED.map(([name]) => path(name))
    for (const [engine, found] of [
      ['spark', readBySpark(paths)],
      ['delta-rs', readByDeltaRs(paths)],
    ] as const) {
      for (const [name, expected] of EXPECTED) {
        const { rows, rowsError, error } = found.get(path(name)) ?? {}
        expect([name, ids(rows), rowsError, error], engine).toEqual([name, [...expected].sort(), undefined, undefined])
      }
    }
  }, 1_200_000)

  test('Spark vacuums, restores and clones our table, and we read it on', async () => {
    const t = `delta.\`${path('for-spark')}\``
    const answers = runOnSpark([
      'SET spark.databricks.delta.retentionDurationCheck.enabled=false',
      `RESTORE TABLE ${t} TO VERSION AS OF 3`,
      `SELECT id FROM ${t} ORDER BY id`,
      `RESTORE TABLE ${t} TO VERSION AS OF 4`,
      `CREATE TABLE delta.\`${path('by-spark')}\` SHALLOW CLONE ${t}`,
      `VACUUM ${t} RETAIN 0 HOURS`,
      `SELECT id FROM ${t} ORDER BY id`,
    ])
    expect(answers.map(({ error }) => error)).toEqual(answers.map(() => undefined))
    expect(ids(answers[2]!.rows)).toEqual([1, 3, 5])
    expect(ids(answers[6]!.rows)).toEqual([1, 30, 5])
    const table = await session.tables.forPath(path('for-spark'))
    expect(ids(await table.rows())).toEqual([1, 30, 5])
    expect(ids(await (await session.tables.forPath(path('by-spark'))).rows())).toEqual([1, 30, 5])
    expect(await table.fsck()).toMatchObject({ numProblems: 0 })
    const files = () => readdirSync(path('for-spark')).filter((name) => name.endsWith('.bin'))
    const before = files().length
    // Spark has taken what the restores removed; what it left for us is what it wrote since
    await (await later.tables.forPath(path('for-spark'))).vacuum({ type: 'lite' })
    expect(files().length).toBeLessThanOrEqual(before)
    expect(ids(await table.rows())).toEqual([1, 30, 5])
  }, 1_200_000)
})
