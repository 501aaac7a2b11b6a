/** Features that only other writers give a table: they can be dropped all the same, and the table is written to then. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { jsEngine } from '../../src/engine/js/index.ts'
import { commitKey, MemoryCommitCatalog, managedLog, readCommit } from '../../src/kernel/index.ts'
import { memoryStore, type ObjectStore } from '../../src/storage/index.ts'
import { collect, decodeUtf8, encodeUtf8 } from '../../src/support/index.ts'
import { sharedMissing, sharedPath } from '../support/shared.ts'
import { LOCATION, TableInMemory } from './table-in-memory.ts'

const engine = jsEngine()
afterAll(() => engine.close())

/** Changes the text of a commit, as another writer would have written it. */
async function rewrite(store: ObjectStore, version: number, change: (text: string) => string): Promise<void> {
  await store.put(commitKey(version), encodeUtf8(change(decodeUtf8(await store.get(commitKey(version))))))
}

const listed = (...names: string[]) => `"writerFeatures":[${names.map((name) => `"${name}",`).join('')}`

describe('collations', () => {
  async function collated(name: string): Promise<TableInMemory> {
    const made = new TableInMemory(engine)
    await made.run(
      "CREATE TABLE $T (id INT, v STRING) USING delta TBLPROPERTIES ('delta.feature.domainMetadata' = 'supported')",
      "INSERT INTO $T VALUES (1, 'a')",
      "INSERT INTO $T VALUES (2, 'B')",
    )
    await rewrite(made.store, 0, (text) =>
      text
        .replace('"writerFeatures":[', listed(name))
        .replace(
          String.raw`{\"name\":\"v\",\"type\":\"string\",\"nullable\":true,\"metadata\":{}}`,
          String.raw`{\"name\":\"v\",\"type\":\"string\",\"nullable\":true,\"metadata\":{\"__COLLATIONS\":{\"v\":\"icu.UNICODE_CI\"}}}`,
        ),
    )
    await rewrite(made.store, 1, (text) =>
      text.replace(
        '"stats":"{',
        String.raw`"stats":"{\"statsWithCollation\":{\"icu.UNICODE_CI.75\":{\"min\":{\"v\":\"a\"}}},`,
      ),
    )
    return new TableInMemory(engine, { store: made.store, nowMs: made.nowMs })
  }

  test.each(['collations', 'collations-preview'])('are forgotten by schema and statistics: %s', async (name) => {
    const table = await collated(name)
    expect((await table.refusal("INSERT INTO $T VALUES (3, 'c')")).code).toBe('DELTA_UNSUPPORTED_FEATURES_FOR_WRITE')
    const planned = await table.table().planDropFeature(name)
    await table.run(`ALTER TABLE $T DROP FEATURE \`${name}\``)
    expect(await table.operations(3)).toEqual(['DROP FEATURE', 'DROP FEATURE'])
    expect(planned.commits.map(({ operation }) => operation)).toEqual(['DROP FEATURE', 'DROP FEATURE'])
    expect(await table.protocol()).toBe('(1,7) appendOnly, domainMetadata, invariants')
    const { actions } = await readCommit(table.store, 3)
    const adds = actions.flatMap((action) => ('add' in action ? [action.add] : []))
    expect(adds).toHaveLength(1)
    expect(adds[0]).toMatchObject({ dataChange: false, stats: expect.not.stringContaining('statsWithCollation') })
    const { schema } = await table.table().describe()
    expect(schema.fields[1]!.metadata).toEqual({})
    await table.run("INSERT INTO $T VALUES (3, 'c')")
    expect(await table.rows()).toEqual(['[1,"a"]', '[2,"B"]', '[3,"c"]'])
  })

  test('keep domainMetadata', async () => {
    const table = await collated('collations-preview')
    const refused = await table.refusal('ALTER TABLE $T DROP FEATURE domainMetadata')
    expect(refused.code).toBe('DELTA_FEATURE_DROP_DEPENDENT_FEATURE')
  })
})

describe('materializePartitionColumns', () => {
  const missing = sharedMissing('tables-spark')
  test.skipIf(missing !== undefined)(
    `leaves the columns in files${missing === undefined ? '' : `: ${missing}`}`,
    async () => {
      const folder = sharedPath('tables-spark', 'drop-materialize-partition-columns', 'table')
      const store = memoryStore({ location: LOCATION })
      for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
        const path = join(entry.parentPath, entry.name)
        const key = path.slice(folder.length + 1)
        if (entry.isFile() && !/0(2|3)\.(json|crc)$/.test(key)) await store.put(key, readFileSync(path))
      }
      const table = new TableInMemory(engine, { store, nowMs: Date.now() })
      expect(await table.protocol()).toBe('(1,7) appendOnly, invariants, materializePartitionColumns')
      await table.run('ALTER TABLE $T DROP FEATURE materializePartitionColumns')
      expect(await table.operations(2)).toEqual(['DROP FEATURE'])
      expect(await table.protocol()).toBe('(1,2)')
      expect(await table.property('delta.enableMaterializePartitionColumnsFeature')).toBeUndefined()
      await table.run("INSERT INTO $T VALUES (2, 'b')")
      expect(await table.rows()).toEqual(['[1,"a"]', '[2,"b"]'])
    },
  )
})

describe('catalogManaged', () => {
  async function managed() {
    const made = new TableInMemory(engine)
    await made.run(
      "CREATE TABLE $T (id INT) USING delta TBLPROPERTIES ('delta.enableInCommitTimestamps' = 'true', 'delta.feature.vacuumProtocolCheck' = 'supported')",
      'INSERT INTO $T VALUES (1)',
    )
    await rewrite(made.store, 0, (text) => text.replaceAll('Features":[', 'Features":["catalogManaged",'))
    return { bare: made.store, catalog: new MemoryCommitCatalog(1), nowMs: made.nowMs }
  }

  test('goes where the catalog lets go of the table, which is then committed to by its path', async () => {
    const { bare, catalog, nowMs } = await managed()
    const table = new TableInMemory(engine, { store: managedLog(bare, catalog), nowMs })
    await table.run('INSERT INTO $T VALUES (2)', 'ALTER TABLE $T DROP FEATURE catalogManaged')
    expect(await table.operations(3)).toEqual(['Empty Commit', 'Empty Commit', 'Empty Commit', 'DROP FEATURE'])
    const byPath = new TableInMemory(engine, { store: bare, nowMs: table.nowMs })
    expect(await byPath.protocol()).toBe(
      '(3,7) read by vacuumProtocolCheck; appendOnly, checkpointProtection, inCommitTimestamp, invariants, vacuumProtocolCheck',
    )
    await byPath.run('INSERT INTO $T VALUES (3)')
    expect(await byPath.rows()).toEqual(['[1]', '[2]', '[3]'])
    expect(await byPath.checkpoints()).toEqual([3, 4, 5, 6])
    // the catalog ratifies nothing any more, so that nobody commits to two logs
    const stale = new TableInMemory(engine, { store: managedLog(bare, catalog), nowMs: table.nowMs })
    await expect(stale.run('INSERT INTO $T VALUES (4)')).rejects.toMatchObject({
      code: 'LAKE_STORAGE_READ_ONLY',
    })
    expect((await collect(bare.list({ prefix: commitKey(8) }))).flat()).toEqual([])
  })

  test('stays where the catalog keeps its tables, and nothing is written', async () => {
    const { bare, catalog, nowMs } = await managed()
    const keeping = {
      commits: () => catalog.commits(),
      ratify: (commit: Parameters<MemoryCommitCatalog['ratify']>[0]) => catalog.ratify(commit),
      published: (version: number) => catalog.published(version),
    }
    const table = new TableInMemory(engine, { store: managedLog(bare, keeping), nowMs })
    const refused = await table.refusal('ALTER TABLE $T DROP FEATURE catalogManaged')
    expect([refused.code, refused.sqlState]).toEqual(['DELTA_FEATURE_DROP_UNSUPPORTED_CLIENT_FEATURE', '0AKDC'])
    expect(await table.versions()).toEqual([0, 1])
  })

  test('stays for whoever comes by the path alone', async () => {
    const { bare, nowMs } = await managed()
    const table = new TableInMemory(engine, { store: bare, nowMs })
    for (const how of ['', ' TRUNCATE HISTORY']) {
      const refused = await table.refusal(`ALTER TABLE $T DROP FEATURE catalogManaged${how}`)
      expect([refused.code, refused.sqlState]).toEqual(['DELTA_FEATURE_DROP_UNSUPPORTED_CLIENT_FEATURE', '0AKDC'])
    }
    expect((await table.refusal('ALTER TABLE $T DROP FEATURE vacuumProtocolCheck')).code).toBe(
      'LAKE_CATALOG_COMMITS_NEEDED',
    )
  })

  test('keeps inCommitTimestamp', async () => {
    const { bare, catalog, nowMs } = await managed()
    const table = new TableInMemory(engine, { store: managedLog(bare, catalog), nowMs })
    const refused = await table.refusal('ALTER TABLE $T DROP FEATURE inCommitTimestamp')
    expect(refused.code).toBe('DELTA_FEATURE_DROP_DEPENDENT_FEATURE')
  })
})
