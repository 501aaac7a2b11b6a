/** The frozen repository: what a publisher, a reader and a keeper of one see. */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import {
  attachLines,
  backfill,
  chooseCatalog,
  cloneVersion,
  collectGarbage,
  deltaSource,
  EXTENSIONS,
  initRepository,
  Lake,
  lakeSource,
  openVersion,
  publish,
  pull,
  queryLake,
  Repository,
  serveRepository,
  setFormat,
  tagVersion,
  verify,
  withdraw,
} from '../../src/ducklake/index.ts'
import { localStore } from '../../src/storage/fs/index.ts'
import { httpStore } from '../../src/storage/index.ts'
import { sharedPath } from '../support/shared.ts'
import { recordedRows, sorted } from './expected.ts'
import { lakePath, makeRoot, openStore } from './lakes.ts'

const opened: ReturnType<typeof makeRoot>[] = []
const fresh = () => {
  const root = makeRoot()
  opened.push(root)
  return root.path
}
const source = (name: string, file = 'catalog.duckdb') => lakeSource({ catalog: lakePath(name, file), openStore })

/** `main.t` of the newest snapshot of a version. */
async function rowsOf(repository: Repository, ref?: string, table = 'main.t'): Promise<string[]> {
  const version = await repository.version(await repository.resolve(ref))
  const open = await openVersion(repository, version, { openStore })
  try {
    const snapshot = await open.lake.snapshot()
    return sorted(
      await recordedRows(await open.lake.scan(snapshot, await snapshot.table(table), { form: 'text' }).open()),
    )
  } finally {
    await open.close()
  }
}

describe('a repository of two versions', () => {
  const root = makeRoot()
  let repository: Repository
  let ids: string[] = []
  beforeAll(async () => {
    repository = await initRepository(localStore(root.path))
    const first = await publish(repository, { source: source('plain'), openStore, message: 'first', author: 'ann' })
    const second = await publish(repository, { source: source('history'), openStore, message: 'second' })
    ids = [first.id!, second.id!]
  })
  afterAll(() => root.remove())

  it('names the versions, newest first', async () => {
    const seen: string[] = []
    for await (const version of repository.history(await repository.resolve())) seen.push(version.message)
    expect(seen).toEqual(['second', 'first'])
  })

  it('makes no version of what is published already', async () => {
    const again = await publish(repository, { source: source('history'), openStore })
    expect(again).toMatchObject({ id: undefined, parent: ids[1], newFiles: 0 })
  })

  it('is sound, row by row through every catalog', async () => {
    const report = await verify(repository, { openStore, all: true, rows: true })
    expect(report.findings).toEqual([])
    expect(report).toMatchObject({ versions: [ids[1], ids[0]], catalogs: 6 })
  })

  it('UP-20: version.json alone tells which catalog each reader opens', async () => {
    const version = await repository.version(ids[1]!)
    expect(version.main).toMatchObject({ ducklake: '1.1', storage: 'v1.5.0' })
    const chosen = EXTENSIONS.map((reader) => [reader.name, chooseCatalog(version, reader)?.path])
    expect(chosen).toEqual([
      ['DuckDB 2.0', 'catalogs/1.1.duckdb'],
      ['DuckDB 1.5', 'catalogs/1.0.duckdb'],
      ['DuckDB 1.4', undefined],
      ['DuckDB 1.3', undefined],
    ])
    expect(version.catalogs?.map(({ ducklake, storage }) => [ducklake, storage])).toEqual([
      ['1.1', 'v1.5.0'],
      ['1.0', 'v1.2.0'],
    ])
  })

  it('UP-20: a reader too old is told what there is and what to do, before anything is fetched', async () => {
    const version = await repository.version(ids[1]!)
    const newer = { ...version, main: { ...version.main, storage: 'v2.0.0' }, catalogs: [] }
    await expect(openVersion(repository, newer, { openStore })).rejects.toMatchObject({
      code: 'DUCKLAKE_NO_CATALOG',
      message: expect.stringContaining('offers DuckLake 1.1 (storage v2.0.0); this version opens the formats'),
      remedy: expect.stringContaining('open it with DuckDB 2.0'),
    })
  })

  it('UP-45: moved and served elsewhere, it reads the same, nothing rewritten', async () => {
    const before = await rowsOf(repository)
    const moved = join(fresh(), 'elsewhere')
    await pull(repository, localStore(moved))
    expect(await rowsOf(await Repository.open(localStore(moved)))).toEqual(before)
    const server = await serveRepository(localStore(moved))
    try {
      const store = httpStore(server.url)
      const remote = await Repository.open(store)
      expect(await rowsOf(remote)).toEqual(before)
      expect(attachLines(await remote.version(await remote.resolve()), server.url)[1]?.sql).toContain(
        `DATA_PATH '${server.url}/data/'`,
      )
    } finally {
      await server.close()
    }
  })

  it('the server finds a file whose name holds an escape by the path and by the name itself, and nothing outside', async () => {
    const store = localStore(fresh())
    await store.put('data/main/t/city=a%20b%2Fc/x.parquet', new Uint8Array([1]))
    await store.put('data/main/t/city=a b/x.parquet', new Uint8Array([2, 2]))
    const server = await serveRepository(store)
    const lengthOf = async (path: string) => {
      const answer = await fetch(`${server.url}/${path}`)
      return answer.ok ? (await answer.arrayBuffer()).byteLength : answer.status
    }
    try {
      expect(await lengthOf('data/main/t/city=a%2520b%252Fc/x.parquet')).toBe(1)
      expect(await lengthOf('data/main/t/city=a%20b%2Fc/x.parquet')).toBe(1)
      expect(await lengthOf('data/main/t/city=a%20b/x.parquet')).toBe(2)
      expect(await lengthOf('data/%2e%2e/%2e%2e/etc/passwd')).toBe(404)
      expect(await lengthOf('data/main/t/city=%zz/x.parquet')).toBe(404)
    } finally {
      await server.close()
    }
  })

  it('UP-46: the server gives ranges, suffix ranges, 416, ETags and CORS', async () => {
    const server = await serveRepository(localStore(root.path))
    const ask = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
      fetch(`${server.url}/${path}`, { headers, method })
    try {
      const whole = await ask('HEAD')
      expect([whole.status, await whole.text()]).toEqual([200, 'ref: refs/heads/main\n'])
      const range = await ask('HEAD', { range: 'bytes=5-8' })
      expect([range.status, await range.text(), range.headers.get('content-range')]).toEqual([
        206,
        'refs',
        'bytes 5-8/21',
      ])
      const suffix = await ask('HEAD', { range: 'bytes=-5' })
      expect([suffix.status, await suffix.text()]).toEqual([206, 'main\n'])
      const beyond = await ask('HEAD', { range: 'bytes=21-' })
      expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, 'bytes */21'])
      expect(whole.headers.get('access-control-allow-origin')).toBe('*')
      expect(whole.headers.get('cache-control')).toBe('no-cache')
      const same = await ask('HEAD', { 'if-none-match': whole.headers.get('etag')! })
      expect(same.status).toBe(304)
      const catalog = `versions/${ids[1]}/catalogs/1.0.duckdb`
      const head = await ask(catalog, {}, 'HEAD')
      expect(head.headers.get('content-length')).toBe(String((await repository.version(ids[1]!)).catalogs![1]!.bytes))
      expect(head.headers.get('cache-control')).toContain('immutable')
      expect((await ask(`${catalog}.wal`, {}, 'HEAD')).status).toBe(404)
      for (const path of ['', '..%2f..%2fetc%2fpasswd', 'data/.bayou-tmp-x', 'nothing'])
        expect((await ask(path)).status).toBe(404)
      expect((await ask('HEAD', {}, 'PUT')).status).toBe(405)
    } finally {
      await server.close()
    }
  })

  it('answers queries, and finds versions by tag, id and the beginning of one', async () => {
    await tagVersion(repository, 'v1', { ref: ids[0]! })
    expect(await repository.resolve('v1')).toBe(ids[0])
    expect(await repository.resolve(ids[1]!.slice(0, 23))).toBe(ids[1])
    await expect(tagVersion(repository, 'v1', { ref: ids[1]! })).rejects.toMatchObject({ code: 'DUCKLAKE_TAG_EXISTS' })
    await expect(repository.resolve('nothing')).rejects.toMatchObject({ code: 'DUCKLAKE_REF_NOT_FOUND' })
    const open = await openVersion(repository, await repository.version(ids[0]!), { openStore })
    const result = await queryLake(open.lake, await open.lake.snapshot(), 'select count(*) as n from t')
    expect(await recordedRows(result)).toEqual([[9]])
    await open.close()
  })

  it('clones into a working catalog that reads the same', async () => {
    const path = join(fresh(), 'work.sqlite')
    const { attach } = await cloneVersion(repository, { path, openStore })
    expect(attach).toContain(`ATTACH 'ducklake:sqlite:${path}'`)
    const lake = await Lake.open({ catalog: path, openStore })
    const snapshot = await lake.snapshot()
    const rows = await recordedRows(await lake.scan(snapshot, await snapshot.table('main.t'), { form: 'text' }).open())
    expect(sorted(rows)).toEqual(await rowsOf(repository))
    expect(lake.format).toBe('1.0')
    await lake.close()
    // the same lake published again says nothing new
    expect(
      (await publish(repository, { source: lakeSource({ catalog: path, openStore }), openStore })).id,
    ).toBeUndefined()
  })
})

describe('what changes a repository', () => {
  afterEach(() => {
    for (const root of opened.splice(0)) root.remove()
  })

  it('until: a format is published up to its last day; backfill writes it for old versions', async () => {
    const root = fresh()
    await initRepository(localStore(root), { formats: [{ ducklake: '1.1' }, { ducklake: '1.0', until: '2027-03-31' }] })
    const repository = await Repository.open(localStore(root))
    const clock = (text: string) => ({ now: () => Date.parse(text) })
    const before = await publish(repository, {
      source: source('plain'),
      openStore,
      clock: clock('2027-03-31T23:59:59Z'),
    })
    const after = await publish(repository, {
      source: source('history'),
      openStore,
      clock: clock('2027-04-01T00:00:00Z'),
    })
    expect([before.formats, after.formats]).toEqual([['1.1', '1.0'], ['1.1']])
    expect((await backfill(repository, after.id, '1.0', { openStore })).outcome).toBe('written')
    expect((await backfill(repository, after.id, '1.0', { openStore })).outcome).toBe('there')
    expect((await verify(repository, { openStore, all: true, rows: true })).findings).toEqual([])
    const edited = await setFormat(repository, { ducklake: '1.0', until: '2028-01-01' })
    expect(edited.config.formats).toEqual([{ ducklake: '1.1' }, { ducklake: '1.0', until: '2028-01-01' }])
  })

  it('keeps keys it does not know', async () => {
    const root = fresh()
    const repository = await initRepository(localStore(root))
    const path = join(root, 'fdl.json')
    writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), colour: 'teal' }))
    await setFormat(repository, { ducklake: '1.0' })
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ colour: 'teal' })
  })

  it('a version that needs 1.1 has no 1.0 catalog, and says why', async () => {
    const repository = await initRepository(localStore(fresh()))
    const result = await publish(repository, { source: source('v11-inline-dv'), openStore })
    expect(result.formats).toEqual(['1.1'])
    expect(result.skipped).toEqual([
      { ducklake: '1.0', reason: expect.stringContaining('vectors of several snapshots') },
    ])
    expect((await repository.version(result.id!)).skipped).toEqual(result.skipped)
    expect((await verify(repository, { openStore, rows: true })).findings).toEqual([])
  })

  it('withdraw and gc print a plan, then leave every kept version whole', async () => {
    const root = fresh()
    const repository = await initRepository(localStore(root))
    const [first, second] = [
      await publish(repository, { source: source('plain'), openStore }),
      await publish(repository, { source: source('history'), openStore }),
    ]
    await tagVersion(repository, 'old', { ref: first.id! })
    await expect(withdraw(repository, second.id!, { execute: false })).rejects.toMatchObject({ code: 'LAKE_USAGE' })
    const plan = await withdraw(repository, first.id!, { execute: false })
    expect(plan).toMatchObject({ versions: [first.id], tags: ['refs/tags/old'] })
    expect((await repository.version(first.id!)).withdrawn).toBeUndefined()
    await withdraw(repository, 'old', { execute: true, reason: 'wrong prices' })
    await expect(rowsOf(repository, first.id)).rejects.toMatchObject({
      code: 'DUCKLAKE_VERSION_WITHDRAWN',
      message: expect.stringContaining('wrong prices'),
    })
    expect((await verify(repository, { openStore, all: true })).findings).toEqual([])
    mkdirSync(join(root, 'data/main/t'), { recursive: true })
    writeFileSync(join(root, 'data/main/t/left.parquet'), 'left behind')
    expect((await collectGarbage(repository, { execute: false })).objects).toEqual([])
    const later = { now: () => Date.now() + 48 * 3_600_000 }
    expect((await collectGarbage(repository, { execute: true, clock: later })).objects.map(({ key }) => key)).toEqual([
      'data/main/t/left.parquet',
    ])
    expect((await verify(repository, { openStore, all: true, rows: true })).findings).toEqual([])
  })

  it('two publishers at once: one wins, the other is told both heads; disjoint tables are made anew on top', async () => {
    const repository = await initRepository(localStore(fresh()))
    const race = await Promise.allSettled([
      publish(repository, { source: source('plain'), openStore }),
      publish(repository, { source: source('history'), openStore }),
    ])
    expect(race.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    const lost = race.find((result) => result.status === 'rejected') as PromiseRejectedResult
    expect(lost.reason).toMatchObject({ code: 'DUCKLAKE_PUBLISH_CONFLICT' })
    expect(lost.reason.message).toContain(await repository.resolve())
    const table = (name: string) =>
      deltaSource({ store: localStore(sharedPath('tables-spark', 'dv-partitioned', 'table')), name: ['delta', name] })
    await Promise.all([
      publish(repository, { source: table('a'), openStore }),
      publish(repository, { source: table('b'), openStore }),
    ])
    expect(await rowsOf(repository, undefined, 'delta.a')).toEqual(await rowsOf(repository, undefined, 'delta.b'))
    expect((await verify(repository, { openStore, all: true })).findings).toEqual([])
  })

  it('reads the names of later releases: metadata.db, tables/', async () => {
    const root = fresh()
    const repository = await initRepository(localStore(root), { formats: [] })
    const { id } = await publish(repository, { source: source('plain'), openStore })
    const rows = await rowsOf(repository)
    renameSync(join(root, 'data'), join(root, 'tables'))
    renameSync(join(root, `versions/${id}/ducklake.duckdb`), join(root, `versions/${id}/metadata.db`))
    expect(await rowsOf(repository)).toEqual(rows)
  })

  it.each([
    ['a catalog of other bytes', 'ducklake.duckdb', 'DUCKLAKE_CHECKSUM'],
    ['a version.json that is none', 'version.json', 'DUCKLAKE_REPOSITORY_INVALID'],
  ])('refuses %s', async (_, name, code) => {
    const root = fresh()
    const repository = await initRepository(localStore(root), { formats: [] })
    const { id } = await publish(repository, { source: source('plain'), openStore })
    const path = join(root, `versions/${id}/${name}`)
    const bytes = readFileSync(path)
    bytes[bytes.length >> 1] = bytes[bytes.length >> 1]! ^ 0xff
    writeFileSync(path, name === 'version.json' ? 'nothing' : bytes)
    await expect(rowsOf(repository)).rejects.toMatchObject({ code })
    expect((await verify(repository, { openStore })).findings.length).toBeGreaterThan(0)
  })

  it('refuses a newer layout, a ref that points nowhere, a folder that is none', async () => {
    const root = fresh()
    await expect(Repository.open(localStore(root))).rejects.toMatchObject({ code: 'DUCKLAKE_REPOSITORY_NOT_FOUND' })
    const repository = await initRepository(localStore(root))
    await expect(initRepository(localStore(root))).rejects.toMatchObject({ code: 'DUCKLAKE_REPOSITORY_EXISTS' })
    mkdirSync(join(root, 'refs/heads'), { recursive: true })
    writeFileSync(join(root, 'refs/heads/main'), '019d5136-9400-7000-8000-000000000002\n')
    await expect(rowsOf(repository)).rejects.toMatchObject({ code: 'DUCKLAKE_REF_DANGLING' })
    rmSync(join(root, 'refs/heads/main'))
    writeFileSync(join(root, 'fdl.json'), '{"format": 2}')
    await expect(Repository.open(localStore(root))).rejects.toMatchObject({ code: 'DUCKLAKE_REPOSITORY_NEWER' })
  })
})
