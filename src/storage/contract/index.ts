/**
 * What every object store promises, as cases any test runner can run.
 *
 * A case throws when the promise does not hold. Which cases there are depends on the capabilities the store declares, so
 * a read-only store proves its reading and its refusals.
 */
import { type ErrorCode, isDeltaError } from '../../errors/index.ts'
import { collect, compareText, decodeUtf8, encodeUtf8 } from '../../support/index.ts'
import type { ListOptions, ObjectStore, StoreCapabilities } from '../object-store.ts'

export interface ContractCase {
  readonly name: string
  readonly run: () => Promise<void>
}

/** One fresh, empty store. */
export interface ContractSubject {
  readonly store: ObjectStore
  /** writes what `store` reads, for stores that cannot write; `store` itself when absent */
  readonly writer?: ObjectStore
  readonly close?: () => Promise<void>
}

export interface ObjectStoreSubject {
  readonly capabilities: StoreCapabilities
  readonly make: () => Promise<ContractSubject>
}

interface Ground {
  readonly store: ObjectStore
  readonly writer: ObjectStore
}

type Check = readonly [name: string, run: (ground: Ground) => Promise<void>]

/** The cases for a kind of store; each makes a store of its own. */
export function objectStoreContract(subject: ObjectStoreSubject): readonly ContractCase[] {
  const { write, list } = subject.capabilities
  const checks = [
    ...readingChecks,
    ...(list ? listingChecks : [noListing]),
    ...(write ? writingChecks : [noWriting]),
    ...(write && list ? [listAfterWrite] : []),
  ]
  return checks.map(([name, check]) => ({
    name,
    run: async () => {
      const made = await subject.make()
      try {
        equal(made.store.capabilities, subject.capabilities, 'capabilities')
        await check({ store: made.store, writer: made.writer ?? made.store })
      } finally {
        await made.close?.()
      }
    },
  }))
}

const STRANGE_KEYS = [
  'c=a b/part 1.parquet',
  'c=100%/x.parquet',
  'c=%25/x.parquet',
  'c=a+b&c?d#e/x.parquet',
  'c=ü€😀/x.parquet',
  "c=it's {a} [b]/x.parquet",
]

const readingChecks: readonly Check[] = [
  [
    'get gives the bytes that were put',
    async ({ store, writer }) => {
      const bytes = Uint8Array.from({ length: 70_000 }, (_, i) => (i * 31) & 0xff)
      await writer.put('a/b/c.bin', bytes)
      await writer.put('empty', new Uint8Array(0))
      equal(await store.get('a/b/c.bin'), bytes, 'bytes')
      equal((await store.get('empty')).length, 0, 'length of an empty object')
    },
  ],
  [
    'head tells key, size and a time that is not in the future',
    async ({ store, writer }) => {
      await writer.put('a/x', encodeUtf8('12345'))
      const { key, size, modifiedMs } = await store.head('a/x')
      equal({ key, size }, { key: 'a/x', size: 5 }, 'head')
      isTrue(modifiedMs >= 0 && modifiedMs <= Date.now() + 60_000, `the time ${modifiedMs} is sensible`)
    },
  ],
  [
    'getRange gives bytes from start up to, not including, end, and what there is where that is less',
    async ({ store, writer }) => {
      await writer.put('r', encodeUtf8('0123456789'))
      for (const [start, end, expected] of [
        [0, 10, '0123456789'],
        [0, 1, '0'],
        [3, 7, '3456'],
        [8, 100, '89'],
        [10, 20, ''],
        [500, 600, ''],
        [4, 4, ''],
      ] as const) {
        equal(decodeUtf8(await store.getRange('r', { start, end })), expected, `bytes ${start} to ${end}`)
      }
    },
  ],
  [
    'an object that is not there is LAKE_OBJECT_NOT_FOUND',
    async ({ store, writer }) => {
      await writer.put('there/x', encodeUtf8('1'))
      await rejects('LAKE_OBJECT_NOT_FOUND', () => store.get('not/there'))
      await rejects('LAKE_OBJECT_NOT_FOUND', () => store.head('not/there'))
      await rejects('LAKE_OBJECT_NOT_FOUND', () => store.getRange('not/there', { start: 0, end: 4 }))
      await rejects('LAKE_OBJECT_NOT_FOUND', () => store.getRange('not/there', { start: 4, end: 4 }))
      await rejects('LAKE_OBJECT_NOT_FOUND', () => store.get('there/x/below'))
    },
  ],
  [
    'a prefix of keys is no object',
    async ({ store, writer }) => {
      await writer.put('folder/x', encodeUtf8('1'))
      await rejects('LAKE_OBJECT_NOT_FOUND', () => store.get('folder'))
      await rejects('LAKE_OBJECT_NOT_FOUND', () => store.head('folder'))
    },
  ],
  [
    'keys are taken as they are: spaces, percent signs, quotes, letters of every script',
    async ({ store, writer }) => {
      for (const key of STRANGE_KEYS) await writer.put(key, encodeUtf8(key))
      for (const key of STRANGE_KEYS) equal(decodeUtf8(await store.get(key)), key, `the object at ${key}`)
    },
  ],
  [
    'keys that leave the root or are no relative path are LAKE_INVALID_KEY',
    async ({ store }) => {
      for (const key of ['', '/a', 'a/', 'a//b', '.', '..', '../a', 'a/../../b', 'a/./b', 'a\0b']) {
        await rejects('LAKE_INVALID_KEY', () => store.get(key))
        await rejects('LAKE_INVALID_KEY', () => store.head(key))
      }
    },
  ],
  [
    'an aborted signal is LAKE_CANCELLED',
    async ({ store, writer }) => {
      await writer.put('x', encodeUtf8('1'))
      await rejects('LAKE_CANCELLED', () => store.get('x', { signal: AbortSignal.abort() }))
      await rejects('LAKE_CANCELLED', () => store.getRange('x', { start: 0, end: 1 }, { signal: AbortSignal.abort() }))
    },
  ],
]

const TREE = ['a', 'a-b/x', 'a.txt', 'a/b/c', 'a/b/d', 'a/z', 'ab', 'b/c', 'é/x', '￿', '😀']

async function plantTree(writer: ObjectStore): Promise<void> {
  // 'a' is both an object and a folder only in stores that have no folders.
  for (const key of plantable()) await writer.put(key, encodeUtf8(key))
}

function plantable(): string[] {
  return TREE.filter((key) => key !== 'a').sort(compareText)
}

const listingChecks: readonly Check[] = [
  [
    'list gives keys in the order of their UTF-8 bytes, with their sizes',
    async ({ store, writer }) => {
      await plantTree(writer)
      const objects = (await collect(store.list({ prefix: '' }))).flat()
      equal(
        objects.map((meta) => meta.key),
        plantable(),
        'keys',
      )
      equal(
        objects.map((meta) => meta.size),
        plantable().map((key) => encodeUtf8(key).length),
        'sizes',
      )
    },
  ],
  [
    'list keeps to the prefix, which may end inside a segment',
    async ({ store, writer }) => {
      await plantTree(writer)
      for (const prefix of ['a', 'a/', 'a/b', 'a/b/', 'a/b/c', 'zzz', 'a/b/c/d', 'é/', '../', './a', '/a']) {
        const expected = plantable().filter((key) => key.startsWith(prefix))
        equal(await listKeys(store, { prefix }), expected, `keys below ${prefix}`)
      }
    },
  ],
  [
    'list begins behind startAfter, wherever that stands',
    async ({ store, writer }) => {
      await plantTree(writer)
      for (const startAfter of ['', 'a', 'a-b', 'a/', 'a/b/c', 'a/b/cc', 'a/c', 'b', 'é', '￿', '😀']) {
        const expected = plantable().filter((key) => compareText(key, startAfter) > 0)
        equal(await listKeys(store, { prefix: '', startAfter }), expected, `keys above ${startAfter}`)
        const below = expected.filter((key) => key.startsWith('a/'))
        equal(await listKeys(store, { prefix: 'a/', startAfter }), below, `keys above ${startAfter} below a/`)
      }
    },
  ],
  [
    'a shallow list does not enter folders',
    async ({ store, writer }) => {
      await plantTree(writer)
      equal(await listKeys(store, { prefix: 'a/', shallow: true }), ['a/z'], 'keys right below a/')
      equal(await listKeys(store, { prefix: '', shallow: true }), ['a.txt', 'ab', '￿', '😀'], 'keys at the root')
    },
  ],
  [
    'list goes on over many pages without a gap',
    async ({ store, writer }) => {
      const keys = Array.from({ length: 2_300 }, (_, i) => `log/${String(i).padStart(8, '0')}.json`)
      await Promise.all(keys.map((key) => writer.put(key, encodeUtf8('{}'))))
      equal(await listKeys(store, { prefix: 'log/' }), keys, 'keys')
      equal(await listKeys(store, { prefix: 'log/', startAfter: keys[1_500]! }), keys.slice(1_501), 'later keys')
    },
  ],
]

const noListing: Check = [
  'list is LAKE_STORAGE_UNSUPPORTED',
  async ({ store }) => rejects('LAKE_STORAGE_UNSUPPORTED', () => listKeys(store, { prefix: '' })),
]

const noWriting: Check = ['put, putIfAbsent and delete are LAKE_STORAGE_UNSUPPORTED and do nothing', refusesWrites]

async function refusesWrites({ store, writer }: Ground): Promise<void> {
  await writer.put('x', encodeUtf8('1'))
  await rejects('LAKE_STORAGE_UNSUPPORTED', () => store.put('x', encodeUtf8('2')))
  await rejects('LAKE_STORAGE_UNSUPPORTED', () => store.putIfAbsent('y', encodeUtf8('2')))
  await rejects('LAKE_STORAGE_UNSUPPORTED', () => store.delete('x'))
  equal(decodeUtf8(await store.get('x')), '1', 'the object')
}

const writingChecks: readonly Check[] = [
  [
    'put replaces',
    async ({ store }) => {
      await store.put('x', encodeUtf8('first, and longer'))
      await store.put('x', encodeUtf8('second'))
      equal(decodeUtf8(await store.get('x')), 'second', 'the object')
    },
  ],
  [
    'putIfAbsent creates once and never changes what is there',
    async ({ store }) => {
      equal(await store.putIfAbsent('a/x', encodeUtf8('1')), 'created', 'first answer')
      equal(await store.putIfAbsent('a/x', encodeUtf8('2')), 'exists', 'second answer')
      equal(decodeUtf8(await store.get('a/x')), '1', 'the object')
      await store.delete('a/x')
      equal(await store.putIfAbsent('a/x', encodeUtf8('3')), 'created', 'answer after delete')
    },
  ],
  [
    'replaceIf, where there is one, replaces what was expected and nothing else',
    async ({ store }) => {
      if (store.replaceIf === undefined) return
      equal(await store.replaceIf('ref', encodeUtf8('2'), encodeUtf8('1')), 'changed', 'answer without an object')
      await store.put('ref', encodeUtf8('1'))
      equal(await store.replaceIf('ref', encodeUtf8('2'), encodeUtf8('0')), 'changed', 'answer to another expectation')
      equal(await store.replaceIf('ref', encodeUtf8('2'), encodeUtf8('1')), 'replaced', 'answer')
      equal(decodeUtf8(await store.get('ref')), '2', 'the object')
    },
  ],
  [
    'of racing replaceIf calls exactly one replaces, and its bytes stay',
    async ({ store }) => {
      const { replaceIf } = store
      if (replaceIf === undefined) return
      await store.put('ref', encodeUtf8('start'))
      for (let round = 0; round < 10; round++) {
        const expected = await store.get('ref')
        const racers = Array.from({ length: 6 }, (_, i) => `round ${round}, racer ${i}`)
        const answers = await Promise.all(
          racers.map((text) => replaceIf.call(store, 'ref', encodeUtf8(text), expected)),
        )
        const winners = racers.filter((_, i) => answers[i] === 'replaced')
        equal(winners, [decodeUtf8(await store.get('ref'))], 'winners')
      }
    },
  ],
  [
    'of racing putIfAbsent calls exactly one creates, and its bytes stay',
    async ({ store }) => {
      for (let round = 0; round < 10; round++) {
        const key = `race/${round}`
        const racers = Array.from({ length: 12 }, (_, i) => `racer ${i}`)
        const answers = await Promise.all(racers.map((text) => store.putIfAbsent(key, encodeUtf8(text))))
        const winners = racers.filter((_, i) => answers[i] === 'created')
        equal(winners, [decodeUtf8(await store.get(key))], 'winners')
      }
    },
  ],
  [
    'a reader beside a writer sees one whole object or another',
    async ({ store }) => {
      const versions = Array.from({ length: 20 }, (_, i) => String(i).padEnd(50_000, String(i)))
      await store.put('x', encodeUtf8(versions[0]!))
      const writing = (async () => {
        for (const text of versions) await store.put('x', encodeUtf8(text))
      })()
      for (let i = 0; i < 40; i++) {
        isTrue(versions.includes(decodeUtf8(await store.get('x'))), 'what was read is one of the objects put')
      }
      await writing
    },
  ],
  [
    'delete removes, and finds nothing wrong with an object that is not there',
    async ({ store }) => {
      await store.put('a/x', encodeUtf8('1'))
      await store.put('a/y', encodeUtf8('2'))
      await store.delete('a/x')
      await rejects('LAKE_OBJECT_NOT_FOUND', () => store.get('a/x'))
      equal(decodeUtf8(await store.get('a/y')), '2', 'the object beside it')
      await store.delete('a/x')
      await store.delete('a')
      await store.delete('never/was')
    },
  ],
  [
    'the caller keeps its bytes: changing them afterwards changes no object',
    async ({ store }) => {
      const bytes = encodeUtf8('abc')
      await store.put('x', bytes)
      bytes.fill(0)
      const read = await store.get('x')
      equal(decodeUtf8(read), 'abc', 'the object')
      read.fill(0)
      equal(decodeUtf8(await store.get('x')), 'abc', 'the object, read again')
    },
  ],
  [
    'writes to keys that leave the root are LAKE_INVALID_KEY',
    async ({ store }) => {
      for (const key of ['', '../a', 'a/../../b', '/a', 'a/']) {
        await rejects('LAKE_INVALID_KEY', () => store.put(key, encodeUtf8('1')))
        await rejects('LAKE_INVALID_KEY', () => store.putIfAbsent(key, encodeUtf8('1')))
        await rejects('LAKE_INVALID_KEY', () => store.delete(key))
      }
    },
  ],
]

const listAfterWrite: Check = ['list sees every write and delete that was answered', listsWrites]

async function listsWrites({ store }: Ground): Promise<void> {
  await store.put('l/1', encodeUtf8('1'))
  await store.putIfAbsent('l/2', encodeUtf8('2'))
  equal(await listKeys(store, { prefix: 'l/' }), ['l/1', 'l/2'], 'keys')
  await store.delete('l/1')
  equal(await listKeys(store, { prefix: 'l/' }), ['l/2'], 'keys after delete')
}

async function listKeys(store: ObjectStore, options: ListOptions): Promise<string[]> {
  return (await collect(store.list(options))).flat().map((meta) => meta.key)
}

async function rejects(code: ErrorCode, work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (isDeltaError(error, code)) return
    throw new Error(`expected ${code}, got ${error instanceof Error ? error.stack : String(error)}`)
  }
  throw new Error(`expected ${code}, got an answer`)
}

function equal(actual: unknown, expected: unknown, what: string): void {
  const [a, b] = [print(actual), print(expected)]
  if (a !== b) throw new Error(`${what}: expected ${b.slice(0, 500)}, got ${a.slice(0, 500)}`)
}

function isTrue(condition: boolean, what: string): void {
  if (!condition) throw new Error(`does not hold: ${what}`)
}

function print(value: unknown): string {
  return JSON.stringify(value instanceof Uint8Array ? [...value] : value)
}
