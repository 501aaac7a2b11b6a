import { describe, expect, test } from 'vitest'
import { type Action, type ActionKind, parseAction } from '../../kernel/index.ts'
import { memoryFile, openParquet } from '../../parquet/index.ts'
import { memoryStore } from '../../storage/index.ts'
import { collect, parseJson } from '../../support/index.ts'
import { CHECKPOINT_KINDS } from './checkpoint-schema.ts'
import { jsLogEngine } from './log-engine.ts'

async function* pages(...list: readonly (readonly Action[])[]) {
  yield* list
}

const actions = [
  '{"protocol":{"minReaderVersion":3,"minWriterVersion":7,"readerFeatures":["deletionVectors"],"writerFeatures":[]}}',
  '{"metaData":{"id":"m","name":"t","format":{"provider":"parquet","options":{"a":"b"}},"schemaString":"{}","partitionColumns":["p"],"configuration":{"__proto__":"x"},"createdTime":1}}',
  '{"txn":{"appId":"app","version":9223372036854775807,"lastUpdated":5}}',
  '{"domainMetadata":{"domain":"delta.x","configuration":"{}","removed":false}}',
  '{"add":{"path":"a%20b","partitionValues":{"p":null,"q":"1"},"size":10,"modificationTime":2,"dataChange":true,"stats":"{\\"numRecords\\":1}","deletionVector":{"storageType":"u","pathOrInlineDv":"ab^-aqEH.-t@S}K{vb[*k^","offset":1,"sizeInBytes":36,"cardinality":2},"baseRowId":9007199254740993,"defaultRowCommitVersion":3}}',
  '{"add":{"path":"c","partitionValues":{},"size":11,"modificationTime":2,"dataChange":false}}',
  '{"remove":{"path":"d","deletionTimestamp":7,"dataChange":true,"extendedFileMetadata":true,"partitionValues":{"p":"x"},"size":3}}',
].map((text) => parseAction(parseJson(text)))

const v2 = [
  '{"checkpointMetadata":{"version":4,"tags":{"sidecarNumActions":"1"}}}',
  '{"sidecar":{"path":"s.parquet","sizeInBytes":100,"modificationTime":5}}',
].map((text) => parseAction(parseJson(text)))

async function read(store: ReturnType<typeof memoryStore>, key: string, kinds: readonly ActionKind[]) {
  const { size } = await store.head(key)
  return (await collect(jsLogEngine.readCheckpoint(store, [{ key, size, format: 'parquet' }], kinds))).flat()
}

describe('a checkpoint', () => {
  test('gives back every action that was written', async () => {
    const store = memoryStore()
    const result = await jsLogEngine.writeCheckpoint(store, 'c.parquet', pages(actions, v2), { content: 'v2' })
    expect(result).toEqual({ size: (await store.head('c.parquet')).size, numActions: 9 })
    const back = await read(store, 'c.parquet', CHECKPOINT_KINDS)
    const byText = (list: readonly Action[]) => list.map((action) => JSON.stringify(Object.keys(action)))
    expect(byText(back).sort()).toEqual(byText([...actions, ...v2]).sort())
    for (const action of [...actions, ...v2]) expect(back).toContainEqual(action)
  })

  test('of v1 content has no columns of v2', async () => {
    const store = memoryStore()
    await jsLogEngine.writeCheckpoint(store, 'c.parquet', pages(actions, v2), { content: 'v1' })
    const reader = await openParquet(memoryFile('c', await store.get('c.parquet')))
    expect(reader.footer.root.children.map((node) => node.name)).toEqual([
      'txn',
      'add',
      'remove',
      'metaData',
      'protocol',
      'domainMetadata',
    ])
  })

  test('is not decoded where it holds none of the kinds asked for', async () => {
    const store = memoryStore()
    await jsLogEngine.writeCheckpoint(store, 'c.parquet', pages(actions), { content: 'v1' })
    const { size } = await store.head('c.parquet')
    const ranges: number[] = []
    const counting = {
      ...store,
      getRange: (key: string, range: { start: number; end: number }) => {
        ranges.push(range.end - range.start)
        return store.getRange(key, range)
      },
    }
    const files = [{ key: 'c.parquet', size, format: 'parquet' as const }]
    expect((await collect(jsLogEngine.readCheckpoint(counting, files, ['sidecar']))).flat()).toEqual([])
    expect(ranges).toHaveLength(1)
  })

  test('in JSON is read by kind', async () => {
    const store = memoryStore()
    await store.put(
      'c.json',
      new TextEncoder().encode(
        '{"add":{"path":"a","partitionValues":{},"size":1,"modificationTime":1,"dataChange":true}}\n{"protocol":{"minReaderVersion":1,"minWriterVersion":2}}\n',
      ),
    )
    const files = [{ key: 'c.json', size: 10, format: 'json' as const }]
    const found = (await collect(jsLogEngine.readCheckpoint(store, files, ['protocol']))).flat()
    expect(found).toEqual([{ protocol: { minReaderVersion: 1, minWriterVersion: 2 } }])
  })

  test('that is no Parquet file is an error that names it', async () => {
    const store = memoryStore()
    await store.put('c.parquet', new Uint8Array(100))
    await expect(read(store, 'c.parquet', ['add'])).rejects.toMatchObject({ code: 'FAILED_READ_FILE.NO_HINT' })
  })
})
