/** The worker's Delta destination from end to end, on real folders and both ways of taking records in. */
import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { jsLogEngine } from '../../src/engine/js/index.ts'
import { deltaError } from '../../src/errors/index.ts'
import {
  type Action,
  commitKey,
  createTable,
  type Metadata,
  type Protocol,
  printActions,
} from '../../src/kernel/index.ts'
import { field, longType, stringType, structType } from '../../src/schema/index.ts'
import { localStore } from '../../src/storage/fs/index.ts'
import { faulty, type ObjectStore } from '../../src/storage/index.ts'
import { encodeUtf8 } from '../../src/support/index.ts'
import { parseWorkerConfig, type RunOptions, runWorker, type WorkerEvent } from '../../src/worker/index.ts'
import { readTable } from './read-table.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bayou-delta-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const table = () => join(folder, 'table')
const input = () => join(folder, 'in.ndjson')
const deadLetterFile = () => join(folder, 'dead.ndjson')

interface Setup {
  readonly schema?: string
  readonly source?: object
  readonly name?: string
  readonly route?: object
  readonly steps?: readonly unknown[]
  readonly destination?: object
}

const configOf = ({ schema = 'id BIGINT, name STRING', name = 'w', ...setup }: Setup = {}) =>
  parseWorkerConfig({
    name,
    sources: [{ id: 's', type: 'file', path: input(), schema, ...setup.source }],
    routes: [{ source: 's', destination: 'lake', steps: setup.steps ?? [], ...setup.route }],
    destinations: [
      { id: 'lake', type: 'delta', location: table(), deadLetterFile: deadLetterFile(), ...setup.destination },
    ],
  })

const run = (setup: Setup = {}, options: RunOptions = {}) => runWorker(configOf(setup), { once: true, ...options })

async function letters(): Promise<Record<string, string>[]> {
  const text = await readFile(deadLetterFile(), 'utf8').catch(() => '')
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
}

const CHANGED =
  "another writer dropped a column the record writes, changed the table's partitioning, or another table replaced the one at its location"

describe('records become rows', () => {
  it('creates the table, commits, goes on where it stopped, and commits nothing when there is nothing', async () => {
    await writeFile(input(), '{"id":1,"name":"a"}\n{"id":9007199254740993}\n')
    await run()
    await appendFile(input(), '{"name":"c","id":3}\n')
    await run()
    await run()
    const { lines, snapshot, commits } = await readTable(table())
    expect(lines).toEqual(['{"id":1,"name":"a"}', '{"id":3,"name":"c"}', '{"id":9007199254740993,"name":null}'])
    expect(snapshot.version).toBe(2)
    expect(snapshot.protocol).toMatchObject({ minReaderVersion: 1, minWriterVersion: 2 })
    expect(snapshot.transactions.get('w/lake/s/0')?.version).toBe(64n)
    const info = commits[2]!.actions.flatMap((action) => ('commitInfo' in action ? [action.commitInfo] : []))[0]
    expect(info).toMatchObject({
      operation: 'STREAMING UPDATE',
      isBlindAppend: true,
      operationMetrics: { numAddedFiles: '1', numOutputRows: '1' },
      txnId: expect.any(String),
    })
  })

  it('UP-23: writes one file a partition in one commit; null and empty are the same partition', async () => {
    await writeFile(
      input(),
      ['{"id":1,"name":"a"}', '{"id":2}', '{"id":3,"name":""}', '{"id":4,"name":"a b"}'].join('\n'),
    )
    await run({ destination: { partitionBy: ['name'] } })
    const { lines, snapshot, numFiles } = await readTable(table())
    expect([snapshot.version, numFiles]).toEqual([1, 4])
    expect(lines).toEqual([
      '{"id":1,"name":"a"}',
      '{"id":2,"name":null}',
      '{"id":3,"name":null}',
      '{"id":4,"name":"a b"}',
    ])
  })

  it('keeps refused records aside, with reason and place, whichever way they are taken in', async () => {
    for (const schema of ['id BIGINT, day DATE', 'id u32, day DATE']) {
      await writeFile(
        input(),
        ['{"id":1,"day":"2024-02-29"}', '{"id":"x"}', '', 'not json', '{"id":2,"day":"2023-02-29"}'].join('\n'),
      )
      const { destinations } = await run({ schema })
      expect(destinations[0]).toMatchObject({ records: 4, rows: 1, refused: 3 })
      expect((await letters()).map(({ position, record, source, route }) => [position, record, source, route])).toEqual(
        [
          ['28', '{"id":"x"}', 's', 's-to-lake'],
          ['40', 'not json', 's', 's-to-lake'],
          ['49', '{"id":2,"day":"2023-02-29"}', 's', 's-to-lake'],
        ],
      )
      const [first, , third] = await letters()
      expect(first!.reason).toContain('id')
      expect(third!.reason).toContain('day')
      expect((await readTable(table())).lines).toEqual(['{"id":1,"day":"2024-02-29"}'])
      await rm(table(), { recursive: true })
      await rm(deadLetterFile())
    }
  })

  it('keeps the bytes of a record that is not UTF-8, whichever way it is taken in', async () => {
    const bad = Buffer.from('{"id":2,"name":"caf\xe9"}', 'latin1')
    const lines = [Buffer.from('{"id":1}\n{"id":"\ufffd"}\n'), bad, Buffer.from('\n{"id":3}\n')]
    for (const schema of ['id BIGINT, name STRING', 'id u32, name STRING']) {
      await writeFile(input(), Buffer.concat(lines))
      await run({ schema })
      expect((await letters()).map(({ position, record, recordBase64 }) => [position, record, recordBase64])).toEqual([
        ['9', '{"id":"\ufffd"}', undefined],
        ['22', '{"id":2,"name":"caf\ufffd"}', bad.toString('base64')],
      ])
      expect((await readTable(table())).lines).toHaveLength(2)
      await rm(table(), { recursive: true })
      await rm(deadLetterFile())
    }
  })

  it('types that only a record has are checked and become columns', async () => {
    await writeFile(
      input(),
      [
        '{"a":255,"b":18446744073709551615,"c":"10.0.0.1","d":{"x":[1.0]},"e":{"k":1}}',
        '{"a":256}',
        '{"c":"10.0.0"}',
      ].join('\n'),
    )
    await run({ schema: 'a u8, b u64, c ip, d json, e MAP<STRING, i8>' })
    const { lines } = await readTable(table())
    expect(lines).toEqual([
      '{"a":255,"b":18446744073709551615,"c":"10.0.0.1","d":"{\\"x\\":[1.0]}","e":[{"key":"k","value":1}]}',
    ])
    expect((await letters()).map(({ reason }) => reason)).toEqual([
      'a is 256, and the record has u8 there',
      'c is "10.0.0", and the record has ip there',
    ])
  })

  it.each([
    ['as they came', 'id BIGINT, s STRUCT<x: INT>'],
    ['decoded one by one', 'id u64, s STRUCT<x: INT>'],
  ])('counts fields that no column is for, or refuses their records: %s', async (_, schema) => {
    await writeFile(input(), '{"id":1,"more":1}\n{"id":2}\n{"id":3,"s":{"x":1,"y":2},"more":{}}\n')
    const { destinations } = await run({ schema })
    expect(destinations[0]).toMatchObject({ rows: 3, refused: 0, ignoredFields: 3 })
    const refusing = await run({ schema, route: { unknownFields: 'reject' }, name: 'second' })
    expect(refusing.destinations[0]).toMatchObject({ rows: 1, refused: 2, ignoredFields: 0 })
    expect((await letters()).map(({ reason }) => reason)).toEqual([
      'the record has the field more, which is no column',
      'the record has the field s.y, which is no column',
    ])
  })

  it('takes the steps of its route', async () => {
    await writeFile(input(), ['{"id":1,"name":"5"}', '{"id":2,"name":"6"}', '{"id":3,"name":"x"}'].join('\n'))
    const steps = [
      { filter: 'id <> 2' },
      { cast: { name: 'int' } },
      { set: { twice: 'name * 2' } },
      { rename: { name: 'n' } },
    ]
    const { destinations } = await run({ steps })
    expect(destinations[0]).toMatchObject({ rows: 1, filtered: 1, refused: 1 })
    expect((await readTable(table())).lines).toEqual(['{"id":1,"n":5,"twice":10}'])
    expect((await letters()).map(({ record }) => record)).toEqual(['{"id":3,"name":"x"}'])
  })

  it('reads CSV by its header, on from any position', async () => {
    const source = { format: 'csv', delimiter: ';' }
    await writeFile(input(), 'name;id\n"a;b\nc";1\n;2\n')
    await run({ source })
    await appendFile(input(), 'd;3\nbad;x\n')
    await run({ source })
    expect((await readTable(table())).lines).toEqual([
      '{"id":1,"name":"a;b\\nc"}',
      '{"id":2,"name":null}',
      '{"id":3,"name":"d"}',
    ])
    expect((await letters()).map(({ record, position }) => [record, position])).toEqual([['bad;x', '25']])
  })

  it('a row whose partition makes the key too long is refused, and the rest goes on', async () => {
    // name= and the / behind it are 6 bytes, the file's own name is 40.
    const names = ['a', 'x'.repeat(1024 - 46), 'y'.repeat(1024 - 45), '%'.repeat(400)]
    for (const schema of ['id BIGINT, name STRING', 'id u32, name STRING']) {
      await writeFile(input(), names.map((name, id) => JSON.stringify({ id, name })).join('\n'))
      await run({ schema, destination: { partitionBy: ['name'] } })
      expect((await readTable(table())).rows.map(([id]) => Number(id)).sort()).toEqual([0, 1])
      expect((await letters()).map(({ reason }) => reason)).toEqual([
        "the row's partition values make a key of 1025 bytes; a key holds 1024",
        "the row's partition values make a key of 1246 bytes; a key holds 1024",
      ])
      await rm(table(), { recursive: true })
      await rm(deadLetterFile())
    }
  })

  it('records that are all left out or refused make no version, and are not noted twice', async () => {
    await writeFile(input(), '{"id":1}\n{"id":"x"}\n')
    const steps = [{ filter: 'id > 5' }]
    await run({ steps })
    await run({ steps })
    expect((await readTable(table())).snapshot.version).toBe(0)
    expect(await letters()).toHaveLength(1)
  })
})

describe('columns', () => {
  it('UP-17: adds what the record has and the table lacks, at any depth, before it writes', async () => {
    await writeFile(input(), '{"id":1,"s":{"x":1},"l":[{"a":1}]}\n')
    await run({ schema: 'id BIGINT, s STRUCT<x INT>, l LIST<STRUCT<a INT>>' })
    await appendFile(input(), '{"ID":2,"s":{"y":"why"},"l":[{"b":true,"a":7}],"n":1.5}\n')
    await run({ schema: 'n DOUBLE, ID BIGINT, s STRUCT<y STRING>, l LIST<STRUCT<b BOOL, a INT>>' })
    const { lines, commits } = await readTable(table())
    expect(lines).toEqual([
      '{"id":1,"s":{"x":1,"y":null},"l":[{"a":1,"b":null}],"n":null}',
      '{"id":2,"s":{"x":null,"y":"why"},"l":[{"a":7,"b":true}],"n":1.5}',
    ])
    const operations = commits.flatMap(({ actions }) =>
      actions.flatMap((a) => ('commitInfo' in a ? [a.commitInfo.operation] : [])),
    )
    expect(operations).toEqual(['CREATE TABLE', 'STREAMING UPDATE', 'ADD COLUMNS', 'STREAMING UPDATE'])
  })

  it('a column the record lacks reads null; the table’s partitioning stays', async () => {
    await writeFile(input(), '{"id":1,"name":"a"}\n')
    await run({ destination: { partitionBy: ['name'] } })
    await appendFile(input(), '{"id":2}\n')
    await run({ schema: 'id BIGINT', destination: { partitionBy: [] } })
    const { lines, snapshot } = await readTable(table())
    expect(lines).toEqual(['{"id":1,"name":"a"}', '{"id":2,"name":null}'])
    expect(snapshot.partitionColumns).toEqual(['name'])
  })

  it('UP-37: a field that can hold nothing has no column, and gets one once it can', async () => {
    await writeFile(input(), '{"id":1,"n":null,"s":{"x":null},"l":[null]}\n')
    await run({ schema: 'id BIGINT, n NULL, s STRUCT<x NULL>, l LIST<NULL>' })
    expect((await readTable(table())).lines).toEqual(['{"id":1}'])
    await appendFile(input(), '{"id":2,"n":"x"}\n')
    await run({ schema: 'id BIGINT, n STRING' })
    expect((await readTable(table())).lines).toEqual(['{"id":1,"n":null}', '{"id":2,"n":"x"}'])
  })

  it('UP-27: workers that add the same column at once, and different ones, keep the table what it is', async () => {
    await writeFile(input(), '{"id":1}\n')
    await run({ schema: 'id BIGINT' })
    const before = (await readTable(table())).snapshot.metadata
    const schemas = ['id BIGINT, a STRING, b INT', 'id BIGINT, a STRING, b INT', 'id BIGINT, a STRING, c DATE']
    const dead = (i: number) => ({ deadLetterFile: join(folder, `dead-${i}.ndjson`) })
    await Promise.all(schemas.map((schema, i) => run({ schema, name: `w${i}`, destination: dead(i) })))
    const { snapshot, commits, rows } = await readTable(table())
    expect(snapshot.schema.fields.map(({ name }) => name).sort()).toEqual(['a', 'b', 'c', 'id'])
    const { schemaString: _, ...kept } = snapshot.metadata
    const { schemaString: __, ...old } = before
    expect(kept).toEqual(old)
    for (const { actions } of commits) {
      expect(actions.filter((action) => 'metaData' in action).length).toBeLessThanOrEqual(1)
    }
    expect(rows).toHaveLength(4)
  })

  it('UP-10: a table mapped by name is written by physical names, with ids, also of new columns', async () => {
    const configuration = new Map([['delta.columnMapping.mode', 'name']])
    const schema = structType([field('id', longType), field('old name', stringType)])
    const options = { schema, configuration, partitionColumns: ['old name'] }
    await createTable(localStore(table()), jsLogEngine, options, { operation: 'CREATE TABLE' })
    await writeFile(input(), '{"id":1,"old name":"x","extra":{"y":true}}\n')
    await run({ schema: 'id BIGINT, `old name` STRING, extra STRUCT<y BOOL>' })
    const { lines, snapshot, commits } = await readTable(table())
    expect(lines).toEqual(['{"id":1,"old name":"x","extra":{"y":true}}'])
    const physical = snapshot.schema.fields.map((column) => column.metadata['delta.columnMapping.physicalName'])
    const add = commits.at(-1)!.actions.flatMap((action) => ('add' in action ? [action.add] : []))[0]!
    expect([...add.partitionValues.keys()]).toEqual([physical[1]])
    const columns = Object.keys(JSON.parse(add.stats!).nullCount)
    expect(columns.sort()).toEqual([physical[0], physical[2]].sort())
    expect(new Set(snapshot.schema.fields.map((column) => column.metadata['delta.columnMapping.id'])).size).toBe(3)
    expect(snapshot.configuration.get('delta.columnMapping.maxColumnId')).toBe('4')
  })

  it('a timestamp without a zone makes the table ask for the feature, and nothing else', async () => {
    await writeFile(input(), '{"at":"2024-02-29T12:00:00.000001"}\n')
    await run({ schema: 'at TIMESTAMP_NTZ' })
    const { lines, snapshot } = await readTable(table())
    expect(lines).toEqual(['{"at":"2024-02-29T12:00:00.000001"}'])
    expect(snapshot.protocol).toMatchObject({
      minReaderVersion: 3,
      minWriterVersion: 7,
      readerFeatures: ['timestampNtz'],
    })
    expect([...snapshot.protocol.writerFeatures!].sort()).toEqual(['appendOnly', 'invariants', 'timestampNtz'])
  })
})

describe('commits', () => {
  const records = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, i) => `{"id":${from + i},"name":"n"}\n`).join('')

  it('UP-43: a checkpoint is written every ten commits, and the table goes on from it', async () => {
    for (let i = 0; i < 12; i++) {
      await appendFile(input(), records(i * 10, i * 10 + 10))
      await run()
    }
    const { lines, snapshot } = await readTable(table())
    expect(lines).toHaveLength(120)
    expect(snapshot.segment.checkpointVersion).toBe(10)
  })

  it('UP-01: whichever call to the store loses its answer or fails, every record is there once', async () => {
    await writeFile(input(), records(0, 50))
    for (const when of ['before', 'after-effect'] as const) {
      let isOver = false
      for (let failCall = 1; !isOver; failCall++) {
        await rm(table(), { recursive: true, force: true })
        let store: ReturnType<typeof faulty> | undefined
        const wrapStore = (inner: ObjectStore) => {
          store = faulty(inner, { failCall, when })
          return store
        }
        // A run that a fault ends is started again, as whoever runs a worker would.
        await run({}, { wrapStore }).catch(() => undefined)
        isOver = store?.hasFailed() !== true
        await run()
        const { rows, snapshot } = await readTable(table())
        const ids = new Set(rows.map(([id]) => id))
        expect([rows.length, ids.size], `${when}, call ${failCall}`).toEqual([50, 50])
        expect(snapshot.transactions.get('w/lake/s/0')?.version).toBe(BigInt(records(0, 50).length))
        expect(failCall, 'the scenario ends').toBeLessThan(100)
      }
    }
  }, 300_000)

  it('a lost answer of a source without positions doubles nothing', async () => {
    const bytes = encodeUtf8(records(0, 20))
    const source = { type: 'stdin', path: undefined }
    const stdin = (async function* () {
      yield bytes
    })()
    const wrapStore = (inner: ObjectStore) =>
      faulty(inner, { failCall: 2, when: 'after-effect', methods: ['putIfAbsent'] })
    await run({ source }, { input: stdin, wrapStore })
    expect((await readTable(table())).rows).toHaveLength(20)
  })

  /** Another writer, which gets ahead of the worker's commit of a version by `actions`. */
  const overtakenBy =
    (version: number, actions: (store: ObjectStore) => Promise<readonly Action[]>) => (inner: ObjectStore) => {
      let isDone = false
      return {
        ...inner,
        putIfAbsent: async (key: string, bytes: Uint8Array) => {
          if (key === commitKey(version) && !isDone) {
            isDone = true
            await inner.put(key, encodeUtf8(printActions(await actions(inner))))
          }
          return inner.putIfAbsent(key, bytes)
        },
      }
    }

  it('lives with a winner that added a column; its files are not written again', async () => {
    await writeFile(input(), records(0, 5))
    await run()
    await appendFile(input(), records(5, 10))
    const { snapshot } = await readTable(table())
    const schemaString = snapshot.metadata.schemaString!.replace(
      '"fields":[',
      '"fields":[{"name":"extra","type":"string","nullable":true,"metadata":{}},',
    )
    const wrapStore = overtakenBy(2, async () => [{ metaData: { ...snapshot.metadata, schemaString } }])
    const { destinations } = await run({}, { wrapStore })
    expect(destinations[0]).toMatchObject({ losses: 1, lastVersion: 3 })
    const after = await readTable(table())
    expect(after.lines).toHaveLength(10)
    expect(after.numFiles).toBe(2)
  })

  it('waits, and says why, while a winner’s table does not fit, and goes on when it does again', async () => {
    await writeFile(input(), records(0, 5))
    await run()
    await appendFile(input(), records(5, 10))
    const { snapshot } = await readTable(table())
    const events: WorkerEvent[] = []
    const dropped = {
      ...snapshot.metadata,
      schemaString: '{"type":"struct","fields":[{"name":"id","type":"long","nullable":true,"metadata":{}}]}',
    }
    const wrapStore = overtakenBy(2, async () => [{ metaData: dropped }])
    const onEvent = (event: WorkerEvent) => {
      events.push(event)
      const isFirst = event.kind === 'stalled' && event.reason !== undefined
      if (isFirst)
        void localStore(table()).put(commitKey(3), encodeUtf8(printActions([{ metaData: snapshot.metadata }])))
    }
    await run({}, { wrapStore, onEvent })
    expect(events.filter((event) => event.kind === 'stalled')).toMatchObject([
      {
        reason:
          "another writer dropped a column the record writes, changed the table's partitioning, or another table replaced the one at its location",
      },
      { reason: undefined },
    ])
    expect((await readTable(table())).lines).toHaveLength(10)
  }, 60_000)

  it.each<[string, (now: { metadata: Metadata; protocol: Protocol }) => Action, string]>([
    [
      'a new constraint',
      ({ metadata }) => ({
        metaData: { ...metadata, configuration: new Map([['delta.constraints.positive', 'id > 0']]) },
      }),
      'the table has the check constraint positive',
    ],
    [
      'a feature that is not written here',
      () => ({
        protocol: {
          minReaderVersion: 3,
          minWriterVersion: 7,
          readerFeatures: [],
          writerFeatures: ['appendOnly', 'invariants', 'rowTracking', 'domainMetadata'],
        },
      }),
      'the table needs writer version 7, reader version 3, or the writer feature rowTracking',
    ],
    ['another partitioning', ({ metadata }) => ({ metaData: { ...metadata, partitionColumns: ['name'] } }), CHANGED],
    ['another table', ({ metadata }) => ({ metaData: { ...metadata, id: crypto.randomUUID() } }), CHANGED],
    [
      'a column of another type',
      ({ metadata }) => ({
        metaData: { ...metadata, schemaString: metadata.schemaString!.replace('"type":"long"', '"type":"double"') },
      }),
      'id is double in the table, and the record writes id there as long',
    ],
  ])(
    '%s underneath is told, and commits wait until it is taken back',
    async (_, change, sentence) => {
      await writeFile(input(), records(0, 5))
      await run()
      await appendFile(input(), records(5, 10))
      const { snapshot } = await readTable(table())
      const reasons: unknown[] = []
      const wrapStore = overtakenBy(2, async () => [change(snapshot)])
      const onEvent = (event: WorkerEvent) => {
        if (event.kind !== 'stalled') return
        reasons.push(event.reason)
        const restored: readonly Action[] = [{ metaData: snapshot.metadata }, { protocol: snapshot.protocol }]
        if (reasons.length === 1) void localStore(table()).put(commitKey(3), encodeUtf8(printActions(restored)))
      }
      await run({ destination: { fileIntervalSecs: 1 } }, { once: false, wrapStore, onEvent })
      expect(reasons).toEqual([sentence, undefined])
      expect((await readTable(table())).lines).toHaveLength(10)
    },
    60_000,
  )

  it('UP-34: after eight losses it says so, and tries on with the same files', async () => {
    await writeFile(input(), records(0, 5))
    await run()
    await appendFile(input(), records(5, 10))
    let overtaken = 0
    const wrapStore = (inner: ObjectStore): ObjectStore => ({
      ...inner,
      putIfAbsent: async (key, bytes) => {
        if (key.startsWith('_delta_log/') && overtaken < 8) {
          overtaken++
          await inner.put(key, encodeUtf8(printActions([{ commitInfo: { operation: 'WRITE', isBlindAppend: true } }])))
        }
        return inner.putIfAbsent(key, bytes)
      },
    })
    const reasons: unknown[] = []
    await run({}, { wrapStore, onEvent: (e) => e.kind === 'stalled' && reasons.push(e.reason) })
    expect(reasons).toEqual(['commit lost to another writer 8 times over', undefined])
    const { lines, snapshot, numFiles } = await readTable(table())
    expect([lines.length, numFiles, snapshot.version]).toEqual([10, 2, 10])
  }, 60_000)

  it('another worker with the same name stops this one: no record is written twice', async () => {
    await writeFile(input(), records(0, 5))
    await run()
    await appendFile(input(), records(5, 10))
    const txn = { appId: 'w/lake/s/0', version: 1_000_000n }
    const wrapStore = overtakenBy(2, async () => [{ txn }])
    await expect(run({}, { wrapStore })).rejects.toMatchObject({
      code: 'WORKER_POSITION_MOVED',
      details: expect.objectContaining({ appId: 'w/lake/s/0', destination: 'lake' }),
    })
    expect((await readTable(table())).lines).toHaveLength(5)
  })

  it.each(['LAKE_STORAGE_FULL', 'LAKE_STORAGE_READ_ONLY'] as const)(
    '%s ends a run that is to end, with nothing half-done',
    async (code) => {
      await writeFile(input(), records(0, 5))
      const error = deltaError(code, { operation: 'putIfAbsent', key: 'x', cause: 'planned' })
      const wrapStore = (inner: ObjectStore) =>
        faulty(inner, { failCall: 2, when: 'before', methods: ['putIfAbsent'], error })
      await expect(run({}, { wrapStore })).rejects.toMatchObject({ code })
      const { snapshot, lines } = await readTable(table())
      expect([snapshot.version, lines]).toEqual([0, []])
    },
  )

  it('denied access is told in one sentence, and waited out by a worker that runs on', async () => {
    await writeFile(input(), records(0, 5))
    const error = deltaError('LAKE_STORAGE_ACCESS_DENIED', { operation: 'putIfAbsent', key: 'x', cause: 'planned' })
    const wrapStore = (inner: ObjectStore) =>
      faulty(inner, { failCall: 2, when: 'before', methods: ['putIfAbsent'], error })
    const reasons: unknown[] = []
    const onEvent = (event: WorkerEvent) => event.kind === 'stalled' && reasons.push(event.reason)
    await run({ destination: { fileIntervalSecs: 1 } }, { once: false, wrapStore, onEvent })
    expect(reasons).toEqual(['Access denied writing to storage', undefined])
    expect((await readTable(table())).lines).toHaveLength(5)
  })
})

it('several routes, sources and destinations: each table gets its own, each source goes on by itself', async () => {
  await writeFile(input(), '{"id":1,"name":"a"}\n{"id":2,"name":"b"}\n')
  await writeFile(join(folder, 'more.ndjson'), '{"id":3,"name":"c"}\n')
  const source = { type: 'file', schema: 'id BIGINT, name STRING' }
  const config = () =>
    parseWorkerConfig({
      name: 'w',
      sources: [
        { ...source, id: 'one', path: input() },
        { ...source, id: 'two', path: join(folder, 'more.ndjson') },
      ],
      routes: [
        { id: 'a', source: 'one', destination: 'all' },
        { id: 'b', source: 'two', destination: 'all' },
        { id: 'c', source: 'one', destination: 'ids', steps: [{ select: ['id'] }] },
        { id: 'd', source: 'one', destination: 'ids', steps: [{ select: ['id * 10 AS id'] }] },
      ],
      destinations: ['all', 'ids'].map((id) => ({
        id,
        type: 'delta',
        location: join(folder, id),
        deadLetterFile: deadLetterFile(),
      })),
    })
  await runWorker(config(), { once: true })
  await appendFile(input(), '{"id":4,"name":"d"}\n')
  await runWorker(config(), { once: true })
  const idsIn = async (name: string) =>
    (await readTable(join(folder, name))).rows.map(([id]) => Number(id)).sort((a, b) => a - b)
  expect(await idsIn('all')).toEqual([1, 2, 3, 4])
  expect(await idsIn('ids')).toEqual([1, 2, 4, 10, 20, 40])
})

it('a clean stop commits what is held, and acknowledges it', async () => {
  const stop = new AbortController()
  const config = configOf({ source: { type: 'generator', path: undefined, recordsPerSec: 2000, batchRecords: 100 } })
  setTimeout(() => stop.abort(), 1500)
  const { destinations } = await runWorker(config, { signal: stop.signal })
  const { rows, snapshot } = await readTable(table())
  expect(rows.length).toBeGreaterThan(0)
  expect(destinations[0]).toMatchObject({ rows: rows.length, commits: 1 })
  expect(snapshot.transactions.get('w/lake/s/0')?.version).toBe(BigInt(rows.length))
})
