/** What happened to users of such systems when a log was read: small inputs, the right behaviour. */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { Engine } from '../../src/engine/index.ts'
import { jsEngine } from '../../src/engine/js/index.ts'
import { isDeltaError } from '../../src/errors/index.ts'
import {
  checkpointKey,
  commitKey,
  history,
  isDeltaTable,
  LAST_CHECKPOINT_KEY,
  latestVersion,
  listVersions,
  loadSnapshot,
  printAction,
  readCommit,
  type Snapshot,
  type SnapshotOptions,
  versionAtTimestamp,
} from '../../src/kernel/index.ts'
import { localStore } from '../../src/storage/fs/index.ts'
import { measured, memoryStore, type ObjectMeta, type ObjectStore } from '../../src/storage/index.ts'
import { encodeUtf8, JsonNumber, printJson } from '../../src/support/index.ts'
import { sharedMissing, sharedPath } from '../support/shared.ts'

const engine: Engine = jsEngine()
const below = mkdtempSync(join(tmpdir(), 'bayou-cases-'))
afterAll(() => rmSync(below, { recursive: true }))

const missing = sharedMissing('bug-files')
const onShared = missing === undefined ? it : (name: string, _: unknown) => it.skip(`${name}: ${missing}`, () => {})

const RS = 'delta-rs/crates/test/tests/data'
const ERR = 'delta-rs/crates/core/tests/data_err_logs'
const GOLDEN = 'delta/connectors/golden-tables/src/main/resources/golden'

function bugFile(...path: string[]): ObjectStore {
  return localStore(sharedPath('bug-files', ...path))
}

/** A copy that a test may damage. */
function bugFileCopy(...path: string[]): ObjectStore {
  const copy = join(below, ...path, String(Math.random()).slice(2))
  cpSync(sharedPath('bug-files', ...path), copy, { recursive: true })
  return localStore(copy)
}

function load(store: ObjectStore, options: SnapshotOptions = {}): Promise<Snapshot> {
  return loadSnapshot(store, engine, options)
}

async function liveFiles(snapshot: Snapshot): Promise<string[]> {
  const files: string[] = []
  for await (const page of snapshot.files.select()) files.push(...page.map((add) => printAction({ add })))
  return files.sort()
}

async function countRows(snapshot: Snapshot): Promise<number> {
  const files = []
  for await (const page of snapshot.files.select()) files.push(...page)
  return await engine.count({ store: snapshot.store, layout: snapshot.layout, files, columns: [] })
}

async function refusal(promise: Promise<unknown>): Promise<string> {
  return await promise.then(
    () => 'it was answered',
    (error: unknown) => (isDeltaError(error) ? `${error.code}: ${error.message}` : String(error)),
  )
}

/** Small logs in memory. */
const PROTOCOL = '{"protocol":{"minReaderVersion":1,"minWriterVersion":2}}'
const METADATA =
  '{"metaData":{"id":"orders","format":{"provider":"parquet","options":{}},"schemaString":"{\\"type\\":\\"struct\\",\\"fields\\":[]}","partitionColumns":[],"configuration":{}}}'
const add = (path: string) =>
  `{"add":{"path":"${path}","partitionValues":{},"size":1,"modificationTime":1,"dataChange":true}}`

async function smallLog(commits: number, store = memoryStore()): Promise<ObjectStore> {
  for (let version = 0; version < commits; version++) {
    const head = version === 0 ? `${PROTOCOL}\n${METADATA}\n` : ''
    await store.put(commitKey(version), encodeUtf8(`${head}${add(`f${version}`)}\n`))
  }
  return store
}

/** Writes a checkpoint of a version as the engine writes it. */
async function writeCheckpoint(store: ObjectStore, version: number): Promise<void> {
  const snapshot = await load(store, { version })
  async function* actions() {
    yield [{ protocol: snapshot.protocol }, { metaData: snapshot.metadata }]
    for await (const page of snapshot.files.select()) yield page.map((file) => ({ add: file }))
    for await (const page of snapshot.files.tombstones(0)) yield page.map((file) => ({ remove: file }))
  }
  await engine.writeCheckpoint(store, checkpointKey(version), actions(), { content: 'v1' })
}

describe('UP-04 a file is (path, DV id), actions have no order', () => {
  onShared('the same one file with and without a checkpoint, commits before it deleted', async () => {
    const store = bugFileCopy(GOLDEN, 'log-replay-dv-key-cases')
    const plain = await load(store, { version: 3 })
    expect((await plain.files.totals()).numFiles).toBe(1)
    const [file] = await liveFiles(plain)
    expect(file).toContain('"cardinality":3')
    expect(await countRows(plain)).toBe(47)
    await writeCheckpoint(store, 3)
    for (let version = 0; version < 3; version++) await store.delete(commitKey(version))
    await store.delete(LAST_CHECKPOINT_KEY)
    const again = await load(store, { version: 3 })
    expect(again.segment.checkpointVersion).toBe(3)
    expect(await liveFiles(again)).toEqual([file])
    expect(await countRows(again)).toBe(47)
  })

  it('add before remove of one path with two vectors leaves the one added', async () => {
    const vector = (name: string, offset: string) =>
      `"deletionVector":{"storageType":"u","pathOrInlineDv":"${name}",${offset}"sizeInBytes":1,"cardinality":1}`
    const adding = (v: string) => add('f').replace('"size"', `${v},"size"`)
    const removing = (v: string) => `{"remove":{"path":"f","deletionTimestamp":9,"dataChange":true,${v}}}`
    const store = memoryStore()
    await store.put(commitKey(0), encodeUtf8(`${PROTOCOL}\n${METADATA}\n${adding(vector('a', ''))}\n`))
    const second = [adding(vector('a', '"offset":0,')), removing(vector('a', ''))]
    await store.put(commitKey(1), encodeUtf8(second.join('\n')))
    const snapshot = await load(store)
    expect(await liveFiles(snapshot)).toHaveLength(1)
    expect((await liveFiles(snapshot))[0]).toContain('"offset":0')
    for await (const page of snapshot.files.tombstones(0)) {
      expect(page.map((remove) => remove.deletionVector)).toEqual([
        { storageType: 'u', pathOrInlineDv: 'a', sizeInBytes: 1, cardinality: 1 },
      ])
    }
  })
})

describe('UP-12 _last_checkpoint lies', () => {
  /** The state, and what was warned of. */
  async function stateOf(store: ObjectStore): Promise<{ files: string[]; version: number; warnings: string[] }> {
    const warnings: string[] = []
    const snapshot = await load(store, { onWarning: (text) => warnings.push(text) })
    return { files: await liveFiles(snapshot), version: snapshot.version, warnings }
  }

  for (const table of ['table_failed_last_checkpoint_update', 'with_checkpoint_no_last_checkpoint']) {
    onShared(`${table}: the same as a full listing, one warning`, async () => {
      const store = bugFileCopy(RS, table)
      const lying = await stateOf(store)
      expect(lying.warnings).toHaveLength(1)
      await store.delete(LAST_CHECKPOINT_KEY)
      const { files, version } = await stateOf(store)
      expect(lying).toMatchObject({ files, version })
    })
  }

  it('absent, empty, no JSON, stale, ahead, naming parts that are missing: one warning each, nothing else', async () => {
    const store = await smallLog(12)
    await writeCheckpoint(store, 4)
    await writeCheckpoint(store, 9)
    const right = JSON.stringify({ version: 9, size: 12 })
    await store.put(LAST_CHECKPOINT_KEY, encodeUtf8(right))
    const honest = await stateOf(store)
    expect(honest.warnings).toEqual([])
    for (const text of [
      undefined,
      '',
      '{"vers',
      '{"version":4}',
      '{"version":11}',
      '{"version":500}',
      '[]',
      '{"version":-1}',
      '{"version":9,"size":12,"checksum":"6a92d155a59bf2eecbd4b4ec7fd1f875"}',
    ]) {
      if (text === undefined) await store.delete(LAST_CHECKPOINT_KEY)
      else await store.put(LAST_CHECKPOINT_KEY, encodeUtf8(text))
      const state = await stateOf(store)
      expect(state.files, text).toEqual(honest.files)
      expect(state.warnings, text).toHaveLength(1)
    }
    await store.put('_delta_log/00000000000000000010.checkpoint.0000000001.0000000002.parquet', encodeUtf8('x'))
    await store.put(LAST_CHECKPOINT_KEY, encodeUtf8('{"version":10,"parts":2}'))
    const partly = await stateOf(store)
    expect(partly.files).toEqual(honest.files)
    expect(partly.warnings).toHaveLength(1)
  })
})

describe('_last_checkpoint of other writers', () => {
  const tables = sharedMissing('tables')
  const onTables = tables === undefined ? it : it.skip
  onTables('agrees with the checksum it carries', async () => {
    const root = sharedPath('tables')
    const names = readdirSync(root, { recursive: true, encoding: 'utf8' })
    const hints = names.filter((name) => name.endsWith('_delta_log/_last_checkpoint'))
    const signed = hints.filter((name) => readFileSync(join(root, name), 'utf8').includes('"checksum":'))
    expect(signed.length).toBeGreaterThan(10)
    for (const name of signed) {
      const warnings: string[] = []
      const store = localStore(join(root, dirname(dirname(name))))
      await latestVersion(store, { onWarning: (text) => warnings.push(text) })
      expect(
        warnings.filter((text) => text.includes('is not a checkpoint hint')),
        name,
      ).toEqual([])
    }
  })
})

describe('UP-24 gaps and strays', () => {
  onShared('a gap below the checkpoint does not matter', async () => {
    expect((await load(bugFile(ERR, 'table_a'))).version).toBe(13)
    const snapshot = await load(bugFile(ERR, 'table_b'))
    expect([snapshot.version, (await snapshot.files.totals()).numFiles]).toEqual([13, 130])
  })

  onShared('a gap above it names the missing version, the range, and what can still be read', async () => {
    const store = bugFile(ERR, 'table_c')
    expect(await refusal(load(store))).toBe(
      `DELTA_VERSIONS_NOT_CONTIGUOUS: the log of ${store.location} has no commit 12, which versions 11 to 13 need; versions 10 to 11 can still be read`,
    )
    expect((await load(store, { version: 11 })).version).toBe(11)
    expect(await refusal(load(bugFile(GOLDEN, 'versions-not-contiguous')))).toMatch(
      /^DELTA_VERSIONS_NOT_CONTIGUOUS.*no commit 1, .*; no older version can be read|versions 0 to 0 can still be read$/,
    )
  })

  onShared('an unknown reader feature is named', async () => {
    for (const table of ['table_d', 'table_e', 'table_f', 'table_h', 'table_i']) {
      expect(await refusal(load(bugFile(ERR, table))), table).toMatch(
        /^DELTA_UNSUPPORTED_FEATURES_FOR_READ.*catalogOwned|^DELTA_VERSIONS_NOT_CONTIGUOUS/,
      )
    }
  })

  onShared('a stray checkpoint far above becomes the anchor, with a warning', async () => {
    const warnings: string[] = []
    const snapshot = await load(bugFile(ERR, 'table_g'), { onWarning: (text) => warnings.push(text) })
    expect(snapshot.version).toBe(9999)
    expect(warnings.filter((text) => text.includes('the commits below it end at 13'))).toHaveLength(1)
  })

  it('strays, sub-folders, .crc, .tmp and keys listed twice are passed over', async () => {
    const store = await smallLog(3)
    for (const name of [
      '_commit_1.json.tmp',
      '.00000000000000000001.json.crc',
      'x/00000000000000000009.json',
      'note',
    ]) {
      await store.put(`_delta_log/${name}`, encodeUtf8('?'))
    }
    const twice: ObjectStore = {
      ...store,
      async *list(options) {
        for await (const page of store.list({ ...options, shallow: false })) yield [...page, ...page]
      },
    }
    expect((await (await load(twice)).files.totals()).numFiles).toBe(3)
    const empty = memoryStore()
    await empty.put('_delta_log/_commit_1.json.tmp', encodeUtf8('?'))
    expect(await isDeltaTable(empty)).toBe(false)
    expect(await refusal(load(empty))).toMatch(/^DELTA_TABLE_NOT_FOUND/)
  })
})

describe('UP-26 metadata values that are not strings', () => {
  onShared('operation parameters of any JSON type', async () => {
    const store = bugFile(GOLDEN, 'commit-info-containing-arbitrary-operationParams-types')
    const entries = await history(store, engine)
    expect(entries.map(({ version }) => version)).toEqual([2, 1, 0])
    for (const { version, commitInfo } of entries) {
      const [line] = readFileSync(store.localPath!(commitKey(version)), 'utf8').split('\n')
      expect(printJson({ commitInfo })).toBe(line)
    }
  })

  onShared('field metadata of any JSON type is read and kept', async () => {
    const store = bugFile(GOLDEN, 'data-reader-nullable-field-invalid-schema-key')
    expect((await load(store)).schema.fields.length).toBeGreaterThan(0)
    const { actions } = await readCommit(store, 0)
    expect(actions.length).toBeGreaterThan(0)
  })

  it('a field with {"scale":0} or 1.0 in its metadata is read, numbers as text', async () => {
    const schema =
      '{"type":"struct","fields":[{"name":"n","type":"decimal(5,0)","nullable":true,"metadata":{"scale":0,"f":1.0,"deep":[true,null],"s":"x"}}]}'
    const store = memoryStore()
    const metadata = METADATA.replace(/"schemaString":"(?:[^"\\]|\\.)*"/, `"schemaString":${JSON.stringify(schema)}`)
    await store.put(commitKey(0), encodeUtf8(`${PROTOCOL}\n${metadata}\n`))
    const { schema: read } = await load(store)
    expect(read.fields[0]?.metadata).toEqual({ scale: 0, f: new JsonNumber('1.0'), deep: [true, null], s: 'x' })
  })
})

describe('UP-32 time travel after the files were copied', () => {
  it('file times that are all one are told of, and errors name the nearest version', async () => {
    const store = await smallLog(4, memoryStore({ clock: { now: () => 1_700_000_000_000 } }))
    const warnings: string[] = []
    const versions = await listVersions(store, engine, { onWarning: (text) => warnings.push(text) })
    expect(versions.map(({ timestampMs }) => timestampMs - 1_700_000_000_000)).toEqual([0, 1, 2, 3])
    expect(warnings).toEqual([expect.stringContaining('4 of 4 commit files share a modification time')])
    expect(await refusal(versionAtTimestamp(store, engine, 1_800_000_000_000))).toMatch(
      /^DELTA_TIMESTAMP_GREATER_THAN_COMMIT.*version 3 of 2023-11-14T22:13:20.003/,
    )
    expect(await refusal(versionAtTimestamp(store, engine, 1))).toMatch(
      /^DELTA_TIMESTAMP_EARLIER_THAN_COMMIT_RETENTION.*its oldest version is 0 of 2023-11-14T22:13:20/,
    )
  })

  const ict = sharedMissing('tables', 'trino', 'deltalake', 'in_commit_timestamp_history_read')
  const onIct = ict === undefined ? it : it.skip
  onIct('in-commit timestamps count, whatever the times of the files', async () => {
    const store = localStore(sharedPath('tables', 'trino', 'deltalake', 'in_commit_timestamp_history_read'))
    const versions = await listVersions(store, engine)
    const timed = versions.filter(({ timestampSource }) => timestampSource === 'in-commit')
    expect(timed.length).toBeGreaterThan(0)
    for (const { version, timestampMs } of timed) {
      const { actions } = await readCommit(store, version)
      const info = actions.flatMap((action) => ('commitInfo' in action ? [action.commitInfo] : []))[0]
      expect(info?.inCommitTimestamp).toBe(timestampMs)
      expect(await versionAtTimestamp(store, engine, timestampMs)).toBe(version)
    }
  })
})

describe('UP-36 empty or torn newest commit', () => {
  it('names the file and the last good version, which can be read', async () => {
    for (const torn of ['', `${add('x')}\n{"add":{"path":"y","par`, '\n']) {
      const store = await smallLog(4)
      await store.put(commitKey(3), encodeUtf8(torn))
      expect(await refusal(load(store))).toMatch(
        /^FAILED_READ_FILE.NO_HINT: _delta_log\/00000000000000000003.json cannot be read: .*version 2 may still be readable/,
      )
      expect((await (await load(store, { version: 2 })).files.totals()).numFiles).toBe(3)
    }
  })

  it('a byte order mark, no last newline and a compacted file of 0 bytes change nothing', async () => {
    const store = await smallLog(3)
    await store.put(commitKey(2), encodeUtf8(`\ufeff${add('f2')}`))
    await store.put('_delta_log/00000000000000000001.00000000000000000002.compacted.json', new Uint8Array())
    expect((await (await load(store)).files.totals()).numFiles).toBe(3)
  })
})

describe('UP-41 listing', () => {
  /** 100,000 commits with a checkpoint at 99,990, of which only the last have bytes; pages of 1,000 keys. */
  async function longLog(): Promise<ObjectStore> {
    const store = memoryStore()
    const small = await smallLog(1)
    const whole = await load(small)
    const first = async function* () {
      yield [{ protocol: whole.protocol }, { metaData: whole.metadata }]
    }
    await engine.writeCheckpoint(store, checkpointKey(99_990), first(), { content: 'v1' })
    await store.put(LAST_CHECKPOINT_KEY, encodeUtf8('{"version":99990,"size":2}'))
    for (let version = 99_991; version < 100_000; version++) {
      await store.put(commitKey(version), encodeUtf8(`${add(`f${version}`)}\n`))
    }
    const there: ObjectMeta[] = []
    for await (const page of store.list({ prefix: '_delta_log/' })) there.push(...page)
    const old = Array.from({ length: 99_991 }, (_, version) => ({ key: commitKey(version), size: 1, modifiedMs: 1 }))
    return { ...store, list: (options) => pagesOf([...old, ...there], options) }
  }

  async function* pagesOf(objects: readonly ObjectMeta[], options: { startAfter?: string }) {
    const after = objects.filter(({ key }) => options.startAfter === undefined || key > options.startAfter)
    // a page may come out of order
    for (let i = 0; i < after.length; i += 1000) yield after.slice(i, i + 1000).reverse()
  }

  it('opens 100,000 commits with three pages and eleven reads', async () => {
    const inner = await longLog()
    let pages = 0
    const counting: ObjectStore = {
      ...inner,
      async *list(options) {
        for await (const page of inner.list(options)) {
          pages++
          yield page
        }
      },
    }
    const store = measured(counting)
    const snapshot = await load(store)
    expect([snapshot.version, (await snapshot.files.totals()).numFiles]).toEqual([99_999, 9])
    expect(pages).toBeLessThanOrEqual(3)
    const { get, getRange, head } = store.measures()
    expect(get.calls + getRange.calls + head.calls).toBeLessThanOrEqual(11)
  })
})
