import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type Action,
  type AddFile,
  type CheckpointFile,
  type FileActions,
  type FileIndex,
  fileKey,
  fileKeyText,
  type RemoveFile,
} from '../../../kernel/index.ts'
import { localStore } from '../../../storage/fs/index.ts'
import { memoryStore } from '../../../storage/memory/index.ts'
import { collect } from '../../../support/index.ts'
import { writeCheckpoint } from '../checkpoint/index.ts'
import { DuckDatabase } from '../instance.ts'
import { duckdbFileIndex } from './index.ts'

let database: DuckDatabase
let folder: string

beforeAll(() => {
  database = new DuckDatabase({ threads: 2 })
  folder = mkdtempSync(join(tmpdir(), 'index-'))
})
afterAll(async () => {
  await database.close()
  rmSync(folder, { recursive: true, force: true })
})

function add(path: string, more: Partial<AddFile> = {}): AddFile {
  return { path, partitionValues: new Map(), size: 10, modificationTime: 1, dataChange: true, ...more }
}

function remove(path: string, more: Partial<RemoveFile> = {}): RemoveFile {
  return { path, deletionTimestamp: 1000, dataChange: true, ...more }
}

async function* commitsOf(...commits: FileActions[]): AsyncGenerator<FileActions> {
  yield* commits
}

async function open(commits: readonly FileActions[]): Promise<FileIndex> {
  return duckdbFileIndex(database, {
    store: memoryStore(),
    version: commits.length - 1,
    checkpoint: [],
    commits: commitsOf(...commits),
    partitionColumns: [],
  })
}

async function live(index: FileIndex): Promise<AddFile[]> {
  return (await collect(index.select()))
    .flat()
    .sort((a, b) => (fileKeyText(fileKey(a)) < fileKeyText(fileKey(b)) ? -1 : 1))
}

test('a commit is taken in and the older index answers as before', async () => {
  const v0 = await open([{ version: 0, adds: [add('a'), add('b', { size: 5 })], removes: [] }])
  const v1 = await v0.advance({ version: 1, adds: [add('c')], removes: [remove('a')] })
  expect((await live(v0)).map((file) => file.path)).toEqual(['a', 'b'])
  expect((await live(v1)).map((file) => file.path)).toEqual(['b', 'c'])
  expect([await v0.totals(), await v1.totals()]).toEqual(Array(2).fill({ numFiles: 2, sizeInBytes: 15 }))
  expect(await v1.find('a')).toBeUndefined()
  expect((await v0.find('a'))?.path).toBe('a')
  await v0.close()
  expect((await live(v1)).map((file) => file.path)).toEqual(['b', 'c'])
  await v1.close()
})

test('paths spelt differently are one file, and a vector without offset is another than one at offset 0', async () => {
  const vector = { storageType: 'u', pathOrInlineDv: 'x', sizeInBytes: 1, cardinality: 1 } as const
  const index = await open([
    {
      version: 0,
      adds: [add('p=%C3%A9/a%20b'), add('file:///t/x'), add('c', { deletionVector: vector })],
      removes: [],
    },
    {
      version: 1,
      adds: [add('c', { deletionVector: { ...vector, offset: 0 } })],
      removes: [remove('p=é/a b'), remove('/t/x')],
    },
  ])
  expect((await live(index)).map((file) => file.deletionVector?.offset)).toEqual([undefined, 0])
  expect(await index.find('/t/x')).toBeUndefined()
  await index.close()
})

test('a newest index is advanced once, and by the next version only', async () => {
  const v0 = await open([{ version: 0, adds: [], removes: [] }])
  await expect(v0.advance({ version: 2, adds: [], removes: [] })).rejects.toThrow('commit 2 follows version 0')
  const v1 = await v0.advance({ version: 1, adds: [], removes: [] })
  await expect(v0.advance({ version: 1, adds: [], removes: [] })).rejects.toThrow('only the newest index')
  await v0.close()
  await v1.close()
  await expect(collect(v1.select())).rejects.toThrow('after it was closed')
})

test('a large checkpoint in parts is asked in place, then loaded, and answers the same', async () => {
  const store = localStore(folder)
  const part = (n: number) =>
    Array.from({ length: 50 }, (_, i) => add(`part-${n}-${i}`, { partitionValues: new Map([['p', `${i % 5}`]]) }))
  const checkpoint: CheckpointFile[] = []
  for (const n of [1, 2]) {
    const key = `_delta_log/large.checkpoint.000000000${n}.0000000002.parquet`
    const actions: Action[] = [
      ...part(n).map((file) => ({ add: file })),
      { remove: remove(`old-${n}`, { deletionTimestamp: 2000 }) },
    ]
    await writeCheckpoint(database, store, key, { actions: commitsPages(actions), options: { content: 'v1' } })
    checkpoint.push({ key, size: 2 ** 30, format: 'parquet' })
  }
  const commits = [
    { version: 8, adds: [add('new', { partitionValues: new Map([['p', '3']]) })], removes: [remove('part-2-3')] },
    { version: 9, adds: [add('old-1')], removes: [] },
  ]
  const column = { path: ['p'], name: ['p'], type: { kind: 'string' }, partition: true } as const
  const rule = { kind: 'compare', op: '=', column, value: '3' } as const
  const questions = [
    async (index: FileIndex) =>
      (await collect(index.select(rule)))
        .flat()
        .map((file) => file.path)
        .sort(),
    async (index: FileIndex) => [(await index.find('part-2-7'))?.path, (await index.find('part-2-3'))?.path],
    async (index: FileIndex) =>
      (await collect(index.tombstones(0)))
        .flat()
        .map((action) => action.path)
        .sort(),
  ]
  const [selected, found, gone] = questions
  for (const first of questions) {
    const index = await duckdbFileIndex(database, {
      store,
      version: 9,
      checkpoint,
      commits: commitsOf(...commits),
      partitionColumns: ['p'],
    })
    expect(await index.totals()).toEqual({ numFiles: 101, sizeInBytes: 1010 })
    const answer = await first(index)
    expect(await selected!(index)).toEqual(
      ['new', ...part(1), ...part(2)]
        .map((file) => (typeof file === 'string' ? file : file.path))
        .filter((path) => path === 'new' || (/-\d*[38]$/.test(path) && path !== 'part-2-3'))
        .sort(),
    )
    expect(await found!(index)).toEqual(['part-2-7', undefined])
    expect(await gone!(index)).toEqual(['old-2', 'part-2-3'])
    expect(await first(index)).toEqual(answer)
    await index.close()
  }
})

const pathText = fc.constantFrom(
  'a',
  'b',
  'p=1/c',
  'p=%2520/d',
  'p=é/e',
  'p=%C3%A9/e',
  '/abs//f',
  'file:/abs/f',
  's3a://b/k',
  's3://b/k',
  'x:y',
  'q/x:y',
  '50%',
  '%zz',
)
const vectorOf = fc.option(
  fc.record({
    storageType: fc.constantFrom('u' as const, 'p' as const),
    pathOrInlineDv: fc.constantFrom('v1', 'v2'),
    sizeInBytes: fc.constant(3),
    cardinality: fc.constant(2),
  }),
  { nil: undefined, freq: 3 },
)
const values = fc.constantFrom(
  new Map(),
  new Map([['p', '1']]),
  new Map<string, string | null>([
    ['p', null],
    ['__proto__', 'x'],
  ]),
)
const anyAdd = fc
  .record({
    path: pathText,
    vector: vectorOf,
    size: fc.integer({ min: 0, max: 2 ** 45 }),
    values,
    row: fc.option(fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }), { nil: undefined }),
  })
  .map(({ path, vector, size, values, row }) =>
    add(path, {
      size,
      partitionValues: values,
      ...(vector === undefined ? {} : { deletionVector: vector }),
      ...(row === undefined ? {} : { baseRowId: row, tags: new Map([['t', null]]), stats: '{"numRecords":1}' }),
    }),
  )
const anyRemove = fc
  .record({ path: pathText, vector: vectorOf, at: fc.integer({ min: 0, max: 3000 }) })
  .map(({ path, vector, at }) =>
    remove(path, { deletionTimestamp: at, ...(vector === undefined ? {} : { deletionVector: vector }) }),
  )
const anyCommit = fc.record({
  adds: fc.array(anyAdd, { maxLength: 4 }),
  removes: fc.array(anyRemove, { maxLength: 3 }),
})

/** What the rules of replay say, by a map. */
class Model {
  readonly files = new Map<string, AddFile>()
  readonly removes = new Map<string, RemoveFile>()

  take(commit: Pick<FileActions, 'adds' | 'removes'>): void {
    for (const action of commit.removes) {
      this.files.delete(fileKeyText(fileKey(action)))
      this.removes.set(fileKeyText(fileKey(action)), action)
    }
    for (const action of commit.adds) {
      this.removes.delete(fileKeyText(fileKey(action)))
      this.files.set(fileKeyText(fileKey(action)), action)
    }
  }

  sorted(): AddFile[] {
    return [...this.files].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, file]) => file)
  }

  actions(): Action[] {
    return [
      ...[...this.files.values()].map((file) => ({ add: file })),
      ...[...this.removes.values()].map((action) => ({ remove: action })),
    ]
  }
}

/** One action a key in a commit, as the protocol has it. */
function unique(commit: Pick<FileActions, 'adds' | 'removes'>): Pick<FileActions, 'adds' | 'removes'> {
  const seen = new Set<string>()
  const first = <T extends AddFile | RemoveFile>(action: T) => {
    const key = fileKeyText(fileKey(action))
    return !seen.has(key) && seen.add(key) !== undefined
  }
  return { adds: commit.adds.filter(first), removes: commit.removes.filter(first) }
}

test('replay through a checkpoint and advances equals replay by a map, in place or loaded', {
  timeout: 120_000,
}, async () => {
  let run = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyCommit, { minLength: 1, maxLength: 6 }),
      fc.nat(6),
      fc.nat(6),
      fc.constantFrom('none', 'small', 'large', 'memory'),
      async (drawn, checkpointAt, openAt, form) => {
        const commits = drawn.map(unique)
        const cut = form === 'none' ? 0 : Math.min(checkpointAt, commits.length)
        const start = Math.max(Math.min(openAt, commits.length), Math.max(cut, 1))
        const model = new Model()
        for (const commit of commits.slice(0, cut)) model.take(commit)
        const store = form === 'memory' ? memoryStore() : localStore(folder)
        const checkpoint: CheckpointFile[] = []
        if (form !== 'none') {
          const key = `_delta_log/c${run++}.checkpoint.parquet`
          await writeCheckpoint(database, store, key, {
            actions: commitsPages(model.actions()),
            options: { content: 'v1' },
          })
          checkpoint.push({ key, size: form === 'large' ? 2 ** 30 : 1000, format: 'parquet' })
        }
        const numbered = commits.map((commit, i) => ({ ...commit, version: i }))
        for (const commit of numbered.slice(cut, start)) model.take(commit)
        let index = await duckdbFileIndex(database, {
          store,
          version: start - 1,
          checkpoint,
          commits: commitsOf(...numbered.slice(cut, start)),
          partitionColumns: ['p'],
        })
        await matches(index, model)
        for (const commit of numbered.slice(start)) {
          const next = await index.advance(commit)
          await matches(index, model)
          model.take(commit)
          await matches(next, model)
          await index.close()
          index = next
        }
        await matches(index, model)
        await index.close()
      },
    ),
    { numRuns: 60 },
  )
})

async function* commitsPages(actions: readonly Action[]): AsyncGenerator<readonly Action[]> {
  yield actions
}

async function matches(index: FileIndex, model: Model): Promise<void> {
  const expected = model.sorted()
  expect(await live(index)).toEqual(expected)
  const batches = await collect(index.list())
  const listed = batches.flatMap((batch) => {
    const [paths, sizes, values] = [batch.paths(), batch.sizes(), batch.partitionValues()]
    return paths.map((path, i) => [path, sizes[i], [...values[i]!]])
  })
  const facts = expected.map(({ path, size, partitionValues }) => [path, size, [...partitionValues]])
  const byText = (a: unknown[], b: unknown[]) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)
  expect(listed.sort(byText)).toEqual(facts.sort(byText))
  const sizeInBytes = expected.reduce((sum, file) => sum + file.size, 0)
  expect(await index.totals()).toEqual({ numFiles: expected.length, sizeInBytes })
  const tombstones = (await collect(index.tombstones(1500))).flat()
  const kept = [...model.removes.values()].filter((action) => (action.deletionTimestamp ?? 0) > 1500)
  expect(tombstones.map((action) => fileKeyText(fileKey(action))).sort()).toEqual(
    kept.map((action) => fileKeyText(fileKey(action))).sort(),
  )
}
