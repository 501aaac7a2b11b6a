/**
 * Pairs of statements as the reference answers them: the first reads, the second commits, then the first commits. The
 * transactions are those the statements come to; the table has one file with ids 1 and 2 and one with id 3.
 */
import { expect, test } from 'vitest'
import { bindPredicate } from '../../expressions/index.ts'
import { field, integerType, longType, printSchema, stringType, structType } from '../../schema/index.ts'
import { memoryStore, type ObjectStore } from '../../storage/index.ts'
import { collect } from '../../support/index.ts'
import type { AddFile, Metadata } from '../actions/actions.ts'
import { readCommit } from '../log/index.ts'
import { skippingRule } from '../scan/rule-of-predicate.ts'
import type { SkippingRule } from '../scan/skipping-rule.ts'
import { loadSnapshot } from '../snapshot/load.ts'
import type { Snapshot } from '../snapshot/snapshot.ts'
import { jsonLogEngine } from '../snapshot/test-log.ts'
import { createTable } from './create-table.ts'
import { type MetadataChange, planMetadataChange } from './plan-metadata.ts'
import { beginTransaction, type Transaction } from './transaction.ts'
import type { TransactionOptions } from './transaction-plan.ts'

const clock = { now: () => 1_700_000_000_000 }
const schema = structType([field('id', longType), field('v', longType), field('p', stringType)])

type Statement = (snapshot: Snapshot) => Promise<Transaction>

interface Setting {
  readonly properties?: Metadata['configuration']
  readonly partitioned?: boolean
  readonly clustered?: boolean
}

let fresh = 0

/** A file of the rows with these ids; in a partition where one is named. */
function fileOf(ids: readonly number[], p?: string): AddFile {
  const [min, max] = [Math.min(...ids), Math.max(...ids)]
  const stats = `{"numRecords":${ids.length},"minValues":{"id":${min}},"maxValues":{"id":${max}},"nullCount":{"id":0}}`
  const partitionValues = new Map(p === undefined ? [] : [['p', p]])
  return {
    path: `f${fresh++}-${ids.join('-')}`,
    partitionValues,
    size: 1,
    modificationTime: 0,
    dataChange: true,
    stats,
  }
}

const idsOf = (file: AddFile) => file.path.split('-').slice(1).map(Number)

async function tableOf({ properties = new Map(), partitioned, clustered }: Setting): Promise<ObjectStore> {
  const store = memoryStore({ clock })
  const configuration = '{"clusteringColumns":[["id"]],"domainName":"delta.clustering"}'
  const domain = { domain: 'delta.clustering', configuration, removed: false }
  const spec = {
    schema,
    partitionColumns: partitioned ? ['p'] : [],
    configuration: properties,
    ...(clustered && { domains: new Map([['delta.clustering', domain]]) }),
  }
  await createTable(store, jsonLogEngine, spec, { operation: 'CREATE TABLE', clock })
  const files = partitioned ? [fileOf([1, 2], 'a'), fileOf([3], 'b')] : [fileOf([1, 2]), fileOf([3])]
  await begin(await load(store), 'WRITE')
    .addFiles(files)
    .commit({ clock })
  return store
}

const load = (store: ObjectStore) => loadSnapshot(store, jsonLogEngine)

function begin(snapshot: Snapshot, operation: string, options: Partial<TransactionOptions> = {}): Transaction {
  return beginTransaction(snapshot, { operation, ...options })
}

function ruleOf(snapshot: Snapshot, where: string): SkippingRule {
  return skippingRule(bindPredicate(where, snapshot.schema), snapshot.layout)
}

async function filesOf(snapshot: Snapshot, rule?: SkippingRule): Promise<AddFile[]> {
  return (await collect(snapshot.files.select(rule))).flat()
}

/** UPDATE or DELETE of the rows with some ids, rewriting the files that hold them. */
const change =
  (
    operation: 'UPDATE' | 'DELETE',
    where: string,
    ids: readonly number[],
    options: Partial<TransactionOptions> = {},
  ): Statement =>
  async (s) => {
    const rule = ruleOf(s, where)
    const files = (await filesOf(s, rule)).filter((file) => idsOf(file).some((id) => ids.includes(id)))
    const added = files.flatMap((file) => {
      const kept = idsOf(file).filter((id) => operation === 'UPDATE' || !ids.includes(id))
      return kept.length === 0 ? [] : [fileOf(kept, file.partitionValues.get('p') ?? undefined)]
    })
    return begin(s, operation, options).reads(rule, files).removeFiles(files).addFiles(added)
  }

const marks =
  (operation: 'UPDATE' | 'DELETE', where: string): Statement =>
  async (s) => {
    const rule = ruleOf(s, where)
    const files = (await filesOf(s, rule)).slice(0, 1)
    const deletionVector = { storageType: 'i', pathOrInlineDv: `${fresh++}`, sizeInBytes: 1, cardinality: 1 } as const
    const marked = files.map((file) => ({ ...file, deletionVector }))
    return begin(s, operation).reads(rule, files).removeFiles(files).addFiles(marked)
  }

const insert =
  (id: number, p?: string): Statement =>
  async (s) =>
    begin(s, 'WRITE').addFiles([fileOf([id], p)])

const insertForApp =
  (version: bigint): Statement =>
  async (s) =>
    (await insert(9)(s)).setTransaction({ appId: 'app', version })

/** INSERT … SELECT of the whole table. */
const insertSelect: Statement = async (s) =>
  begin(s, 'WRITE')
    .readsTable()
    .addFiles([fileOf([1, 2, 3])])

const overwrite: Statement = async (s) =>
  begin(s, 'WRITE')
    .readsTable()
    .removeFiles(await filesOf(s))
    .addFiles([fileOf([7])])

const optimize: Statement = async (s) => {
  const files = await filesOf(s)
  return begin(s, 'OPTIMIZE')
    .removeFiles(files, { dataChange: false })
    .addFiles([{ ...fileOf([1, 2, 3]), dataChange: false }])
}

/** Brings back other files in place of those that are there. */
const restore: Statement = async (s) =>
  begin(s, 'RESTORE')
    .readsTable()
    .removeFiles(await filesOf(s))

const removeKnown: Statement = async (s) => begin(s, 'DELETE').removeFiles(await filesOf(s))

const alter =
  (operation: string, metadataChange: MetadataChange): Statement =>
  async (s) => {
    const { metadata, protocol } = planMetadataChange(s, metadataChange, 'here')
    const t = begin(s, operation)
    const changed = JSON.stringify([...metadata.configuration]) !== JSON.stringify([...s.metadata.configuration])
    const isMetadata = changed || metadataChange.schema !== undefined
    const withMetadata = isMetadata ? t.setMetadata(metadata) : t
    return protocol === undefined ? withMetadata : withMetadata.setProtocol(protocol)
  }

const setProperty = (key: string, value: string) => alter('SET TBLPROPERTIES', { set: new Map([[key, value]]) })
const addColumn = alter('ADD COLUMNS', { schema: structType([...schema.fields, field('z', integerType)]) })

/** The first commit of DROP FEATURE deletionVectors. */
const stopVectors = setProperty('delta.enableDeletionVectors', 'false')

const dropCheckConstraints: Statement = async (s) => {
  const writerFeatures = (s.protocol.writerFeatures ?? []).filter((name) => name !== 'checkConstraints')
  return begin(s, 'DROP FEATURE').setProtocol({ minReaderVersion: 1, minWriterVersion: 7, writerFeatures })
}

const clusterBy: Statement = async (s) => {
  const configuration = '{"clusteringColumns":[["v"]],"domainName":"delta.clustering"}'
  return begin(s, 'CLUSTER BY').setDomain({ domain: 'delta.clustering', configuration, removed: false })
}

const update1 = change('UPDATE', 'id = 1', [1])
const vectors = new Map([['delta.enableDeletionVectors', 'true']])
const inA = { partitioned: true }

const APPEND = 'DELTA_CONCURRENT_APPEND.WITHOUT_HINT'
const APPEND_HINT = 'DELTA_CONCURRENT_APPEND.WITH_PARTITION_HINT'
const READ = 'DELTA_CONCURRENT_DELETE_READ.WITHOUT_HINT'
const DELETE = 'DELTA_CONCURRENT_DELETE_DELETE.WITHOUT_HINT'
const METADATA = 'DELTA_METADATA_CHANGED'
const PROTOCOL = 'DELTA_PROTOCOL_CHANGED'
const COMMITS = 'committed'

test.each<[name: string, mine: Statement, theirs: Statement, end: string, setting?: Setting]>([
  ['UPDATE id = 1 | INSERT', update1, insert(9), APPEND],
  ['DELETE of anything | INSERT', change('DELETE', 'true', [1]), insert(9), APPEND],
  ["UPDATE p = 'a' | INSERT 'a'", change('UPDATE', "p = 'a'", [1, 2]), insert(9, 'a'), APPEND_HINT, inA],
  ["UPDATE p = 'a' | INSERT 'b'", change('UPDATE', "p = 'a'", [1, 2]), insert(9, 'b'), COMMITS, inA],
  [
    "UPDATE p = 'a' | DELETE p = 'b'",
    change('UPDATE', "p = 'a'", [1, 2]),
    change('DELETE', "p = 'b'", [3]),
    COMMITS,
    inA,
  ],
  [
    "UPDATE p = 'a' AND id = 1 | UPDATE p = 'a' AND id = 2",
    change('UPDATE', "p = 'a' AND id = 1", [1]),
    change('UPDATE', "p = 'a' AND id = 2", [2]),
    APPEND_HINT,
    inA,
  ],
  ['INSERT | INSERT', insert(8), insert(9), COMMITS],
  [
    'INSERT | INSERT, row tracking',
    insert(8),
    insert(9),
    COMMITS,
    { properties: new Map([['delta.enableRowTracking', 'true']]) },
  ],
  ['INSERT | DELETE id = 1', insert(8), change('DELETE', 'id = 1', [1]), COMMITS],
  ['INSERT SELECT | DELETE of a whole file', insertSelect, change('DELETE', 'id = 3', [3]), READ],
  ['INSERT SELECT | INSERT', insertSelect, insert(9), APPEND],
  ['UPDATE id = 1 | DELETE id = 3', update1, change('DELETE', 'id = 3', [3]), COMMITS],
  ['UPDATE id = 1 | DELETE id = 2', update1, change('DELETE', 'id = 2', [2]), APPEND],
  ['UPDATE id = 1 | DELETE id < 3', update1, change('DELETE', 'id < 3', [1, 2]), READ],
  [
    'UPDATE id = 1 | DELETE id = 2, deletion vectors',
    marks('UPDATE', 'id = 1'),
    marks('DELETE', 'id = 2'),
    APPEND,
    { properties: vectors },
  ],
  ['UPDATE id = 1 | OPTIMIZE', update1, optimize, APPEND],
  ['UPDATE id = 1 | ADD COLUMN', update1, addColumn, METADATA],
  ['INSERT | ADD COLUMN', insert(8), addColumn, METADATA],
  ['INSERT | a property', insert(8), setProperty('x', 'y'), METADATA],
  ['INSERT | deletion vectors on', insert(8), setProperty('delta.enableDeletionVectors', 'true'), COMMITS],
  [
    'UPDATE | feature vacuumProtocolCheck',
    update1,
    setProperty('delta.feature.vacuumProtocolCheck', 'supported'),
    COMMITS,
  ],
  ['UPDATE | feature checkConstraints', update1, setProperty('delta.feature.checkConstraints', 'supported'), COMMITS],
  ['INSERT | DROP FEATURE deletionVectors', insert(8), stopVectors, METADATA, { properties: vectors }],
  [
    'INSERT | DROP FEATURE checkConstraints',
    insert(8),
    dropCheckConstraints,
    PROTOCOL,
    {
      properties: new Map([
        ['delta.feature.checkConstraints', 'supported'],
        ['delta.feature.domainMetadata', 'supported'],
      ]),
    },
  ],
  ['INSERT | CLUSTER BY', insert(8), clusterBy, COMMITS, { clustered: true }],
  ['append for an app | append for it', insertForApp(5n), insertForApp(6n), 'DELTA_CONCURRENT_TRANSACTION'],
  ['overwrite | INSERT', overwrite, insert(9), APPEND],
  ['overwrite | DELETE of a whole file', overwrite, change('DELETE', 'id = 3', [3]), READ],
  ['DELETE of anything | RESTORE', change('DELETE', 'true', [1]), restore, READ],
  ['removal of known files | DELETE id < 3', removeKnown, change('DELETE', 'id < 3', [1, 2]), DELETE],
  // ours: what the reference allows by rule and nobody recorded
  ['INSERT | column mapping by name', insert(8), setProperty('delta.columnMapping.mode', 'name'), COMMITS],
  [
    'UPDATE id = 1 | INSERT 9, row level',
    change('UPDATE', 'id = 1', [1], { rowLevelConcurrency: true }),
    insert(9),
    COMMITS,
  ],
  [
    'UPDATE id = 1 | INSERT 1, row level',
    change('UPDATE', 'id = 1', [1], { rowLevelConcurrency: true }),
    insert(1),
    APPEND,
  ],
])('%s: %s', async (_, mine, theirs, end, setting = {}) => {
  const store = await tableOf(setting)
  const transaction = await mine(await load(store))
  expect((await (await theirs(await load(store))).commit({ clock })).kind).toBe('committed')
  const before = (await load(store)).version
  const outcome = await transaction.commit({ clock, firstDelayMs: 1 })
  expect(outcome.kind === 'conflict' ? outcome.error.code : outcome.kind).toBe(end)
  if (outcome.kind === 'conflict') {
    expect(outcome.error).toMatchObject({ sqlState: '2D521', retryable: true })
    expect((await load(store)).version).toBe(before)
    expect(outcome.error.details).toMatchObject({ version: before, operation: expect.any(String) })
  }
})

test('counting an identity column on stops neither an append nor an update, and two such commits conflict', async () => {
  const marked =
    (mark: number): Statement =>
    async (s) => {
      const identity = field('id', longType, true, {
        'delta.identity.start': 1,
        'delta.identity.step': 1,
        'delta.identity.allowExplicitInsert': false,
        'delta.identity.highWaterMark': mark,
      })
      const wider = structType([identity, ...schema.fields.slice(1)])
      return begin(s, 'WRITE').setMetadata({ ...s.metadata, schemaString: printSchema(wider) })
    }
  const store = await tableOf({})
  await (await marked(1)(await load(store))).commit({ clock })
  const transactions = [await insert(9)(await load(store)), await marked(3)(await load(store))]
  await (await marked(2)(await load(store))).commit({ clock })
  const [plain, identity] = await Promise.all(transactions.map((t) => t.commit({ clock, firstDelayMs: 1 })))
  expect(plain!.kind).toBe('committed')
  expect(identity).toMatchObject({ kind: 'conflict', error: { code: METADATA } })
})

test('under WriteSerializable a blind append does not stop an update, under Serializable it does', async () => {
  for (const [isolation, end] of [
    ['WriteSerializable', 'committed'],
    ['Serializable', 'conflict'],
  ] as const) {
    const store = await tableOf({})
    const snapshot = await load(store)
    const configuration = new Map([['delta.isolationLevel', isolation]])
    await begin(snapshot, 'SET TBLPROPERTIES')
      .setMetadata({ ...snapshot.metadata, configuration })
      .commit({ clock })
    const transaction = await update1(await load(store))
    await (await insert(9)(await load(store))).commit({ clock })
    const outcome = await transaction.commit({ clock, firstDelayMs: 1 })
    expect(outcome.kind).toBe(end)
    if (outcome.kind !== 'committed') continue
    const [info] = (await readCommit(store, outcome.version)).actions
    expect(info).toMatchObject({ commitInfo: { isolationLevel: 'WriteSerializable', isBlindAppend: false } })
  }
})
