/** Cases about logs: checkpoints there and back, the list of live files. */
import {
  type Action,
  type ActionKind,
  type AddFile,
  type FileIndex,
  parseAction,
  type RemoveFile,
  statisticsRow,
  typedStatistics,
} from '../../kernel/index.ts'
import {
  binaryType,
  booleanType,
  dateType,
  decimalType,
  doubleType,
  field,
  integerType,
  longType,
  stringType,
  structType,
  timestampNtzType,
  timestampType,
} from '../../schema/index.ts'
import { collect, parseJson } from '../../support/index.ts'
import { type Check, type EngineSubject, equal, layoutOf, pages } from './ground.ts'

const action = (text: string): Action => parseAction(parseJson(text))

const DV =
  '"deletionVector":{"storageType":"u","pathOrInlineDv":"ab^-aqEH.-t@S}K{vb[*k^","offset":1,"sizeInBytes":36,"cardinality":2}'

const actions: readonly Action[] = [
  '{"protocol":{"minReaderVersion":3,"minWriterVersion":7,"readerFeatures":["deletionVectors"],"writerFeatures":["deletionVectors"]}}',
  '{"metaData":{"id":"m","name":"t","format":{"provider":"parquet","options":{}},"schemaString":"{}","partitionColumns":["p"],"configuration":{"__proto__":"x","a.b":"c"},"createdTime":1}}',
  '{"txn":{"appId":"app","version":9223372036854775807,"lastUpdated":5}}',
  '{"txn":{"appId":"other","version":0}}',
  '{"domainMetadata":{"domain":"delta.x","configuration":"{\\"a\\":1}","removed":false}}',
  `{"add":{"path":"a%20b","partitionValues":{"p":null,"q":"1"},"size":10,"modificationTime":2,"dataChange":true,"stats":"{\\"numRecords\\":1}","tags":{"k":"v"},${DV},"baseRowId":9007199254740993,"defaultRowCommitVersion":3}}`,
  '{"add":{"path":"c","partitionValues":{},"size":11,"modificationTime":2,"dataChange":false}}',
  `{"remove":{"path":"d","deletionTimestamp":7,"dataChange":true,"extendedFileMetadata":true,"partitionValues":{"p":"x"},"size":3,${DV}}}`,
].map(action)

const v2Actions: readonly Action[] = [
  '{"checkpointMetadata":{"version":4,"tags":{"sidecarNumActions":"1"}}}',
  '{"sidecar":{"path":"s.parquet","sizeInBytes":100,"modificationTime":5}}',
].map(action)

const KINDS: readonly ActionKind[] = [
  'protocol',
  'metaData',
  'txn',
  'domainMetadata',
  'add',
  'remove',
  'checkpointMetadata',
  'sidecar',
]

async function readBack(
  { engine, store }: EngineSubject,
  key: string,
  kinds: readonly ActionKind[],
): Promise<Action[]> {
  const { size } = await store.head(key)
  return (await collect(engine.readCheckpoint(store, [{ key, size, format: 'parquet' }], kinds))).flat()
}

/** Actions in one order, members by name, so that two engines compare. */
function sorted(list: readonly Action[]): string[] {
  const canonical = (value: unknown): unknown => {
    if (typeof value === 'bigint') return `${value}n`
    if (value instanceof Map) return [...value].sort()
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    return Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, canonical(member)])
  }
  return list.map((item) => JSON.stringify(canonical(item))).sort()
}

const add = (path: string, size: number): AddFile => ({
  path,
  size,
  partitionValues: new Map(),
  modificationTime: 1,
  dataChange: true,
})
const remove = (path: string, deletionTimestamp: number): RemoveFile => ({ path, deletionTimestamp, dataChange: true })

async function totals(index: FileIndex): Promise<number[]> {
  const { numFiles, sizeInBytes } = await index.totals()
  return [numFiles, sizeInBytes]
}

async function live(index: FileIndex): Promise<string[]> {
  return (await collect(index.select()))
    .flat()
    .map((file) => file.path)
    .sort()
}

export const contractCheckpoints: readonly Check[] = [
  [
    'a checkpoint of each content gives its actions back',
    async (subject) => {
      const { engine, store } = subject
      const v1 = await engine.writeCheckpoint(store, '_delta_log/1.checkpoint.parquet', pages(actions), {
        content: 'v1',
      })
      equal(v1.size, (await store.head('_delta_log/1.checkpoint.parquet')).size, 'size')
      equal(v1.numActions, actions.length, 'actions')
      equal(sorted(await readBack(subject, '_delta_log/1.checkpoint.parquet', KINDS)), sorted(actions), 'v1')
      const all = [...actions, ...v2Actions]
      await engine.writeCheckpoint(store, '_delta_log/2.checkpoint.parquet', pages(actions, v2Actions), {
        content: 'v2',
      })
      equal(sorted(await readBack(subject, '_delta_log/2.checkpoint.parquet', KINDS)), sorted(all), 'v2')
    },
  ],
  [
    'statistics are kept as a struct alone, or beside their text, without loss',
    async (subject) => {
      const { engine, store } = subject
      const layout = layoutOf(
        [
          field('long', longType),
          field('money', decimalType(38, 4)),
          field('at', timestampType),
          field('local', timestampNtzType),
          field('day', dateType),
          field('text', stringType),
          field('real', doubleType),
          field('flag', booleanType),
          field('inner', structType([field('deep', integerType)])),
          field('p', dateType),
          field('b', binaryType),
        ],
        { partitionColumns: ['p', 'b'] },
      )
      const typed = typedStatistics(layout, { kind: 'first', limit: -1, stringPrefixLength: 32 }, true)
      const bounds = `{"long":9007199254740993,"money":1234567890123456789012345678901234.5678,"at":"2024-01-01T00:00:00.123Z","local":"1999-12-31T23:59:59.999","day":"0001-01-01","text":"é\\n\\"","real":1.5,"inner":{"deep":-7}}`
      const stats = `{"numRecords":3,"minValues":${bounds},"maxValues":${bounds},"nullCount":{"long":0,"flag":2,"inner":{"deep":1}},"tightBounds":false}`
      const partitionValues = new Map([
        ['p', '2020-02-29'],
        ['b', 'é'],
      ])
      const files: Action[] = [
        { add: { ...add('a', 1), partitionValues, stats } },
        { add: { ...add('bare', 1), partitionValues: new Map([...partitionValues].map(([name]) => [name, null])) } },
      ]
      for (const text of [true, false]) {
        const key = `_delta_log/text-${text}.parquet`
        await engine.writeCheckpoint(store, key, pages(files), { content: 'sidecar', statistics: { text, typed } })
        const read = await readBack(subject, key, ['add'])
        const found = new Map(read.map((item) => ('add' in item ? [item.add.path, item.add.stats] : ['', ''])))
        equal(found.get('bare'), undefined, 'no statistics')
        const rowOf = (given: string | undefined) =>
          statisticsRow({ ...add('a', 1), ...(given && { stats: given }) }, typed.statistics)
        equal(rowOf(found.get('a')), rowOf(stats), `the statistics, text ${text}`)
        if (text) equal(found.get('a'), stats, 'the text itself')
      }
    },
  ],
  [
    'only the kinds asked for are given',
    async (subject) => {
      const { engine, store } = subject
      await engine.writeCheckpoint(store, 'c.parquet', pages(actions), { content: 'v1' })
      const given = await readBack(subject, 'c.parquet', ['txn', 'sidecar'])
      equal(sorted(given), sorted(actions.filter((item) => 'txn' in item)), 'the transactions')
    },
  ],
  [
    'the index of live files follows the log and keeps its older versions',
    async (subject) => {
      const { engine, store } = subject
      const stored: Action[] = [{ add: add('a', 1) }, { add: add('b', 2) }, { remove: remove('z', 50) }]
      await engine.writeCheckpoint(store, 'c.parquet', pages(stored), { content: 'v1' })
      const index = await engine.openFileIndex({
        store,
        version: 2,
        checkpoint: [{ key: 'c.parquet', size: (await store.head('c.parquet')).size, format: 'parquet' }],
        commits: pages({ version: 2, adds: [add('c', 4)], removes: [remove('a', 60)] }),
        partitionColumns: [],
      })
      equal([index.version, await totals(index), await live(index)], [2, [2, 6], ['b', 'c']], 'opened')
      const next = await index.advance({ version: 3, adds: [add('d', 8)], removes: [remove('b', 70)] })
      equal([next.version, await totals(next), await live(next)], [3, [2, 12], ['c', 'd']], 'advanced')
      equal(
        [await totals(index), await live(index)],
        [
          [2, 6],
          ['b', 'c'],
        ],
        'the older index',
      )
      const batches = await collect(next.list())
      const listed = batches.flatMap((batch) => batch.paths().map((path, i) => [path, batch.sizes()[i]]))
      equal(
        listed.sort(),
        [
          ['c', 4],
          ['d', 8],
        ],
        'listed by column',
      )
      equal(
        batches.flatMap((batch) => batch.partitionValues().map((values) => [...values])),
        [[], []],
        'its values',
      )
      equal([(await next.find('d'))?.size, await next.find('a')], [8, undefined], 'found')
      const tombstones = (await collect(next.tombstones(55))).flat().map((file) => file.path)
      equal(tombstones.sort(), ['a', 'b'], 'tombstones')
      await next.close()
      await index.close()
    },
  ],
]
