/** CLONE and GENERATE over both engines, as the reference is recorded to do them. */
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { duckdbEngine } from '../../src/engine/duckdb/index.ts'
import { jsEngine } from '../../src/engine/js/index.ts'
import { LocalGround, sorted } from './local-ground.ts'

const code = (expected: string) => expect.objectContaining({ code: expected })

describe.each([
  ['duckdb', duckdbEngine],
  ['js', jsEngine],
] as const)('CLONE on the engine %s', (_, openEngine) => {
  let ground: LocalGround
  beforeEach(() => {
    ground = new LocalGround(openEngine())
  })
  afterEach(() => ground.close())

  const source = 'delta.`$W/source`'
  async function makeSource(properties = "'custom' = 'src'"): Promise<void> {
    await ground.sql(`CREATE TABLE ${source} (id INT, p STRING) USING delta PARTITIONED BY (p)
      TBLPROPERTIES (${properties})`)
    await ground.sql(`INSERT INTO ${source} VALUES (1, 'a b'), (2, null)`)
    await ground.sql(`INSERT INTO ${source} VALUES (3, 'c')`)
  }

  test('recorded: clone-shallow', async () => {
    await makeSource()
    const [counts] = await ground.sql(`CREATE TABLE $T SHALLOW CLONE ${source} VERSION AS OF 1
      TBLPROPERTIES ('delta.appendOnly' = 'false', 'custom' = 'clone')`)
    expect(JSON.parse(counts!)).toMatchObject({
      source_num_of_files: 2,
      num_removed_files: 0,
      num_copied_files: 0,
      copied_files_size: 0,
    })
    const table = await ground.table('t')
    expect((await table.history(1))[0]).toMatchObject({
      operation: 'CLONE',
      operationParameters: { source: `delta.\`file:${ground.path('source')}\``, sourceVersion: '1' },
      isBlindAppend: false,
      isolationLevel: 'Serializable',
    })
    const from = await ground.table('source')
    const [own, other] = [await table.describe(), await from.describe()]
    expect([...own.configuration]).toEqual([
      ['delta.appendOnly', 'false'],
      ['custom', 'clone'],
    ])
    expect(own.protocol).toEqual(other.protocol)
    expect((await table.detail()).id).not.toBe((await from.detail()).id)
    const paths: string[] = []
    for await (const { path } of table.files()) paths.push(path)
    expect(paths.every((path) => path.startsWith(`file:${ground.root}`))).toBe(true)
    expect(paths.some((path) => path.includes('p=a%20b/'))).toBe(true)
    expect(existsSync(join(ground.path('t'), '_delta_log/00000000000000000000.checkpoint.parquet'))).toBe(true)
    await ground.sql("INSERT INTO $T VALUES (10, 'own')")
    await ground.sql('DELETE FROM $T WHERE id = 1')
    expect(await sorted(table)).toEqual(['{"id":10,"p":"own"}', '{"id":2,"p":null}'])
    expect(await sorted(from)).toHaveLength(3)
    for (const statement of ['CREATE TABLE', 'CREATE TABLE IF NOT EXISTS']) {
      await expect(ground.sql(`${statement} $T SHALLOW CLONE ${source}`)).rejects.toMatchObject({
        code: 'DELTA_CREATE_TABLE_WITH_NON_EMPTY_LOCATION',
        sqlState: '42601',
      })
    }
    await expect(ground.sql(`CREATE OR REPLACE TABLE $T SHALLOW CLONE ${source}`)).rejects.toMatchObject({
      code: 'DELTA_UNSUPPORTED_NON_EMPTY_CLONE',
      sqlState: '0AKDC',
    })
    await ground.sql('DELETE FROM $T')
    await ground.sql(`CREATE OR REPLACE TABLE $T SHALLOW CLONE ${source}`)
    expect(await sorted(table)).toEqual(await sorted(from))
  })

  test('a shallow clone of a shallow clone with vectors; VACUUM of a clone leaves the files of others', async () => {
    await makeSource("'delta.enableDeletionVectors' = 'true'")
    await ground.sql(`INSERT INTO ${source} VALUES (4, 'c'), (5, 'c'), (8, 'c')`)
    await ground.sql(`DELETE FROM ${source} WHERE id = 4`)
    await (await ground.table('source')).clone(ground.path('one'), { shallow: true })
    await (await ground.table('one')).clone(ground.path('t'), { shallow: true })
    const rows = await sorted(await ground.table('source'))
    const table = await ground.table('t')
    expect(await sorted(table)).toEqual(rows)
    await table.delete('id = 5')
    await table.delete("p = 'a b'")
    await table.append([{ id: 6, p: 'x' }])
    await table.delete('id = 6')
    const there = ground.files('source')
    for (const name of ['t', 'one', 'source']) ground.age(1, name)
    await table.vacuum({ retentionHours: 0, retentionCheck: false })
    expect(ground.files('t')).toHaveLength(1) // the vector of the row deleted here
    expect(ground.files('source')).toEqual(there)
    expect(await sorted(table)).toEqual(rows.filter((row) => !/"id":[15],/.test(row)))
  })

  test('a deep clone stands alone, and again over itself copies what differs', async () => {
    await makeSource("'delta.enableDeletionVectors' = 'true', 'delta.enableRowTracking' = 'true'")
    await ground.sql(`INSERT INTO ${source} VALUES (4, 'c'), (5, 'c')`)
    const from = await ground.table('source')
    const seen: number[] = []
    const onProgress = ({ files }: { files: number }) => void seen.push(files)
    const first = await from.clone(ground.path('t'), { onProgress })
    expect(first.metrics).toMatchObject({ sourceNumOfFiles: 4, numCopiedFiles: 4, numRemovedFiles: 0 })
    expect(seen).toEqual([1, 2, 3, 4])
    const table = await ground.table('t')
    const ids = async (of: typeof table) =>
      (await of.rows({ select: ['id', '_metadata.row_id'] })).map((row) => Object.values(row).join()).sort()
    expect(await ids(table)).toEqual(await ids(from))
    await from.delete('id = 4')
    await from.delete('id = 1')
    await from.append([{ id: 7, p: 'new' }])
    await table.append([{ id: 99, p: 'own' }])
    const second = await from.clone(ground.path('t'), { replace: true })
    expect(second.metrics).toMatchObject({ sourceNumOfFiles: 4, numCopiedFiles: 1, numRemovedFiles: 3 })
    const rows = await sorted(from)
    rmSync(ground.path('source'), { recursive: true })
    expect(await sorted(table)).toEqual(rows)
    expect(await sorted(table.versionAsOf(first.version))).toHaveLength(5)
  })

  test('deep clones copy the files a shallow clone names, vectors too', async () => {
    await makeSource("'delta.enableDeletionVectors' = 'true'")
    await ground.sql(`INSERT INTO ${source} VALUES (4, 'c'), (5, 'c')`)
    await ground.sql(`DELETE FROM ${source} WHERE id = 4`)
    await (await ground.table('source')).clone(ground.path('one'), { shallow: true })
    await ground.sql('CREATE TABLE $T DEEP CLONE delta.`$W/one`')
    const rows = await sorted(await ground.table('source'))
    rmSync(ground.path('source'), { recursive: true })
    expect(await sorted(await ground.table('t'))).toEqual(rows)
  })

  test('a name that is taken by another file is never written over', async () => {
    await makeSource()
    const from = await ground.table('source')
    await from.clone(ground.path('t'))
    const [key] = ground.files('t')
    const store = await ground.session.openStore(ground.path('t'))
    await store.put(key!, new Uint8Array([1, 2, 3]))
    await (await ground.table('t')).delete()
    const clone = from.clone(ground.path('t'), { replace: true })
    await expect(clone).rejects.toEqual(code('LAKE_CLONE_NAME_TAKEN'))
    expect(await store.get(key!)).toHaveLength(3)
  })

  test('refuses itself, and a place that is not empty', async () => {
    await makeSource()
    const from = await ground.table('source')
    await expect(from.clone(ground.path('source'), { replace: true })).rejects.toEqual(code('LAKE_CLONE_OF_ITSELF'))
    const store = await ground.session.openStore(ground.path('t'))
    await store.put('x', new Uint8Array(1))
    await expect(from.clone(ground.path('t'), { shallow: true })).rejects.toEqual(
      code('DELTA_CREATE_TABLE_WITH_NON_EMPTY_LOCATION'),
    )
    const missing = ground.sql(`REPLACE TABLE $T SHALLOW CLONE ${source}`)
    await expect(missing).rejects.toEqual(code('TABLE_OR_VIEW_NOT_FOUND'))
  })

  test('recorded: symlink-manifest', async () => {
    await ground.sql('CREATE TABLE $T (id INT, p STRING) USING delta PARTITIONED BY (p)')
    await ground.sql("INSERT INTO $T VALUES (1, 'a'), (2, 'b c'), (3, null)")
    await ground.sql('GENERATE symlink_format_manifest FOR TABLE $T')
    await ground.sql('DELETE FROM $T WHERE id = 1')
    await ground.sql('GENERATE symlink_format_manifest FOR TABLE $T')
    const manifests = ground.files('t', (key) => key.startsWith('_symlink_format_manifest/'))
    expect(manifests).toEqual([
      '_symlink_format_manifest/p=__HIVE_DEFAULT_PARTITION__/manifest',
      '_symlink_format_manifest/p=b c/manifest',
    ])
    const [data] = ground.files('t', (key) => key.startsWith('p=b c/'))
    expect(readFileSync(join(ground.path('t'), manifests[1]!), 'utf8')).toBe(`file:${ground.path('t')}/${data}\n`)
    await expect(ground.sql('GENERATE nosuchmode FOR TABLE $T')).rejects.toMatchObject({
      code: 'DELTA_MODE_NOT_SUPPORTED',
      sqlState: '0AKDC',
    })
    await ground.sql("ALTER TABLE $T SET TBLPROPERTIES ('delta.compatibility.symlinkFormatManifest.enabled' = 'true')")
    await ground.sql("INSERT INTO $T VALUES (4, 'd')")
    expect(ground.files('t', (key) => key.startsWith('_symlink_format_manifest/p=d/'))).toHaveLength(1)
  })

  test('no manifest says that deleted rows are there', async () => {
    await ground.sql("CREATE TABLE $T (id INT) USING delta TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')")
    await ground.sql('INSERT INTO $T VALUES (1), (2)')
    await ground.sql('DELETE FROM $T WHERE id = 1')
    const table = await ground.table('t')
    await expect(table.generate()).rejects.toEqual(code('DELTA_UNSUPPORTED_GENERATE_WITH_DELETION_VECTORS'))
    await ground.sql(
      "CREATE TABLE delta.`$W/m` (id INT) USING delta TBLPROPERTIES ('delta.columnMapping.mode' = 'name')",
    )
    await expect((await ground.table('m')).generate()).rejects.toEqual(
      code('DELTA_UNSUPPORTED_MANIFEST_GENERATION_WITH_COLUMN_MAPPING'),
    )
  })
})
