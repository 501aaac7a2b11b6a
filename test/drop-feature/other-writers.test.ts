/** Others write while a feature is dropped: whoever comes second looks again, or is told why it cannot go on. */
import { afterAll, describe, expect, test } from 'vitest'
import { jsEngine } from '../../src/engine/js/index.ts'
import { isDeltaError } from '../../src/errors/index.ts'
import { beginTransaction, commitKey, loadSnapshot, readCommit } from '../../src/kernel/index.ts'
import type { ObjectStore } from '../../src/storage/index.ts'
import { TableInMemory } from './table-in-memory.ts'

const engine = jsEngine()
afterAll(() => engine.close())

const WITH_VECTORS = [
  "CREATE TABLE $T (id INT) USING delta TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')",
  'INSERT INTO $T VALUES (1), (2), (3)',
  'DELETE FROM $T WHERE id = 1',
]
const MAPPED = [
  "CREATE TABLE $T (id INT) USING delta TBLPROPERTIES ('delta.columnMapping.mode' = 'name')",
  'INSERT INTO $T VALUES (2), (3)',
]

/** A store in which somebody else works first, when a commit of a version is about to be made. */
function preceded(store: ObjectStore, version: number, work: () => Promise<unknown>): ObjectStore {
  let isDone = false
  return {
    ...store,
    putIfAbsent: async (key, bytes, options) => {
      if (key === commitKey(version) && !isDone) {
        isDone = true
        await work()
      }
      return await store.putIfAbsent(key, bytes, options)
    },
  }
}

async function made(statements: readonly string[]): Promise<TableInMemory> {
  const table = new TableInMemory(engine)
  await table.run(...statements)
  return table
}

describe('an append that gets ahead of a commit of the drop', () => {
  test.each([
    ['deletionVectors', WITH_VECTORS, 7],
    ['columnMapping', MAPPED, 5],
  ] as const)(
    'of %s keeps its row, or the drop says that it has to be run again',
    async (feature, statements, commits) => {
      const first = statements.length
      const ends: string[] = []
      for (let at = first; at < first + commits; at++) {
        const table = await made(statements)
        const other = table.table()
        const store = preceded(table.store, at, () => other.append([{ id: 9 }]))
        let end = 'done'
        try {
          await table.table(store).dropFeatureSupport(feature)
        } catch (error) {
          if (!isDeltaError(error)) throw error
          end = error.code
          await table.table().dropFeatureSupport(feature)
        }
        ends.push(end)
        expect(await table.rows(), `ahead of version ${at}`).toEqual(['[2]', '[3]', '[9]'])
        expect(await table.protocol()).toBe('(1,7) appendOnly, checkpointProtection, invariants')
        const before = Number(await table.property('delta.requireCheckpointProtectionBeforeVersion'))
        const { actions } = await readCommit(table.store, before)
        expect(actions[0]).toMatchObject({ commitInfo: { operation: 'DROP FEATURE' } })
        expect(await table.checkpoints()).toContain(before)
      }
      // files that are written anew under other names leave no room for an append
      const conflicts = ends.filter((end) => end !== 'done')
      expect(conflicts).toEqual(feature === 'columnMapping' ? ['DELTA_CONCURRENT_APPEND.WITHOUT_HINT'] : [])
    },
  )
})

describe('another writer', () => {
  test('that marks rows between the purge and the downgrade makes the drop look again', async () => {
    const table = await made(WITH_VECTORS)
    const downgrade = WITH_VECTORS.length + 6
    const enable = "ALTER TABLE $T SET TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')"
    // before the last barrier, so that the downgrade begins on what came of it
    const store = preceded(table.store, downgrade - 1, () => table.run(enable, 'DELETE FROM $T WHERE id = 2'))
    await expect(table.table(store).dropFeatureSupport('deletionVectors')).rejects.toMatchObject({
      code: 'DELTA_FEATURE_DROP_CONFLICT_REVALIDATION_FAIL',
      sqlState: '40000',
    })
    await table.table().dropFeatureSupport('deletionVectors')
    expect(await table.protocol()).toBe('(1,7) appendOnly, checkpointProtection, invariants')
    expect(await table.rows()).toEqual(['[3]'])
  })

  test('that begins before the drop and ends behind it is told what changed first', async () => {
    const table = await made(WITH_VECTORS)
    const constrained = await made([
      "CREATE TABLE $T (id INT) USING delta TBLPROPERTIES ('delta.feature.checkConstraints' = 'supported')",
    ])
    const outcomes: string[] = []
    for (const [one, feature] of [
      [table, 'deletionVectors'],
      [constrained, 'checkConstraints'],
    ] as const) {
      const snapshot = await loadSnapshot(one.store, engine)
      const append = beginTransaction(snapshot, { operation: 'WRITE' }).addFiles([
        {
          path: 'x',
          partitionValues: new Map(),
          size: 1,
          modificationTime: 0,
          dataChange: true,
          stats: '{"numRecords":1}',
        },
      ])
      await one.run(`ALTER TABLE $T DROP FEATURE ${feature}`)
      const outcome = await append.commit({ clock: one.clock })
      outcomes.push(outcome.kind === 'conflict' ? outcome.error.code : outcome.kind)
      await snapshot.close()
    }
    expect(outcomes).toEqual(['DELTA_METADATA_CHANGED', 'DELTA_PROTOCOL_CHANGED'])
  })

  test('that drops the same feature meanwhile leaves nothing to do twice', async () => {
    const table = await made(MAPPED)
    const store = preceded(table.store, MAPPED.length + 4, () => table.run('ALTER TABLE $T DROP FEATURE columnMapping'))
    await expect(table.table(store).dropFeatureSupport('columnMapping')).rejects.toMatchObject({
      code: 'DELTA_PROTOCOL_CHANGED',
    })
    expect(await table.rows()).toEqual(['[2]', '[3]'])
    expect(await table.protocol()).toBe('(1,7) appendOnly, checkpointProtection, invariants')
  })
})

test('a stream that follows the table stops at the drop and goes on when it is begun again', async () => {
  const table = await made(MAPPED)
  const seen: unknown[] = []
  let offset: unknown
  const follow = async (from: object) => {
    for await (const batch of table.table().follow({ ...from, untilLatest: true })) {
      offset = batch.offset
      seen.push(...(await batch.rows()).map((row) => Object.values(row)[0]))
    }
  }
  await follow({})
  await table.run('ALTER TABLE $T DROP FEATURE columnMapping', 'INSERT INTO $T VALUES (4)')
  await expect(follow({ offset })).rejects.toMatchObject({ code: expect.stringMatching(/^DELTA_/) })
  await follow({ offset })
  expect(seen).toEqual([2, 3, 4])
})
