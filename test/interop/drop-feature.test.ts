/**
 * Tables that lost a feature here: engines that refused them read them or write to them, Spark goes on with them, travels
 * back to before the drop, and its own cleanup of the log keeps to what is protected.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, statSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { closeTables, DeltaTable, isDeltaError } from '../../src/index.ts'
import { oracleMissing, type ReadBack, readByDeltaRs, runOnSpark, type SparkAnswer } from './oracle.ts'

interface Kind {
  readonly feature: string
  readonly properties: Readonly<Record<string, string>>
  readonly change: (table: DeltaTable) => Promise<unknown>
  /** whether readers of the old versions must know the feature */
  readonly isProtected: boolean
  /** no action of the history uses it, so that nothing has to be cut: the reference drops it at once too */
  readonly leavesNothing?: boolean
}

const KINDS: readonly Kind[] = [
  {
    feature: 'deletionVectors',
    properties: { 'delta.enableDeletionVectors': 'true' },
    change: (table) => table.delete('id = 1'),
    isProtected: true,
  },
  {
    feature: 'columnMapping',
    properties: { 'delta.columnMapping.mode': 'name' },
    change: (table) => table.renameColumn('v', 'w').then(() => table.delete('id = 1')),
    isProtected: true,
  },
  {
    feature: 'typeWidening',
    properties: { 'delta.enableTypeWidening': 'true' },
    change: (table) => table.changeColumn('id', { type: 'BIGINT' }).then(() => table.delete('id = 1')),
    isProtected: true,
  },
  {
    feature: 'v2Checkpoint',
    properties: { 'delta.checkpointPolicy': 'v2' },
    change: (table) => table.checkpoint().then(() => table.delete('id = 1')),
    isProtected: true,
  },
  {
    feature: 'vacuumProtocolCheck',
    properties: { 'delta.feature.vacuumProtocolCheck': 'supported' },
    change: (table) => table.delete('id = 1'),
    isProtected: true,
    leavesNothing: true,
  },
  {
    feature: 'rowTracking',
    properties: { 'delta.enableRowTracking': 'true' },
    change: (table) => table.delete('id = 1'),
    isProtected: false,
  },
  {
    feature: 'inCommitTimestamp',
    properties: { 'delta.enableInCommitTimestamps': 'true' },
    change: (table) => table.delete('id = 1'),
    isProtected: false,
  },
]

const WAYS = ['kept', 'cut'] as const
const missing = oracleMissing()
/** A Python with the DuckDB extension for Delta tables in it. */
const duckPython = process.env.DUCKDB_DELTA_PYTHON ?? ''
let folder: string
const pathOf = (feature: string, way: string) => join(folder, `${feature}-${way}`)
const tables = KINDS.flatMap((kind) =>
  WAYS.filter((way) => way === 'kept' || kind.isProtected).map((way) => ({ kind, way })),
)

/** Moves every file of a table back in time, as if it lay there so long. */
function age(path: string, hours: number): void {
  for (const entry of readdirSync(path, { recursive: true })) {
    const file = join(path, String(entry))
    const { atimeMs, mtimeMs } = statSync(file)
    utimesSync(file, atimeMs / 1000, mtimeMs / 1000 - hours * 3600)
  }
}

async function makeTable({ feature, properties, change }: Kind, way: (typeof WAYS)[number]): Promise<void> {
  const location = pathOf(feature, way)
  const table = await DeltaTable.create()
    .location(location)
    .addColumns('id INT, v STRING')
    .properties(properties)
    .execute()
  await table.append([
    { id: 0, v: 'a' },
    { id: 1, v: 'b' },
  ])
  await change(table)
  if (way === 'kept') return void (await table.dropFeatureSupport(feature))
  const truncateHistory = true
  await table.dropFeatureSupport(feature, { truncateHistory }).catch((error: unknown) => {
    if (!isDeltaError(error, 'DELTA_FEATURE_DROP_WAIT_FOR_RETENTION_PERIOD')) throw error
    age(location, 50)
  })
  const again = await DeltaTable.forPath(location)
  const { tableFeatures } = await again.detail()
  if (tableFeatures.includes(feature)) await again.dropFeatureSupport(feature, { truncateHistory })
}

const spark = new Map<string, Record<string, SparkAnswer>>()
let deltaRs: Map<string, ReadBack>

function askSpark(): void {
  const asked = tables.flatMap(({ kind, way }) => {
    const path = pathOf(kind.feature, way)
    const table = `delta.\`${path}\``
    const statements = {
      rows: `SELECT * FROM ${table}`,
      old: `SELECT * FROM ${table} VERSION AS OF 1`,
      written: `INSERT INTO ${table} VALUES (7, 'spark')`,
      after: `SELECT * FROM ${table}`,
    }
    return Object.entries(statements).map(([name, sql]) => ({ path, name, sql }))
  })
  const answers = runOnSpark(asked.map(({ sql }) => sql))
  for (const [i, { path, name }] of asked.entries()) spark.set(path, { ...spark.get(path), [name]: answers[i]! })
}

const idsOf = (rows: readonly Record<string, unknown>[] = []) => rows.map(({ id }) => Number(id)).sort()

beforeAll(async () => {
  if (missing !== undefined) return
  folder = mkdtempSync(join(tmpdir(), 'bayou-drop-'))
  for (const { kind, way } of tables) await makeTable(kind, way)
  deltaRs = readByDeltaRs(tables.map(({ kind, way }) => pathOf(kind.feature, way)))
  askSpark()
})
afterAll(async () => {
  await closeTables()
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
})

describe.each(tables.map(({ kind, way }) => [`${kind.feature}, history ${way}`, kind, way] as const))(
  '%s',
  (_, kind, way) => {
    if (missing !== undefined) return void test.skip(missing, () => {})
    const { feature, isProtected } = kind

    test('is read by delta-rs and by Spark, which writes to it', async () => {
      const path = pathOf(feature, way)
      expect(idsOf(deltaRs.get(path)?.rows)).toEqual([0])
      const { rows, written, after } = spark.get(path)!
      expect(idsOf(rows!.rows)).toEqual([0])
      expect(written!.error).toBeUndefined()
      expect(idsOf(after!.rows)).toEqual([0, 7])
      expect(idsOf(await (await DeltaTable.forPath(path)).rows())).toEqual([0, 7])
    })

    test('old versions are read by Spark, or are gone', () => {
      const { old } = spark.get(pathOf(feature, way))!
      if (way === 'kept' || kind.leavesNothing) expect(idsOf(old!.rows)).toEqual([0, 1])
      else expect(old!.error?.class).toBe('DELTA_VERSION_NOT_FOUND')
    })

    test('is written to by delta-rs where nothing is protected', () => {
      const code = `import pyarrow as pa, sys
from deltalake import DeltaTable, write_deltalake
names = [f.name for f in DeltaTable(sys.argv[1]).schema().fields]
kind = pa.int64() if 'typeWidening' in sys.argv[1] else pa.int32()
write_deltalake(sys.argv[1], pa.table({names[0]: pa.array([8], kind), names[1]: pa.array(['rs'])}), mode='append')`
      const run = spawnSync(
        join(process.env.ORACLE_HOME ?? '', 'venv/bin/python'),
        ['-c', code, pathOf(feature, way)],
        { encoding: 'utf8' },
      )
      const refuses = (isProtected && way === 'kept') || feature === 'rowTracking'
      expect([
        feature,
        way,
        run.status === 0 ? 'written' : 'refused',
        run.status === 0 ? '' : run.stderr.slice(-300),
      ]).toEqual([
        feature,
        way,
        refuses ? 'refused' : 'written',
        refuses ? expect.stringMatching(/checkpointProtection|CheckpointProtection|[dD]omainMetadata/) : '',
      ])
    })

    test('is read by DuckDB', (context) => {
      if (duckPython === '')
        return context.skip('DUCKDB_DELTA_PYTHON names no Python with duckdb and duckdb_extension_delta')
      const code = `import duckdb, duckdb_extension_delta as m, glob, os, sys
con = duckdb.connect(config={'allow_unsigned_extensions': 'true'})
con.execute("LOAD '%s'" % glob.glob(os.path.dirname(m.__file__) + '/**/*.duckdb_extension', recursive=True)[0])
print(sorted(r[0] for r in con.execute("SELECT id FROM delta_scan('%s') WHERE id < 8" % sys.argv[1]).fetchall()))`
      const run = spawnSync(duckPython, ['-c', code, pathOf(feature, way)], { encoding: 'utf8' })
      expect([run.stderr.slice(-500), run.stdout]).toEqual(['', '[0, 7]\n'])
    })
  },
)

describe('the log of a table that lost deletion vectors', () => {
  test('is cleaned by Spark as its protection says, and by us', async (context) => {
    if (missing !== undefined) return context.skip(missing)
    const location = join(folder, 'cleaned')
    const table = await DeltaTable.create()
      .location(location)
      .addColumns('id INT')
      .properties({ 'delta.enableDeletionVectors': 'true', 'delta.checkpointInterval': '2' })
      .execute()
    await table.append([{ id: 0 }, { id: 1 }])
    await table.delete('id = 1')
    await table.dropFeatureSupport('deletionVectors')
    const { configuration } = await table.describe()
    const before = Number(configuration.get('delta.requireCheckpointProtectionBeforeVersion'))
    age(location, 24 * 40)
    const name = `delta.\`${location}\``
    const answers = runOnSpark([1, 2, 3, 4].map((id) => `INSERT INTO ${name} VALUES (${id})`))
    expect(answers.every(({ error }) => error === undefined)).toBe(true)
    const versions = readdirSync(join(location, '_delta_log'))
      .flatMap((file) => (/^\d{20}\.json$/.test(file) ? [Number(file.slice(0, 20))] : []))
      .sort((a, b) => a - b)
    expect(versions[0] === 0 || versions[0]! >= before).toBe(true)
    const fresh = await DeltaTable.forPath(location)
    expect(idsOf(await fresh.rows())).toEqual([0, 1, 2, 3, 4])
    await fresh.append([{ id: 5 }])
    await fresh.append([{ id: 6 }])
    expect(idsOf(runOnSpark([`SELECT * FROM ${name}`])[0]!.rows)).toEqual([0, 1, 2, 3, 4, 5, 6])
  })
})
