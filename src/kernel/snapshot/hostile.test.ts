/** Logs that somebody broke: an answer or an error with a code, soon, and never a crash. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isDeltaError } from '../../errors/index.ts'
import { memoryStore, type ObjectStore } from '../../storage/index.ts'
import { encodeUtf8, type JsonObject } from '../../support/index.ts'
import { checkpointKey, commitKey, LAST_CHECKPOINT_KEY } from '../paths/index.ts'
import { history } from './history.ts'
import { loadSnapshot } from './load.ts'
import { add, jsonLogEngine, lines, METADATA, PROTOCOL, remove } from './test-log.ts'

const FILES: readonly (readonly [string, Uint8Array])[] = [
  [
    commitKey(0),
    lines([
      { commitInfo: { operation: 'CREATE' } },
      {
        protocol: { minReaderVersion: 3, minWriterVersion: 7, readerFeatures: ['deletionVectors'], writerFeatures: [] },
      },
      METADATA,
      add('a', { stats: '{"numRecords":1}', deletionVector: vector('v1') }),
    ]),
  ],
  [commitKey(1), lines([remove('a', { deletionVector: vector('v1') }), add('a', { deletionVector: vector('v2') })])],
  [checkpointKey(1), lines([PROTOCOL, METADATA, add('a', { deletionVector: vector('v2') })])],
  [commitKey(2), lines([add('b'), { txn: { appId: 'app', version: 3 } }])],
  [LAST_CHECKPOINT_KEY, encodeUtf8('{"version":1,"size":3,"parts":null}')],
]

function vector(name: string): JsonObject {
  return { storageType: 'u', pathOrInlineDv: name, offset: 1, sizeInBytes: 36, cardinality: 2 }
}

const TEXTS = ['9'.repeat(25), '-1', '1e400', 'null', '[]', '{}', '"', '\\u0000', '['.repeat(3000), '\u0000', '']

type Damage = (bytes: Uint8Array) => Uint8Array
const damages: fc.Arbitrary<Damage> = fc.oneof(
  fc.tuple(fc.nat(), fc.nat(255)).map(([at, byte]): Damage => {
    return (bytes) => Uint8Array.from(bytes, (old, i) => (i === at % bytes.length ? byte : old))
  }),
  fc.nat().map(
    (at): Damage =>
      (bytes) =>
        bytes.slice(0, at % bytes.length),
  ),
  fc.tuple(fc.nat(), fc.nat(40), fc.constantFrom(...TEXTS)).map(([at, length, text]): Damage => {
    return (bytes) => {
      const start = at % bytes.length
      return Uint8Array.from([...bytes.slice(0, start), ...encodeUtf8(text), ...bytes.slice(start + length)])
    }
  }),
)

async function damagedLog(which: number, damage: Damage): Promise<ObjectStore> {
  const store = memoryStore()
  for (const [i, [key, bytes]] of FILES.entries()) await store.put(key, i === which ? damage(bytes) : bytes)
  return store
}

async function outcome(work: () => Promise<unknown>): Promise<string> {
  try {
    await work()
    return 'an answer'
  } catch (error) {
    return isDeltaError(error) && error.code !== 'LAKE_INTERNAL' ? 'a code' : `${error}`
  }
}

describe('a damaged log', () => {
  it('gives an answer or an error with a code', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(FILES.length - 1), damages, async (which, damage) => {
        const store = await damagedLog(which, damage)
        const load = async (version?: number) => {
          const snapshot = await loadSnapshot(store, jsonLogEngine, version === undefined ? {} : { version })
          for await (const page of snapshot.files.select()) expect(page.length).toBeGreaterThan(0)
        }
        expect(['an answer', 'a code']).toContain(await outcome(() => load()))
        expect(['an answer', 'a code']).toContain(await outcome(() => load(0)))
        expect(['an answer', 'a code']).toContain(await outcome(() => history(store, jsonLogEngine)))
      }),
      { numRuns: 500 },
    )
  })

  it('is not trusted when it claims huge versions or counts', async () => {
    const store = await damagedLog(-1, (bytes) => bytes)
    await store.put(LAST_CHECKPOINT_KEY, encodeUtf8('{"version":9007199254740991,"parts":2000000000}'))
    expect((await loadSnapshot(store, jsonLogEngine)).version).toBe(2)
    await store.put(commitKey(9007199254740991), lines([add('far')]))
    await expect(loadSnapshot(store, jsonLogEngine)).rejects.toThrow('has no commit 3')
  })
})
