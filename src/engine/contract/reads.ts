/** Cases about what is read: projection, filters, limits, old files, deletion vectors, what is missing. */
import { bindPredicate } from '../../expressions/index.ts'
import type { AddFile } from '../../kernel/index.ts'
import {
  arrayType,
  dateType,
  doubleType,
  field,
  integerType,
  longType,
  mapType,
  type Row,
  type StructField,
  stringType,
  structType,
  timestampNtzType,
} from '../../schema/index.ts'
import type { ScanPlan } from '../engine.ts'
import {
  addOf,
  type Check,
  type EngineSubject,
  equal,
  layoutOf,
  planOf,
  rejects,
  scanPlan,
  scanTexts,
  writeRows,
} from './ground.ts'

const people = layoutOf([field('id', integerType), field('name', stringType), field('p', integerType)], {
  partitionColumns: ['p'],
})

const peopleRows: readonly Row[] = [
  [1, 'ann', 10],
  [2, null, 10],
  [3, 'bob', 20],
  [4, 'cid', 20],
  [5, null, null],
]

/** A table of three files, in the order of the partitions 10, 20, null. */
async function writePeople(subject: EngineSubject): Promise<AddFile[]> {
  const { files } = await writeRows(subject, people, peopleRows)
  const rank = (text: string | null | undefined) => ['10', '20', null].indexOf(text ?? null)
  return files
    .map((file) => addOf(file))
    .sort((a, b) => rank(a.partitionValues.get('p')) - rank(b.partitionValues.get('p')))
}

async function readPeople(subject: EngineSubject, options: Partial<ScanPlan>): Promise<string[]> {
  return scanTexts(subject.engine, scanPlan(subject, people, await writePeople(subject), options))
}

/** Positions 3, 4, 7, 11, 18 and 29. Source: Delta protocol, "Deletion Vector Format". */
const DELETED_SIX = {
  storageType: 'i',
  pathOrInlineDv: 'wi5b=000010000siXQKl0rr91000f55c8Xg0@@D72lkbi5=-{L',
  sizeInBytes: 40,
  cardinality: 6,
} as const

/** Positions 0, 1, 4 and 5. */
const DELETED_FOUR = {
  storageType: 'i',
  pathOrInlineDv: '^Bg9^0rr910000000000iXQKl0rr91000935c8Xg000311onP9',
  sizeInBytes: 40,
  cardinality: 4,
} as const

function mapped(name: string, id: number, type: StructField['type'], physicalName = `col-${id}`): StructField {
  return field(name, type, true, { 'delta.columnMapping.id': id, 'delta.columnMapping.physicalName': physicalName })
}

export const contractReads: readonly Check[] = [
  [
    'char(n) is filled up with spaces at every depth, and in partition values',
    async (subject) => {
      const inner = structType([field('c', stringType), field('n', integerType)])
      const shape = structType([
        field('c', stringType),
        field('l', arrayType(inner)),
        field('m', mapType(stringType, stringType)),
      ])
      const plain = [field('p', stringType), field('s', shape)]
      const text = 'struct<c:char(3),l:array<struct<c:char(2),n:int>>,m:map<string,char(2)>>'
      const declared = (type: string) => ({ __CHAR_VARCHAR_TYPE_STRING: type })
      const rows: readonly Row[] = [
        ['x', ['a', [['\u{1f33c}', 1], null, [null, 2]], [{ key: 'k', value: 'v' }]]],
        ['x', ['abcd', [], []]],
        ['x', [null, null, null]],
        ['x', null],
      ]
      const { files } = await writeRows(subject, layoutOf(plain, { partitionColumns: ['p'] }), rows)
      const table = layoutOf(
        [field('p', stringType, true, declared('char(2)')), field('s', shape, true, declared(text))],
        { partitionColumns: ['p'] },
      )
      const adds = files.map((file) => addOf(file))
      equal(
        await scanTexts(subject.engine, scanPlan(subject, table, adds)),
        [
          '{"p":"x ","s":{"c":"a  ","l":[{"c":"\u{1f33c} ","n":1},null,{"c":null,"n":2}],"m":[{"key":"k","value":"v "}]}}',
          '{"p":"x ","s":{"c":"abcd","l":[],"m":[]}}',
          '{"p":"x ","s":{"c":null,"l":null,"m":null}}',
          '{"p":"x ","s":null}',
        ],
        'the rows',
      )
      const filter = bindPredicate("s.c = 'a  ' AND p = 'x '", table.schema)
      equal(await subject.engine.count(scanPlan(subject, table, adds, { columns: [], filter })), 1, 'the count')
    },
  ],
  [
    'rows come in file order and row order, columns in the order asked for',
    async (subject) => {
      const texts = await readPeople(subject, { columns: [2, 0] })
      equal(
        texts,
        ['{"p":10,"id":1}', '{"p":10,"id":2}', '{"p":20,"id":3}', '{"p":20,"id":4}', '{"p":null,"id":5}'],
        'the rows',
      )
    },
  ],
  [
    'zero columns give rows without columns',
    async (subject) => equal(await readPeople(subject, { columns: [] }), ['{}', '{}', '{}', '{}', '{}'], 'the rows'),
  ],
  [
    'zero files give no rows',
    async (subject) => {
      const plan = scanPlan(subject, people, [])
      equal(await scanTexts(subject.engine, plan), [], 'the rows')
      equal(await subject.engine.count(plan), 0, 'the count')
    },
  ],
  [
    'a filter keeps the rows for which it is TRUE, null is not',
    async (subject) => {
      const filter = bindPredicate("name <> 'ann'", people.schema)
      equal(await readPeople(subject, { columns: [0], filter }), ['{"id":3}', '{"id":4}'], 'the rows')
    },
  ],
  [
    'a filter reads columns that are not asked for, partition columns too',
    async (subject) => {
      const filter = bindPredicate('p = 20 OR name IS NULL AND id > 2', people.schema)
      equal(
        await readPeople(subject, { columns: [1], filter }),
        ['{"name":"bob"}', '{"name":"cid"}', '{"name":null}'],
        'the rows',
      )
    },
  ],
  [
    'a limit ends the rows, across files and behind a filter',
    async (subject) => {
      equal(await readPeople(subject, { columns: [0], limit: 3 }), ['{"id":1}', '{"id":2}', '{"id":3}'], 'the rows')
      equal(await readPeople(subject, { columns: [0], limit: 0 }), [], 'no rows')
      const filter = bindPredicate('id >= 2', people.schema)
      equal(await readPeople(subject, { columns: [0], filter, limit: 2 }), ['{"id":2}', '{"id":3}'], 'filtered rows')
    },
  ],
  [
    'count counts what the plan gives',
    async (subject) => {
      const files = await writePeople(subject)
      const count = (options: Partial<ScanPlan>) => subject.engine.count(scanPlan(subject, people, files, options))
      equal(await count({}), 5, 'all')
      equal(await count({ columns: [] }), 5, 'without columns')
      equal(await count({ limit: 2 }), 2, 'limited')
      equal(await count({ filter: bindPredicate('name IS NULL', people.schema) }), 2, 'filtered')
    },
  ],
  [
    'rows of a deletion vector are gone before filter and limit',
    async (subject) => {
      const layout = layoutOf([field('n', integerType)])
      const rows = Array.from({ length: 30 }, (_, i): Row => [i])
      const { files } = await writeRows(subject, layout, rows)
      const plan = scanPlan(subject, layout, [addOf(files[0]!, { deletionVector: DELETED_SIX })])
      const kept = rows.map(([n]) => n).filter((n) => ![3, 4, 7, 11, 18, 29].includes(n as number))
      equal(
        await scanTexts(subject.engine, plan),
        kept.map((n) => `{"n":${n}}`),
        'the rows',
      )
      equal(await subject.engine.count(plan), 24, 'the count')
      const filter = bindPredicate('n >= 3', layout.schema)
      equal(await scanTexts(subject.engine, { ...plan, filter, limit: 2 }), ['{"n":5}', '{"n":6}'], 'filtered rows')
    },
  ],
  [
    'of a file that another vector hides rows of, only those it hides and that live are given',
    async (subject) => {
      const layout = layoutOf([field('n', integerType)])
      const rows = Array.from({ length: 70 }, (_, i): Row => [i])
      const { files } = await writeRows(subject, layout, rows)
      const whole = addOf(files[0]!)
      const plan = scanPlan(subject, layout, [
        { ...whole, hiddenBy: DELETED_SIX },
        { ...whole, deletionVector: DELETED_FOUR },
        { ...whole, deletionVector: DELETED_FOUR, hiddenBy: DELETED_SIX },
        { ...whole, deletionVector: DELETED_SIX, hiddenBy: DELETED_FOUR },
      ])
      const live = rows.map(([n]) => Number(n)).filter((n) => ![0, 1, 4, 5].includes(n))
      const expected = [3, 4, 7, 11, 18, 29, ...live, 3, 7, 11, 18, 29, 0, 1, 5].map((n) => `{"n":${n}}`)
      equal(await scanTexts(subject.engine, plan), expected, 'the rows')
      equal(await subject.engine.count(plan), expected.length, 'the count')
      const filter = bindPredicate('n = 29 OR n = 5', layout.schema)
      const filtered = await scanTexts(subject.engine, { ...plan, filter, limit: 4 })
      equal(filtered, ['{"n":29}', '{"n":29}', '{"n":29}', '{"n":5}'], 'filtered rows')
    },
  ],
  [
    'a deletion vector that reaches beyond its file is an error',
    async (subject) => {
      const layout = layoutOf([field('n', integerType)])
      const { files } = await writeRows(subject, layout, [[1], [2]])
      const plan = scanPlan(subject, layout, [addOf(files[0]!, { deletionVector: DELETED_SIX })])
      await rejects('DELTA_DELETION_VECTOR_INVALID_ROW_INDEX', () => scanTexts(subject.engine, plan))
    },
  ],
  [
    'columns and members a file lacks are null, narrower ones are widened',
    async (subject) => {
      const old = layoutOf([
        field('n', integerType),
        field('day', dateType),
        field('s', structType([field('x', integerType)])),
        field('list', arrayType(structType([field('x', integerType)]))),
      ])
      const { files } = await writeRows(subject, old, [
        [1, 1, [2], [[3], null]],
        [null, null, null, null],
      ])
      const now = layoutOf([
        field('added', stringType),
        field('n', longType),
        field('day', timestampNtzType),
        field('s', structType([field('new', longType), field('x', doubleType)])),
        field('list', arrayType(structType([field('x', longType), field('y', stringType)]))),
      ])
      const texts = await scanTexts(
        subject.engine,
        scanPlan(
          subject,
          now,
          files.map((file) => addOf(file)),
        ),
      )
      equal(
        texts,
        [
          '{"added":null,"n":1,"day":"1970-01-02T00:00:00","s":{"new":null,"x":2},"list":[{"x":3,"y":null},null]}',
          '{"added":null,"n":null,"day":null,"s":null,"list":null}',
        ],
        'the rows',
      )
    },
  ],
  [
    'a struct of which a file has no member is told from a null struct',
    async (subject) => {
      const old = layoutOf([field('s', structType([field('x', integerType)]))])
      const { files } = await writeRows(subject, old, [[[1]], [null]])
      const now = layoutOf([field('s', structType([field('y', integerType)]))])
      const texts = await scanTexts(
        subject.engine,
        scanPlan(
          subject,
          now,
          files.map((file) => addOf(file)),
        ),
      )
      equal(texts, ['{"s":{"y":null}}', '{"s":null}'], 'the rows')
    },
  ],
  [
    'mapped columns are stored by physical name and read after a rename, by name and by id',
    async (subject) => {
      for (const columnMapping of ['name', 'id'] as const) {
        const fields = [
          mapped('id', 1, integerType),
          mapped('s', 2, structType([mapped('x', 3, integerType)])),
          mapped('p', 4, stringType),
        ]
        const layout = layoutOf(fields, { columnMapping, partitionColumns: ['p'] })
        const { files } = await writeRows(subject, layout, [[1, [2], 'a']])
        equal([...files[0]!.partitionValues], [['col-4', 'a']], 'partition values')
        equal(
          files[0]!.stats,
          '{"numRecords":1,"minValues":{"col-1":1,"col-2":{"col-3":2}},"maxValues":{"col-1":1,"col-2":{"col-3":2}},' +
            '"nullCount":{"col-1":0,"col-2":{"col-3":0}}}',
          'statistics',
        )
        const renamed = layoutOf(
          [
            mapped('part', 4, stringType),
            mapped('t', 2, structType([mapped('y', 3, integerType)])),
            mapped('new', 9, integerType),
          ],
          { columnMapping, partitionColumns: ['part'] },
        )
        const texts = await scanTexts(
          subject.engine,
          scanPlan(
            subject,
            renamed,
            files.map((file) => addOf(file)),
          ),
        )
        equal(texts, ['{"part":"a","t":{"y":2},"new":null}'], `the rows by ${columnMapping}`)
      }
    },
  ],
  [
    'columns may have any name',
    async (subject) => {
      const names = ['a b', 'a.b', '__proto__', 'constructor', 'file_row_number', 'ü"\'`', '1']
      const layout = layoutOf(
        names.map((name, i) => mapped(name, i + 1, integerType, name)),
        { columnMapping: 'name' },
      )
      const { files } = await writeRows(subject, layout, [names.map((_, i) => i)])
      const texts = await scanTexts(
        subject.engine,
        scanPlan(
          subject,
          layout,
          files.map((file) => addOf(file)),
        ),
      )
      equal(texts, [`{${names.map((name, i) => `${JSON.stringify(name)}:${i}`).join(',')}}`], 'the row')
    },
  ],
  [
    'rows of a scan are written into another layout',
    async (subject) => {
      const files = await writePeople(subject)
      const filter = bindPredicate('id > 2', people.schema)
      const target = layoutOf([field('name', stringType), field('id', longType)])
      const source = { kind: 'scan', plan: scanPlan(subject, people, files, { columns: [0, 1], filter }) } as const
      const result = await subject.engine.write(source, planOf(subject.store, target))
      equal([result.numRows, result.numRejected], [3, 0], 'counts')
      const texts = await scanTexts(
        subject.engine,
        scanPlan(
          subject,
          target,
          result.files.map((file) => addOf(file)),
        ),
      )
      equal(texts, ['{"name":"bob","id":3}', '{"name":"cid","id":4}', '{"name":null,"id":5}'], 'the rows')
    },
  ],
  [
    'a file that is gone is FAILED_READ_FILE.FILE_NOT_EXIST, one that is no Parquet FAILED_READ_FILE.NO_HINT',
    async (subject) => {
      const [first] = await writePeople(subject)
      const gone = scanPlan(subject, people, [{ ...first!, path: 'gone.parquet' }])
      await rejects('FAILED_READ_FILE.FILE_NOT_EXIST', () => scanTexts(subject.engine, gone))
      await subject.store.put('bad.parquet', new Uint8Array(first!.size).fill(7))
      const bad = scanPlan(subject, people, [{ ...first!, path: 'bad.parquet' }])
      await rejects('FAILED_READ_FILE.NO_HINT', () => scanTexts(subject.engine, bad))
      await rejects('FAILED_READ_FILE.FILE_NOT_EXIST', () => subject.engine.count(gone))
    },
  ],
  [
    'an aborted scan is LAKE_CANCELLED',
    async (subject) => {
      const plan = scanPlan(subject, people, await writePeople(subject))
      const abort = new AbortController()
      abort.abort()
      await rejects('LAKE_CANCELLED', () => scanTexts(subject.engine, plan, { signal: abort.signal }))
    },
  ],
]
