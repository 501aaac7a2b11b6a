/** Cases about what is written: values of every type, partitions, statistics, refusals. */
import {
  arrayType,
  binaryType,
  booleanType,
  byteType,
  dateType,
  decimalType,
  doubleType,
  field,
  floatType,
  integerType,
  longType,
  mapType,
  type Row,
  shortType,
  stringType,
  structType,
  timestampNtzType,
  timestampType,
  Variant,
  variantType,
} from '../../schema/index.ts'
import { Decimal } from '../../support/index.ts'
import {
  addOf,
  type Check,
  equal,
  expectRoundTrip,
  keysOf,
  layoutOf,
  pages,
  planOf,
  rejects,
  scanPlan,
  scanTexts,
  writeRows,
} from './ground.ts'

const flat = layoutOf([
  field('i8', byteType),
  field('i16', shortType),
  field('i32', integerType),
  field('i64', longType),
  field('f32', floatType),
  field('f64', doubleType),
  field('d9', decimalType(9, 2)),
  field('d18', decimalType(18, 0)),
  field('d38', decimalType(38, 38)),
  field('flag', booleanType),
  field('text', stringType),
  field('bytes', binaryType),
  field('day', dateType),
  field('at', timestampType),
  field('wall', timestampNtzType),
])

const YEAR_1 = -62_135_596_800_000_000n
const YEAR_9999 = 253_402_300_799_999_999n
const MAX_38 = 10n ** 38n - 1n

const flatRows: readonly Row[] = [
  [
    -128,
    -32_768,
    -2_147_483_648,
    -(2n ** 63n),
    Math.fround(-3.4028234663852886e38),
    -Number.MAX_VALUE,
    new Decimal(-999_999_999n, 2),
    new Decimal(-(10n ** 18n - 1n), 0),
    new Decimal(-MAX_38, 38),
    false,
    '',
    new Uint8Array(0),
    -719_162,
    YEAR_1,
    YEAR_1,
  ],
  [
    127,
    32_767,
    2_147_483_647,
    2n ** 63n - 1n,
    Math.fround(1.401298464324817e-45),
    5e-324,
    new Decimal(999_999_999n, 2),
    new Decimal(10n ** 18n - 1n, 0),
    new Decimal(MAX_38, 38),
    true,
    'é\u{1f33c}\uffff"\n\0',
    new Uint8Array([0, 255, 128]),
    2_932_896,
    YEAR_9999,
    YEAR_9999,
  ],
  [
    0,
    0,
    0,
    9_007_199_254_740_993n,
    Number.NaN,
    Number.NaN,
    new Decimal(0n, 2),
    new Decimal(1n, 0),
    new Decimal(1n, 38),
    null,
    null,
    null,
    -141_428,
    -12_219_292_800_000_001n,
    -1n,
  ],
  [null, null, null, null, -0, -0, null, null, null, null, null, null, null, null, null],
  [1, 1, 1, 1n, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, null, null, null, null, null, null, 0, 0n, 0n],
]

const pair = structType([field('x', integerType), field('y', stringType)])
const nested = layoutOf([
  field('id', integerType),
  field('s', structType([field('inner', pair), field('n', longType)])),
  field('list', arrayType(arrayType(integerType))),
  field('pairs', arrayType(pair)),
  field('map', mapType(stringType, arrayType(pair))),
])

const nestedRows: readonly Row[] = [
  [1, null, null, null, null],
  [2, [null, null], [], [], []],
  [
    3,
    [[null, null], 5n],
    [null, [], [null], [1, null, 2]],
    [null, [null, null], [1, 'a']],
    [{ key: 'k', value: null }],
  ],
  [
    4,
    [[1, ''], 2n ** 62n],
    [[1], [2, 3]],
    [[1, 'a']],
    [
      { key: '', value: [] },
      { key: '__proto__', value: [null, [1, 'b'], [null, null]] },
    ],
  ],
]

/** `{"c":7}`, beside the names a and b. */
const VARIANT_OBJECT = new Variant(
  Uint8Array.of(0x01, 3, 0, 1, 2, 3, 0x61, 0x62, 0x63),
  Uint8Array.of(0x02, 1, 2, 0, 2, 0x0c, 7),
)
const VARIANT_NULL = new Variant(Uint8Array.of(0x01, 0, 0), Uint8Array.of(0))

/** Values that break naive directory names, URI encodings or keys of objects. */
const HARD_TEXTS = [
  'a/b',
  'a%2Fb',
  '..',
  '.',
  'x=y',
  'a:b',
  "it's",
  '"q"',
  'new\nline',
  ' lead and trail ',
  '日本',
  '😀',
  '#?&+',
  '__HIVE_DEFAULT_PARTITION__',
  '__proto__',
  '*[a]',
  '\\',
  '{}<>|^`',
  '\u007f',
]

export const contractWrites: readonly Check[] = [
  ['every type keeps its extremes, nulls, NaN and -0.0', (subject) => expectRoundTrip(subject, flat, flatRows)],
  ['nested values keep nulls and emptiness at every level', (subject) => expectRoundTrip(subject, nested, nestedRows)],
  [
    'variants keep SQL null apart from a variant null, at the top and inside',
    async (subject) => {
      const layout = layoutOf([
        field('id', integerType),
        field('v', variantType),
        field('s', structType([field('v', variantType)])),
        field('list', arrayType(variantType)),
      ])
      await expectRoundTrip(subject, layout, [
        [1, VARIANT_OBJECT, [VARIANT_NULL], [VARIANT_OBJECT, null, VARIANT_NULL]],
        [2, VARIANT_NULL, [null], []],
        [3, null, null, null],
      ])
    },
  ],
  [
    'partition values of any text come back, null apart from the text of its directory',
    async (subject) => {
      const layout = layoutOf([field('p', stringType), field('n', integerType)], { partitionColumns: ['p'] })
      const rows = [...HARD_TEXTS, null].map((text, i): Row => [text, i])
      await expectRoundTrip(subject, layout, rows)
    },
  ],
  [
    'partition values of every type come back, and each value has a file of its own',
    async (subject) => {
      const partitionColumns = ['i64', 'f64', 'd9', 'flag', 'day', 'at', 'wall']
      const layout = layoutOf([...flat.schema.fields, field('id', integerType)], { partitionColumns })
      const rows = flatRows.map((row, i): Row => [...row, i])
      await expectRoundTrip(subject, layout, rows)
    },
  ],
  [
    'partition values stand in the result as the log has them',
    async (subject) => {
      const layout = layoutOf([field('n', integerType), field('a', dateType), field('b', stringType)], {
        partitionColumns: ['b', 'a'],
      })
      const { files } = await writeRows(subject, layout, [
        [1, 0, 'x y'],
        [2, null, ''],
        [3, 0, 'x y'],
      ])
      const values = files.map((file) => [...file.partitionValues].sort().join(' ')).sort()
      equal(values, ['a, b,', 'a,1970-01-01 b,x y'], 'partition values')
      const counts = files.map((file) => file.numRecords).sort()
      equal(counts, [1, 2], 'records of the files')
    },
  ],
  [
    'the size of a written file is that of its object, and its name is fresh',
    async (subject) => {
      const layout = layoutOf([field('n', integerType)])
      const first = await writeRows(subject, layout, [[1]])
      const second = await writeRows(subject, layout, [[1]])
      const files = [...first.files, ...second.files]
      equal(files.length, 2, 'files')
      for (const file of files) equal((await subject.store.head(file.key)).size, file.size, 'size')
      equal(new Set(files.map((file) => file.key)).size, 2, 'different names')
    },
  ],
  [
    'zero rows give no file',
    async (subject) => {
      const result = await writeRows(subject, flat, [])
      equal(result, { files: [], numRows: 0, numFiltered: 0, numRejected: 0 }, 'the result')
      equal(await keysOf(subject.store), [], 'objects in the store')
    },
  ],
  [
    'statistics have one text: bounds, null counts, names in schema order',
    async (subject) => {
      const layout = layoutOf([
        field('id', longType),
        field('day', dateType),
        field('at', timestampType),
        field('price', decimalType(10, 2)),
        field('ratio', doubleType),
        field('name', stringType),
        field('s', structType([field('x', integerType), field('flag', booleanType)])),
        field('empty', integerType),
      ])
      const { files } = await writeRows(
        subject,
        layout,
        [
          [9_007_199_254_740_993n, 0, 1_500n, new Decimal(1050n, 2), 0, 'b', [3, true], null],
          [-1n, -1, -1n, new Decimal(-5n, 2), 1.5, 'é', null, null],
          [7n, null, null, null, null, null, [null, null], null],
        ],
        { tightBounds: true },
      )
      equal(
        files.map((file) => file.stats),
        [
          '{"numRecords":3,"minValues":{"id":-1,"day":"1969-12-31","at":"1969-12-31T23:59:59.999Z","price":-0.05,' +
            '"ratio":-0.0,"name":"b","s":{"x":3}},"maxValues":{"id":9007199254740993,"day":"1970-01-01",' +
            '"at":"1970-01-01T00:00:00.002Z","price":10.50,"ratio":1.5,"name":"é","s":{"x":3}},' +
            '"nullCount":{"id":0,"day":1,"at":1,"price":1,"ratio":1,"name":1,"s":{"x":2,"flag":2},"empty":3},' +
            '"tightBounds":true}',
        ],
        'statistics',
      )
    },
  ],
  [
    'statistics count null lists, maps, variants and binaries, and cut long texts to outer bounds',
    async (subject) => {
      const layout = layoutOf([
        field('text', stringType),
        field('list', arrayType(integerType)),
        field('map', mapType(stringType, integerType)),
        field('v', variantType),
        field('bytes', binaryType),
        field('wall', timestampNtzType),
        field('f', floatType),
      ])
      const { files } = await writeRows(subject, layout, [
        [`${'a'.repeat(40)}`, [null, 1], [{ key: 'k', value: null }], VARIANT_NULL, new Uint8Array(1), 1n, 0.1],
        ['b', null, null, null, null, null, Number.POSITIVE_INFINITY],
        [null, [], [], VARIANT_OBJECT, null, null, null],
      ])
      equal(
        files.map((file) => file.stats),
        [
          `{"numRecords":3,"minValues":{"text":"${'a'.repeat(32)}","wall":"1970-01-01T00:00:00.000","f":0.1},` +
            '"maxValues":{"text":"b","wall":"1970-01-01T00:00:00.001"},' +
            '"nullCount":{"text":1,"list":1,"map":1,"v":1,"bytes":2,"wall":2,"f":1}}',
        ],
        'statistics',
      )
    },
  ],
  [
    'UP-39: a column that holds NaN has no bounds',
    async (subject) => {
      const layout = layoutOf([field('x', doubleType)])
      const { files } = await writeRows(subject, layout, [[1.5], [Number.NaN]])
      equal(files[0]!.stats, '{"numRecords":2,"minValues":{},"maxValues":{},"nullCount":{"x":0}}', 'statistics')
    },
  ],
  [
    'statistics are kept for the columns asked for, partition columns never',
    async (subject) => {
      const layout = layoutOf([field('p', integerType), field('a', integerType), field('b', integerType)], {
        partitionColumns: ['p'],
      })
      const statistics = { kind: 'first', limit: 1, stringPrefixLength: 32 } as const
      const { files } = await writeRows(subject, layout, [[1, 2, 3]], { statistics })
      equal(
        files[0]!.stats,
        '{"numRecords":1,"minValues":{"a":2},"maxValues":{"a":2},"nullCount":{"a":0}}',
        'statistics',
      )
    },
  ],
  [
    'a null in a NOT NULL column fails the write and leaves no file',
    async (subject) => {
      const layout = layoutOf([field('id', integerType, false), field('p', stringType)], { partitionColumns: ['p'] })
      await rejects('DELTA_NOT_NULL_CONSTRAINT_VIOLATED', () =>
        writeRows(subject, layout, [
          [1, 'a'],
          [null, 'b'],
        ]),
      )
      equal(await keysOf(subject.store), [], 'objects in the store')
    },
  ],
  [
    'a null in a NOT NULL member fails the write, a null around it does not',
    async (subject) => {
      const layout = layoutOf([field('s', structType([field('x', integerType, false), field('y', integerType)]))])
      await expectRoundTrip(subject, layout, [[null], [[1, null]]])
      await rejects('DELTA_NOT_NULL_CONSTRAINT_VIOLATED', () => writeRows(subject, layout, [[[null, 1]]]))
    },
  ],
  [
    'narrower source types are widened into the columns',
    async (subject) => {
      const layout = layoutOf([field('n', longType), field('d', decimalType(10, 2)), field('missing', stringType)])
      const schema = structType([field('d', decimalType(5, 1)), field('n', integerType)])
      const rows: readonly Row[] = [[new Decimal(15n, 1), 7]]
      const source = { kind: 'rows', schema, rows: pages(rows) } as const
      const { files } = await subject.engine.write(source, planOf(subject.store, layout))
      const plan = scanPlan(
        subject,
        layout,
        files.map((file) => addOf(file)),
      )
      equal(await scanTexts(subject.engine, plan), ['{"n":7,"d":1.50,"missing":null}'], 'the row')
    },
  ],
  [
    'an aborted write is LAKE_CANCELLED and leaves no file',
    async (subject) => {
      const abort = new AbortController()
      abort.abort()
      const call = { signal: abort.signal }
      await rejects('LAKE_CANCELLED', () => writeRows(subject, layoutOf([field('n', integerType)]), [[1]], { call }))
      equal(await keysOf(subject.store), [], 'objects in the store')
    },
  ],
]
