/** What happened to users who wrote tables, each case by its id. */
import { describe, expect, test } from 'vitest'
import { duckdbEngine } from '../../src/engine/duckdb/index.ts'
import { jsEngine } from '../../src/engine/js/index.ts'
import { isDeltaError } from '../../src/errors/index.ts'
import { memoryFile, openParquet, type SchemaNode } from '../../src/parquet/index.ts'
import { memoryStore, type ObjectStore } from '../../src/storage/index.ts'
import { collect } from '../../src/support/index.ts'
import { type DeltaTables, deltaTables, localBackend } from '../../src/table/index.ts'

const LOCATION = '/lake/t'

function openTables(store: ObjectStore, engine = jsEngine()): DeltaTables {
  const backend = localBackend({ openStore: async () => store, engine })
  return deltaTables(() => backend)
}

async function refusal(work: Promise<unknown>): Promise<string> {
  return await work.then(
    () => 'accepted',
    (error: unknown) => (isDeltaError(error) ? `${error.code}: ${error.message}` : String(error)),
  )
}

const rows = [
  { id: 1, s: { a: 1, tags: ['x'] }, p: 'a' },
  { id: 2, s: { a: 2, tags: [] }, p: 'b' },
]

describe.each([
  ['js', () => jsEngine()],
  ['duckdb', () => duckdbEngine({ threads: 1 })],
] as const)('UP-14: checkpoints written by %s', (_, open) => {
  test.each([
    ['plain', {}, []],
    ['partitioned', {}, ['p']],
    ['with vectors', { 'delta.enableDeletionVectors': 'true' }, ['p']],
    ['mapped', { 'delta.columnMapping.mode': 'name' }, ['p']],
    ['with typed statistics', { 'delta.checkpoint.writeStatsAsStruct': 'true' }, ['p']],
    ['of the second form', { 'delta.checkpointPolicy': 'v2' }, []],
  ] as const)('%s: the shape that other engines read', async (__, properties, partitionBy) => {
    const engine = open()
    const store = memoryStore()
    const tables = openTables(store, engine)
    const builder = tables
      .create()
      .location(LOCATION)
      .properties(properties)
      .partitionedBy(...partitionBy)
    const columns = builder.addColumn('id', 'bigint', { nullable: false })
    const table = await columns.addColumns('s STRUCT<a: INT NOT NULL, tags: ARRAY<STRING>>, p STRING').execute()
    await table.append(rows)
    await table.append(rows, { txn: { appId: 'app', version: 1 } })
    await table.delete('id = 1')
    await table.checkpoint()
    const names = (await collect(store.list({ prefix: '_delta_log/' }))).flat().map(({ key }) => key)
    const files = names.filter((key) => key.endsWith('.parquet'))
    const counts = new Map<string, number>()
    for (const key of files) {
      const { footer } = await openParquet(memoryFile(key, await store.get(key)))
      const nodes = [...below(footer.root)]
      expect(
        nodes
          .filter(({ repetition }) => repetition === 'REQUIRED')
          .map(pathOf)
          .filter(isNoKey),
      ).toEqual([])
      for (const { children } of nodes.filter((node) => node.repetition === 'REPEATED')) {
        expect([['element'], ['key', 'value']]).toContainEqual(children.map(({ name }) => name))
      }
      const kinds = ['protocol', 'metaData', 'add', 'remove', 'txn'] as const
      const file = { key, size: (await store.head(key)).size, format: 'parquet' } as const
      for await (const page of engine.readCheckpoint(store, [file], kinds)) {
        for (const action of page) {
          expect(Object.keys(action)).toHaveLength(1)
          const [kind] = Object.keys(action)
          counts.set(kind!, (counts.get(kind!) ?? 0) + 1)
          if ('add' in action && !('delta.enableDeletionVectors' in properties)) {
            expect(action.add.deletionVector).toBeUndefined()
          }
        }
      }
    }
    expect([counts.get('protocol'), counts.get('metaData'), counts.get('txn')]).toEqual([1, 1, 1])
    expect(await (await openTables(store).forPath(LOCATION)).rows()).toHaveLength(2)
    await engine.close()
  })
})

function* below(node: SchemaNode): Generator<SchemaNode> {
  for (const child of node.children) {
    yield child
    yield* below(child)
  }
}

const pathOf = ({ path }: SchemaNode) => path.join('.')
/** Keys of maps are required in every Parquet file. */
const isNoKey = (path: string) => !path.endsWith('key_value.key')

describe('UP-17: new fields inside of structs, lists and maps', () => {
  const first = [
    { id: 1, s: null, list: null, map: null },
    { id: 2, s: { b: { x: 1 } }, list: [{ x: 1 }], map: [{ key: 'k', value: { x: 1 } }] },
  ]
  const wider = [
    { id: 3, s: { b: { x: 2, c: 'new' } }, list: [{ x: 2, c: 'new' }], map: [{ key: 'k', value: { x: 2, c: 'new' } }] },
  ]
  const columns =
    'id BIGINT, s STRUCT<b: STRUCT<x: BIGINT>>, list ARRAY<STRUCT<x: BIGINT>>, map MAP<STRING, STRUCT<x: BIGINT>>'

  async function makeTable() {
    const store = memoryStore()
    const table = await openTables(store).create().location(LOCATION).addColumns(columns).execute()
    await table.append(first)
    return { store, table }
  }

  test('are added at any depth before a file is written, and are null in rows that were there', async () => {
    const { store, table } = await makeTable()
    await table.append(wider, { mergeSchema: true })
    const found = await (await openTables(store).forPath(LOCATION)).rows()
    const texts = found.map((row) =>
      JSON.stringify(row, (_, value) => (typeof value === 'bigint' ? Number(value) : value)),
    )
    expect(texts.sort()).toEqual([
      '{"id":1,"s":null,"list":null,"map":null}',
      '{"id":2,"s":{"b":{"x":1,"c":null}},"list":[{"x":1,"c":null}],"map":[{"key":"k","value":{"x":1,"c":null}}]}',
      '{"id":3,"s":{"b":{"x":2,"c":"new"}},"list":[{"x":2,"c":"new"}],"map":[{"key":"k","value":{"x":2,"c":"new"}}]}',
    ])
  })

  test('unasked they are refused with their whole path, and nothing is written', async () => {
    const { store, table } = await makeTable()
    const before = (await collect(store.list({ prefix: '' }))).flat().length
    expect(await refusal(table.append(wider))).toMatch(/s\.b\.c|list\.element\.c|map\.value\.c/)
    expect(await refusal(table.append([{ id: 9, list: [{ x: 1, c: 'new' }] }]))).toContain('list')
    expect((await collect(store.list({ prefix: '' }))).flat()).toHaveLength(before)
    expect(await table.version()).toBe(1)
  })
})

describe('UP-43: a commit every few seconds', () => {
  test('checkpoints keep the log short however many small commits come', async () => {
    const store = memoryStore()
    const table = await openTables(store).create().location(LOCATION).addColumns('id BIGINT').execute()
    for (let id = 0; id < 35; id++) await table.append([{ id }])
    const fresh = await openTables(store).forPath(LOCATION)
    expect(await fresh.count()).toBe(35)
    const { plan } = await fresh.optimize().executeCompaction()
    expect(plan).toBeDefined()
    expect((await collect(fresh.files())).flat()).toHaveLength(1)
    const keys = (await collect(store.list({ prefix: '_delta_log/' }))).flat().map(({ key }) => key)
    expect(keys.filter((key) => /checkpoint\.parquet$/.test(key))).toHaveLength(3)
  })
})
