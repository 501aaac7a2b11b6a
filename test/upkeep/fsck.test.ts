/** FSCK: each thing that can be wrong is found, what can be put right is, and a sound table has nothing wrong. */
import { cpSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { duckdbEngine } from '../../src/engine/duckdb/index.ts'
import { jsEngine } from '../../src/engine/js/index.ts'
import { memoryFile, openParquet } from '../../src/parquet/index.ts'
import type { FsckOptions } from '../../src/table/index.ts'
import { LocalGround, sorted } from './local-ground.ts'

const FIXTURES = join(import.meta.dirname, '../fixtures/tables-spark')

/** Where the column chunks of a file's first row group lie. */
async function pagesOf(bytes: Uint8Array) {
  const { footer } = await openParquet(memoryFile('f', bytes))
  return footer.rowGroups[0]!.chunks
}

describe.each([
  ['duckdb', duckdbEngine],
  ['js', jsEngine],
] as const)('FSCK on the engine %s', (engine, openEngine) => {
  let ground: LocalGround
  beforeEach(async () => {
    ground = new LocalGround(openEngine())
    await ground.sql(`CREATE TABLE $T (id BIGINT, name STRING, price DOUBLE, tags ARRAY<STRING>) USING delta
      TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')`)
    const table = await ground.table('t')
    const name = 'a long name that every writer of Parquet cuts to some length, '.repeat(4)
    await table.append([1, 2, 3].map((id) => ({ id, name: `${name}${id}`, price: id / 2, tags: [`t${id}`] })))
    await table.append([4, 5].map((id) => ({ id, name: null, price: Number.NaN, tags: null })))
    await table.delete('id = 2')
  })
  afterEach(() => ground.close())

  const log = (version: number, end = 'json') =>
    join(ground.path('t'), '_delta_log', `${String(version).padStart(20, '0')}.${end}`)
  const edit = (version: number, from: RegExp, to: string) => {
    const text = readFileSync(log(version), 'utf8')
    expect(text).toMatch(from)
    writeFileSync(log(version), text.replace(from, to))
  }
  const fresh = async (name = 't', options: FsckOptions = {}) =>
    (await ground.session.tables.forPath(ground.path(name))).fsck(options)

  test('a sound table has nothing wrong, with a checkpoint too', async () => {
    const table = await ground.table('t')
    await table.checkpoint()
    expect(await table.fsck()).toMatchObject({ version: 3, numFiles: 2, problems: [], numOrphans: 0 })
    const store = await ground.session.openStore(ground.path('t'))
    await store.put('stray', new Uint8Array(10))
    expect(await table.fsck()).toMatchObject({ problems: [], numOrphans: 1, sizeOfOrphans: 10 })
  })

  test('files that are gone leave the table', async () => {
    const table = await ground.table('t')
    let gone = ''
    for await (const file of table.files({ where: 'id > 3' })) gone = file.path
    rmSync(join(ground.path('t'), gone))
    const lines = await ground.sql('FSCK REPAIR TABLE $T DRY RUN')
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { kind: 'missing file', path: gone, problem: 'it is gone', repair: 'the file leaves the table', repaired: false },
    ])
    expect(await table.version()).toBe(3)
    const plans: number[] = []
    const result = await table.fsck({ repair: true, onPlan: ({ numProblems }) => plans.push(numProblems) })
    expect(plans).toEqual([1])
    expect(result).toMatchObject({ numProblems: 1, repairedVersion: 4 })
    expect((await table.rows({ select: ['id'] })).map(({ id }) => Number(id)).sort()).toEqual([1, 3])
    expect((await table.history(1))[0]).toMatchObject({ operation: 'FSCK', operationMetrics: { numRemovedFiles: '1' } })
    expect(await table.fsck()).toMatchObject({ numProblems: 0 })
  })

  test.each([
    ['rows', /numRecords\\":2/, 'numRecords\\":3'],
    ['nulls', /\\"name\\":2/, '\\"name\\":1'],
    ['a minimum', /minValues\\":\{\\"id\\":4/, 'minValues\\":{\\"id\\":5'],
    ['a maximum', /maxValues\\":\{\\"id\\":5/, 'maxValues\\":{\\"id\\":4'],
  ])('statistics that say %s wrongly are made anew', async (_, from, to) => {
    edit(2, from, to)
    const table = await ground.table('t')
    const { problems, repairedVersion } = await table.fsck({ repair: true })
    expect(problems).toMatchObject([{ kind: 'statistics' }])
    expect(repairedVersion).toBe(4)
    expect(await table.fsck()).toMatchObject({ numProblems: 0, numFiles: 2 })
    expect(await table.count({ where: 'id >= 4' })).toBe(2)
    expect(await table.count({ where: 'price > 100' })).toBe(2)
    expect(await sorted(table)).toHaveLength(4)
  })

  test('a text that the footer cut is no fault, one that leaves rows out is', async () => {
    await ground.sql('CREATE TABLE delta.`$W/s` (name STRING) USING delta')
    await ground.sql("INSERT INTO delta.`$W/s` VALUES ('b'), ('c')")
    const file = join(ground.path('s'), '_delta_log/00000000000000000001.json')
    writeFileSync(
      file,
      readFileSync(file, 'utf8').replace('maxValues\\":{\\"name\\":\\"c', 'maxValues\\":{\\"name\\":\\"b'),
    )
    const { problems } = await (await ground.table('s')).fsck()
    expect(problems).toMatchObject([{ kind: 'statistics', problem: 'the maximum they have of name leaves rows out' }])
  })

  test('a file of another size, one that is no Parquet, a vector that is broken', async () => {
    const [vector] = ground.files('t', (key) => key.endsWith('.bin'))
    const bytes = readFileSync(join(ground.path('t'), vector!))
    bytes[bytes.length - 1]! ^= 1
    writeFileSync(join(ground.path('t'), vector!), bytes)
    const table = await ground.table('t')
    const paths: string[] = []
    for await (const { path } of table.files({ where: 'id > 3' })) paths.push(path)
    truncateSync(join(ground.path('t'), paths[0]!), 100)
    const kinds = async () => (await fresh()).problems.map(({ kind }) => kind).sort()
    expect(await kinds()).toEqual(['deletion vector', 'file size'])
    edit(2, /"size":\d+/, '"size":100')
    const other = new LocalGround(openEngine())
    const again = await (await other.session.tables.forPath(ground.path('t'))).fsck()
    await other.close()
    // a checksum was written from the first size, by the engine that sums up each version
    const told = engine === 'js' ? ['log'] : []
    expect(again.problems.map(({ kind }) => kind).sort()).toEqual(['deletion vector', ...told, 'unreadable file'])
  })

  test('a gap, a commit that is torn, a checksum that is wrong', async () => {
    rmSync(log(1))
    expect((await fresh()).problems).toMatchObject([
      { kind: 'log', problem: expect.stringContaining('cannot be loaded') },
      { kind: 'log', problem: 'the log has a gap: version 1 is missing' },
    ])
    writeFileSync(log(1), '{"add":{"path"')
    const { version, problems } = await fresh()
    expect(version).toBeNull()
    expect(problems.map(({ path }) => path)).toContain('version 1')
  })

  test('a page that does not have its checksum, where it is looked for', async () => {
    cpSync(join(FIXTURES, 'ckpt-classic/table'), ground.path('c'), { recursive: true })
    const table = await ground.table('c')
    expect(await table.fsck({ deep: true })).toMatchObject({ numProblems: 0 })
    const live: string[] = []
    for await (const file of table.files()) live.push(file.path)
    const path = join(ground.path('c'), live[0]!)
    const bytes = readFileSync(path)
    const { start, length } = (await pagesOf(bytes))[0]!
    bytes[start + length - 1]! ^= 1
    writeFileSync(path, bytes)
    expect(await fresh('c')).toMatchObject({ numProblems: 0 })
    expect((await fresh('c', { deep: true })).problems).toMatchObject([
      { kind: 'unreadable file', path: live[0], problem: expect.stringContaining('checksum'), repair: null },
    ])
  })

  test('a checkpoint that says something else than the commits', async () => {
    cpSync(join(FIXTURES, 'ckpt-classic/table'), ground.path('c'), { recursive: true })
    const table = await ground.table('c')
    expect(await table.fsck()).toMatchObject({ numProblems: 0 })
    const folder = join(ground.path('c'), '_delta_log')
    const checkpoint = readdirSync(folder)
      .filter((name) => name.endsWith('.checkpoint.parquet'))
      .at(-1)!
    const version = Number(checkpoint.slice(0, 20))
    const commit = join(folder, `${String(version).padStart(20, '0')}.json`)
    const text = readFileSync(commit, 'utf8')
    expect(text).toContain('"add"')
    writeFileSync(commit, text.replace(/"add":\{"path":"/, '"add":{"path":"x'))
    const other = new LocalGround(openEngine())
    const { problems } = await (await other.session.tables.forPath(ground.path('c'))).fsck()
    await other.close()
    expect(problems.map(({ kind }) => kind)).toContain('checkpoint')
  })
})
