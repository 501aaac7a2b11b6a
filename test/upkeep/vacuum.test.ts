/** VACUUM over both engines, as the reference is recorded to do it; the differences are told in docs/maintenance.md. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { duckdbEngine } from '../../src/engine/duckdb/index.ts'
import { jsEngine } from '../../src/engine/js/index.ts'
import { LocalGround, sorted } from './local-ground.ts'

const CHECK_OFF = 'SET spark.databricks.delta.retentionDurationCheck.enabled = false'

describe.each([
  ['duckdb', duckdbEngine],
  ['js', jsEngine],
] as const)('VACUUM on the engine %s', (name, openEngine) => {
  let ground: LocalGround
  beforeEach(() => {
    ground = new LocalGround(openEngine())
  })
  afterEach(() => ground.close())

  const put = (key: string, text = 'x') => {
    const path = join(ground.path('t'), key)
    mkdirSync(join(path, '..'), { recursive: true })
    writeFileSync(path, text)
  }

  test('recorded: vacuum-full', async () => {
    await ground.sql('CREATE TABLE $T (id INT, p INT) USING delta PARTITIONED BY (p)')
    await ground.sql('INSERT INTO $T VALUES (1, 0), (2, 1)')
    await ground.sql('INSERT INTO $T VALUES (3, 0)')
    await ground.sql('DELETE FROM $T WHERE p = 1')
    await ground.sql('UPDATE $T SET id = id + 10')
    const live = (await ground.session.tables.forPath(ground.path('t'))).files()
    const kept: string[] = []
    for await (const { path } of live) kept.push(path)
    await expect(ground.sql('VACUUM $T RETAIN 0 HOURS')).rejects.toMatchObject({
      code: 'DELTA_VACUUM_RETENTION_PERIOD_TOO_SHORT',
      sqlState: '22003',
      message: expect.stringContaining('168'),
    })
    await ground.sql(CHECK_OFF)
    put('stray.parquet')
    put('_hidden/keep.txt')
    put('p=0/.dotfile')
    mkdirSync(join(ground.path('t'), 'emptydir'))
    ground.age(1)
    const dry = await ground.sql('VACUUM $T RETAIN 0 HOURS DRY RUN')
    expect(dry).toHaveLength(5)
    expect(dry).toContain(`{"path":"file:${ground.path('t')}/stray.parquet"}`)
    expect(await ground.sql('VACUUM $T RETAIN 0 HOURS')).toEqual([`{"path":"file:${ground.path('t')}"}`])
    expect(ground.files()).toEqual([...kept, '_hidden/keep.txt', 'p=0/.dotfile'].sort())
    expect(existsSync(join(ground.path('t'), 'emptydir'))).toBe(false)
    expect(ground.warnings.join()).toContain('0 hours, less than the 168')
    const [end, start] = await (await ground.table('t')).history(2)
    expect(start).toMatchObject({
      operation: 'VACUUM START',
      operationParameters: {
        retentionCheckEnabled: 'false',
        defaultRetentionMillis: '604800000',
        specifiedRetentionMillis: '0',
      },
      isolationLevel: 'SnapshotIsolation',
      isBlindAppend: true,
      operationMetrics: { numFilesToDelete: '5' },
    })
    expect(end).toMatchObject({
      operation: 'VACUUM END',
      operationParameters: { status: 'COMPLETED' },
      isolationLevel: 'SnapshotIsolation',
      operationMetrics: { numDeletedFiles: '5', numVacuumedDirectories: '4' },
    })
  })

  test('recorded: vacuum-lite; vectors and change files go with the files they speak of', async () => {
    await ground.sql(`CREATE TABLE $T (id INT) USING delta
      TBLPROPERTIES ('delta.enableDeletionVectors' = 'true', 'delta.enableChangeDataFeed' = 'true')`)
    await ground.sql('INSERT INTO $T VALUES (0), (1), (2), (3), (4)')
    await ground.sql('DELETE FROM $T WHERE id = 1')
    await ground.sql('UPDATE $T SET id = 100 WHERE id = 2')
    const table = await ground.table('t')
    await table.overwrite([{ id: 5 }])
    await ground.sql(CHECK_OFF)
    put('stray.parquet')
    ground.age(2)
    await ground.sql('VACUUM $T LITE RETAIN 0 HOURS')
    expect(ground.files()).toHaveLength(2)
    expect(ground.files()).toContain('stray.parquet')
    expect(await sorted(table)).toEqual(['{"id":5}'])
    await ground.sql('INSERT INTO $T VALUES (7)')
    await ground.sql('DELETE FROM $T WHERE id = 7')
    const before = ground.files()
    await ground.sql('VACUUM $T LITE')
    expect(ground.files()).toEqual(before)
    const info = readFileSync(join(ground.path('t'), '_delta_log/_last_vacuum_info'), 'utf8')
    expect(JSON.parse(info)).toEqual({ latestCommitVersionOutsideOfRetentionWindow: 4 })
  })

  test('LITE has seen to no version past the one it began with, however old its own commits look', async () => {
    await ground.sql('CREATE TABLE $T (id INT) USING delta')
    await ground.sql('INSERT INTO $T VALUES (1)')
    await ground.sql(CHECK_OFF)
    ground.ahead(1)
    await ground.sql('VACUUM $T LITE RETAIN 0 HOURS')
    const info = readFileSync(join(ground.path('t'), '_delta_log/_last_vacuum_info'), 'utf8')
    expect(JSON.parse(info)).toEqual({ latestCommitVersionOutsideOfRetentionWindow: 1 })
  })

  test('LITE refuses a log whose beginning is gone, and goes on after a full run', async () => {
    await ground.sql('CREATE TABLE $T (id INT) USING delta')
    for (let id = 0; id < 3; id++) await ground.sql(`INSERT INTO $T VALUES (${id})`)
    const table = await ground.table('t')
    await table.checkpoint()
    const store = await ground.session.openStore(ground.path('t'))
    for (const version of [0, 1]) await store.delete(`_delta_log/${String(version).padStart(20, '0')}.json`)
    ground.age(24 * 8)
    await expect(table.vacuum({ type: 'lite' })).rejects.toMatchObject({ code: 'DELTA_CANNOT_VACUUM_LITE' })
    await table.vacuum()
    expect((await table.vacuum({ type: 'lite' })).numDeletedFiles).toBe(0)
  })

  test('recorded: vacuum-inventory', async () => {
    await ground.sql('CREATE TABLE $T (id INT) USING delta')
    await ground.sql('INSERT INTO $T VALUES (1)')
    await ground.sql('INSERT INTO $T VALUES (2)')
    await ground.sql('DELETE FROM $T WHERE id = 1')
    await ground.sql(CHECK_OFF)
    await ground.sql(
      'CREATE TABLE delta.`$W/inv` (path STRING, length BIGINT, isDir BOOLEAN, modificationTime BIGINT) USING delta',
    )
    const files = ['strayA.parquet', '../outside.parquet', '_delta_log/00000000000000000000.json']
    for (const file of [...files.filter((key) => !key.startsWith('..')), 'live']) {
      const key = file === 'live' ? ground.files().at(-1) : file
      await ground.sql(`INSERT INTO delta.\`$W/inv\` VALUES ('file:${ground.path('t')}/${key}', 1, false, 0)`)
    }
    const live: string[] = []
    for await (const { path } of (await ground.table('t')).files()) live.push(path)
    await ground.sql(`INSERT INTO delta.\`$W/inv\` VALUES ('file:${ground.path('t')}/${live[0]}', 1, false, 0)`)
    put('strayA.parquet')
    put('strayB.parquet')
    ground.age(1)
    const bad = await (await ground.table('t')).vacuum({ inventory: [{ path: 'x' }] }).catch((error) => error)
    expect(bad).toMatchObject({ code: 'DELTA_INVALID_INVENTORY_SCHEMA', sqlState: '42000' })
    const statement = name === 'js' ? 'delta.`$W/inv`' : '(SELECT * FROM delta.`$W/inv`)'
    await ground.sql(`VACUUM $T USING INVENTORY ${statement} RETAIN 0 HOURS`)
    expect(ground.files().filter((key) => key.startsWith('stray'))).toEqual(['strayB.parquet'])
    expect(await sorted(await ground.table('t'))).toEqual(['{"id":2}'])
  })

  test('UP-16: files a writer has not committed yet stay until they are as old as the retention', async () => {
    await ground.sql('CREATE TABLE $T (id INT) USING delta')
    await ground.sql('INSERT INTO $T VALUES (1)')
    put('part-of-a-writer.parquet')
    put('_change_data/cdc-of-a-writer.parquet')
    const table = await ground.table('t')
    await expect(table.vacuum({ retentionHours: 0 })).rejects.toMatchObject({
      code: 'DELTA_VACUUM_RETENTION_PERIOD_TOO_SHORT',
    })
    expect((await table.vacuum()).numDeletedFiles).toBe(0)
    ground.age(24 * 7 + 1)
    const { numDeletedFiles } = await table.vacuum()
    expect(numDeletedFiles).toBe(2)
    expect(await sorted(table)).toEqual(['{"id":1}'])
  })

  test('UP-06: names of partitions that need encoding are the names of their files', async () => {
    const values = ['2024-12-13 00:00:00', 'a b', 'a%20b', 'é', 'x=y', '~', 'ü/ö', '#?']
    await ground.sql('CREATE TABLE $T (id INT, p STRING) USING delta PARTITIONED BY (p)')
    const table = await ground.table('t')
    await table.append(values.map((p, id) => ({ id, p })))
    await table.append(values.map((p, id) => ({ id: id + 100, p })))
    const first = ground.files()
    await table.update({ set: { id: 'id + 1' } })
    const rows = await sorted(table)
    expect(first).toHaveLength(values.length * 2)
    ground.age(1)
    const orphans = first.map((key) => `{"path":"file:${ground.path('t')}/${key}"}`)
    await ground.sql(CHECK_OFF)
    expect((await ground.sql('VACUUM $T RETAIN 0 HOURS DRY RUN')).sort()).toEqual(orphans.sort())
    await ground.sql('VACUUM $T RETAIN 0 HOURS')
    expect(ground.files()).toHaveLength(values.length)
    expect(await sorted(table)).toEqual(rows)
  })

  test('folders that look hidden are data where they belong to a partition', async () => {
    await ground.sql('CREATE TABLE $T (id INT, _p STRING) USING delta PARTITIONED BY (_p)')
    await ground.sql("INSERT INTO $T VALUES (1, 'a')")
    await ground.sql('DELETE FROM $T')
    put('_p=a/_stray')
    put('_q=a/stray')
    ground.age(1)
    await ground.sql(CHECK_OFF)
    await ground.sql('VACUUM $T RETAIN 0 HOURS')
    expect(ground.files()).toEqual(['_p=a/_stray', '_q=a/stray'])
  })

  test('a retention longer than the table’s keeps what checkpoints have forgotten', async () => {
    await ground.sql("CREATE TABLE $T (id INT) USING delta TBLPROPERTIES ('delta.checkpointInterval' = '2')")
    await ground.sql('INSERT INTO $T VALUES (1)')
    await ground.sql('UPDATE $T SET id = 2')
    ground.age(24 * 10)
    await ground.sql('INSERT INTO $T VALUES (3)')
    const table = await ground.table('t')
    await table.checkpoint()
    expect((await table.vacuum({ retentionHours: 24 * 20 })).numDeletedFiles).toBe(0)
    expect(await sorted(table.versionAsOf(1))).toEqual(['{"id":1}'])
  })

  test('a negative retention is refused; so is a table whose protocol is not known', async () => {
    await ground.sql('CREATE TABLE $T (id INT) USING delta')
    const table = await ground.table('t')
    await expect(table.vacuum({ retentionHours: -1 })).rejects.toMatchObject({
      code: 'DELTA_VACUUM_RETENTION_PERIOD_NEGATIVE',
    })
    const store = await ground.session.openStore(ground.path('t'))
    const protocol = { minReaderVersion: 1, minWriterVersion: 7, writerFeatures: ['appendOnly', 'ofTomorrow'] }
    await store.put('_delta_log/00000000000000000001.json', new TextEncoder().encode(JSON.stringify({ protocol })))
    await expect(table.vacuum()).rejects.toMatchObject({ code: 'DELTA_UNSUPPORTED_FEATURES_FOR_WRITE' })
  })

  test('an aborted run says so, and the next one finishes', async () => {
    await ground.sql('CREATE TABLE $T (id INT) USING delta')
    await ground.sql('INSERT INTO $T VALUES (1)')
    for (let i = 0; i < 1500; i++) put(`stray-${i}`)
    ground.age(24 * 8)
    const table = await ground.table('t')
    const controller = new AbortController()
    const seen: number[] = []
    const onProgress = ({ files }: { files: number }) => {
      seen.push(files)
      controller.abort()
    }
    await expect(table.vacuum({ signal: controller.signal, onProgress })).rejects.toMatchObject({
      code: 'LAKE_CANCELLED',
    })
    expect(seen).toEqual([1000])
    expect((await table.vacuum()).numDeletedFiles).toBe(500)
    expect(ground.files()).toHaveLength(1)
  })
})
