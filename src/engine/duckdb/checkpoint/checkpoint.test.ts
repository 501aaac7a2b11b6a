import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Action,
  type AddFile,
  arrayFileIndex,
  type CheckpointFile,
  type FileActions,
  type FileIndex,
  fileKey,
  fileKeyText,
  parsePartitionValue,
} from '../../../kernel/index.ts'
import { timestampType } from '../../../schema/index.ts'
import { localStore } from '../../../storage/fs/index.ts'
import { memoryStore } from '../../../storage/memory/index.ts'
import { collect, encodeUtf8 } from '../../../support/index.ts'
import { jsEngine } from '../../js/index.ts'
import { duckdbFileIndex } from '../file-index/index.ts'
import { DuckDatabase } from '../instance.ts'
import { quoteLiteral } from '../sql-text.ts'
import { readCheckpoint, writeCheckpoint } from './index.ts'

let database: DuckDatabase
let folder: string
beforeAll(() => {
  database = new DuckDatabase({ threads: 2 })
  folder = mkdtempSync(join(tmpdir(), 'checkpoint-'))
})
afterAll(async () => {
  await database.close()
  rmSync(folder, { recursive: true, force: true })
})

const KEY = '_delta_log/00000000000000000003.checkpoint.parquet'
const ALL = ['txn', 'add', 'remove', 'metaData', 'protocol', 'domainMetadata', 'checkpointMetadata', 'sidecar'] as const

async function* pages(...actions: readonly Action[]): AsyncGenerator<readonly Action[]> {
  for (const action of actions) yield [action]
}

async function* noCommits(): AsyncGenerator<FileActions> {}

const actions: readonly Action[] = [
  {
    protocol: {
      minReaderVersion: 3,
      minWriterVersion: 7,
      readerFeatures: ['deletionVectors'],
      writerFeatures: ['deletionVectors', 'rowTracking'],
    },
  },
  {
    metaData: {
      id: 'm',
      format: { provider: 'parquet', options: new Map() },
      schemaString: '{"type":"struct","fields":[]}',
      partitionColumns: ['p', 'q r'],
      createdTime: 1_700_000_000_000,
      configuration: new Map([
        ['a.b', 'c'],
        ['__proto__', 'd'],
      ]),
    },
  },
  { txn: { appId: 'é', version: 9_223_372_036_854_775_807n, lastUpdated: 5 } },
  {
    domainMetadata: {
      domain: 'delta.rowTracking',
      configuration: '{"rowIdHighWaterMark":9007199254740993}',
      removed: false,
    },
  },
  {
    add: {
      path: 'p=%25/x.parquet',
      partitionValues: new Map([
        ['p', '%'],
        ['q r', null],
      ]),
      size: 2 ** 52,
      modificationTime: 3,
      dataChange: false,
      stats: '{"numRecords":9007199254740993}',
      tags: new Map([['k', null]]),
      deletionVector: { storageType: 'u', pathOrInlineDv: 'ab', offset: 0, sizeInBytes: 4, cardinality: 6 },
      baseRowId: 9_007_199_254_740_993n,
      defaultRowCommitVersion: 0n,
      clusteringProvider: 'liquid',
    },
  },
  { add: { path: 'plain', partitionValues: new Map(), size: 0, modificationTime: 0, dataChange: false } },
  {
    remove: {
      path: 'gone',
      deletionTimestamp: 77,
      dataChange: true,
      extendedFileMetadata: true,
      partitionValues: new Map([['p', null]]),
      size: 8,
    },
  },
]

test('actions come back as they were written', async () => {
  const store = memoryStore()
  const v2: readonly Action[] = [
    ...actions,
    { checkpointMetadata: { version: 3, tags: new Map([['sidecarNumActions', '1']]) } },
    { sidecar: { path: 's.parquet', sizeInBytes: 2 ** 40, modificationTime: 9 } },
  ]
  const written = await writeCheckpoint(database, store, KEY, { actions: pages(...v2), options: { content: 'v2' } })
  expect(written).toEqual({ size: (await store.get(KEY)).length, numActions: v2.length })
  const read = (await collect(readCheckpoint(database, store, [{ key: KEY, size: 1, format: 'parquet' }], ALL))).flat()
  const sorted = (of: readonly Action[]) => [...of].sort((a, b) => (Object.keys(a)[0]! < Object.keys(b)[0]! ? -1 : 1))
  expect(sorted(read)).toEqual(sorted(v2))
})

test('structs that are not there are null, and every column of an action is in the file', async () => {
  const store = localStore(folder)
  await writeCheckpoint(database, store, KEY, { actions: pages(...actions), options: { content: 'v1' } })
  const file = quoteLiteral(join(folder, KEY))
  await database.withSession(async (session) => {
    const one = async (sql: string) => (await session.query(`SELECT ${sql} FROM read_parquet(${file})`))[0]
    expect(await one('count(*), count(add), count(remove), count(metaData), count(protocol), count(txn)')).toEqual([
      7n,
      2n,
      1n,
      1n,
      1n,
      1n,
    ])
    expect(await one('count(add.deletionVector), count(add.tags), count(add.stats)')).toEqual([1n, 1n, 1n])
    const names = (await session.query(`SELECT name, repetition_type FROM parquet_schema(${file})`)).map(
      ([name]) => name,
    )
    expect(names).toContain('clusteringProvider')
    const required = await session.query(
      `SELECT name FROM parquet_schema(${file}) WHERE repetition_type = 'REQUIRED' AND name NOT IN ('key')`,
    )
    expect(required.flat().filter((name) => name !== 'duckdb_schema')).toEqual([])
  })
})

test('no action gives a file with no row', async () => {
  const store = memoryStore()
  expect(
    (await writeCheckpoint(database, store, KEY, { actions: pages(), options: { content: 'v1' } })).numActions,
  ).toBe(0)
  expect(await collect(readCheckpoint(database, store, [{ key: KEY, size: 1, format: 'parquet' }], ALL))).toEqual([])
})

test('a file that is no Parquet, is cut off, or has columns of other kinds is named', async () => {
  const store = memoryStore()
  await writeCheckpoint(database, store, KEY, { actions: pages(...actions), options: { content: 'v1' } })
  const whole = await store.get(KEY)
  for (const bytes of [
    new Uint8Array(),
    encodeUtf8('not parquet'),
    whole.slice(0, whole.length - 9),
    whole.slice(50),
  ]) {
    await store.put(KEY, bytes)
    const files: readonly CheckpointFile[] = [{ key: KEY, size: bytes.length, format: 'parquet' }]
    const error = { code: 'FAILED_READ_FILE.NO_HINT', details: { file: KEY } }
    await expect(collect(readCheckpoint(database, store, files, ALL))).rejects.toMatchObject(error)
    const source = { store, version: 3, checkpoint: files, commits: noCommits(), partitionColumns: [] }
    await expect(duckdbFileIndex(database, source)).rejects.toMatchObject(error)
  }
})

test('statistics that a writer kept in typed form only become their text', async () => {
  const file = join(folder, 'typed.parquet')
  await database.withSession((session) =>
    session.run(`COPY (SELECT {path: 'f', size: 1, partitionValues: MAP{'p': '1'}, stats_parsed: {numRecords: 2::BIGINT,
      minValues: {d: 12345678901234567890.12::DECIMAL(38,2), t: TIMESTAMPTZ '2024-01-02 03:04:05.678+00', n: NULL::INTEGER},
      nullCount: {d: 0::BIGINT}}} AS add) TO ${quoteLiteral(file)} (FORMAT parquet)`),
  )
  const source = {
    store: localStore(folder),
    version: 3,
    checkpoint: [{ key: 'typed.parquet', size: 1, format: 'parquet' as const }],
    commits: noCommits(),
    partitionColumns: ['p'],
  }
  const index = await duckdbFileIndex(database, source)
  const [add] = (await collect(index.select())).flat()
  expect(add?.stats).toBe(
    '{"numRecords":2,"minValues":{"d":12345678901234567890.12,"t":"2024-01-02T03:04:05.678000Z","n":null},"nullCount":{"d":0}}',
  )
  await index.close()
})

test('a partition that a writer kept in typed form only becomes its texts, by both engines', async () => {
  const file = join(folder, 'parted.parquet')
  await database.withSession((session) =>
    session.run(`COPY (SELECT {path: 'f', size: 1, modificationTime: 1, dataChange: true, partitionValues_parsed: {
      n: 9007199254740993::BIGINT, d: DATE '0101-02-03', t: TIMESTAMPTZ '2024-01-02 03:04:05.678+00', f: 'inf'::DOUBLE,
      m: 1.50::DECIMAL(5,2), s: '', e: NULL::VARCHAR, b: true}} AS add) TO ${quoteLiteral(file)} (FORMAT parquet)`),
  )
  const store = localStore(folder)
  const files = [{ key: 'parted.parquet', size: (await store.head('parted.parquet')).size, format: 'parquet' as const }]
  const js = jsEngine()
  for (const pages of [readCheckpoint(database, store, files, ['add']), js.readCheckpoint(store, files, ['add'])]) {
    const [action] = (await collect(pages)).flat()
    const { partitionValues } = (action as { add: AddFile }).add
    const { t, ...texts } = Object.fromEntries(partitionValues)
    expect(texts).toEqual({
      n: '9007199254740993',
      d: '0101-02-03',
      f: 'Infinity',
      m: '1.50',
      s: '',
      e: null,
      b: 'true',
    })
    expect(parsePartitionValue(t, timestampType)).toBe(1_704_164_645_678_000n)
  }
  await js.close()
  const source = { store, version: 3, checkpoint: files, commits: noCommits(), partitionColumns: ['n'] }
  const index = await duckdbFileIndex(database, source)
  const [add] = (await collect(index.select())).flat()
  expect(add?.partitionValues.get('n')).toBe('9007199254740993')
  await index.close()
})

const shared = process.env.BAYOU_SHARED ?? fileURLToPath(new URL('../../../../../shared', import.meta.url))
const present = existsSync(shared)
if (!present) console.log(`skipped: the recorded tables are not at ${shared}`)

describe.runIf(present)('checkpoints of other writers', () => {
  test('give the index that arrays give', { timeout: 240_000 }, async () => {
    const js = jsEngine()
    let compared = 0
    for (const [table, files] of checkpointsBelow(shared)) {
      const store = localStore(table)
      const source = () => ({ store, version: 7, checkpoint: files, commits: noCommits(), partitionColumns: [] })
      const expected = await arrayFileIndex(source(), (...args) => js.readCheckpoint(...args)).catch(() => undefined)
      if (expected === undefined) continue
      const index = await duckdbFileIndex(database, source())
      expect(await texts(index), table).toEqual(await texts(expected))
      expect(await index.totals(), table).toEqual(await expected.totals())
      compared++
      await index.close()
      await expected.close()
    }
    console.log(`${compared} checkpoints compared`)
    expect(compared).toBeGreaterThan(50)
  })
})

async function texts(index: FileIndex): Promise<string[]> {
  const adds = (await collect(index.select())).flat()
  // typed statistics have no text of their own; extra members are dropped by DuckDB
  const shown = ({ stats: _, extra: __, ...add }: AddFile) =>
    JSON.stringify(add, (_key, value) =>
      value instanceof Map ? [...value].sort() : typeof value === 'bigint' ? `${value}` : value,
    )
  return adds
    .map(
      (add) =>
        `${fileKeyText(fileKey(add))} ${Object.entries(JSON.parse(shown(add)))
          .sort()
          .join(' ')}`,
    )
    .sort()
}

/** Folders of tables, each with its Parquet checkpoints of one version. */
function checkpointsBelow(root: string): Map<string, CheckpointFile[]> {
  const found = new Map<string, CheckpointFile[]>()
  for (const part of ['tables', 'bug-files', 'tables-spark']) {
    if (!existsSync(join(root, part))) continue
    for (const name of readdirSync(join(root, part), { recursive: true, encoding: 'utf8' })) {
      if (!/_delta_log\/[^/]*checkpoint[^/]*\.parquet$/.test(name)) continue
      const table = dirname(dirname(join(root, part, name)))
      const key = relative(table, join(root, part, name))
      const version = /\/(\d{20})\./.exec(key)![1]!
      const known = found.get(table) ?? []
      if (known.length > 0 && !known[0]!.key.includes(version)) continue
      known.push({ key, size: statSync(join(table, key)).size, format: 'parquet' })
      found.set(table, known)
    }
  }
  return found
}
