import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { bindExpression, bindPredicate, parseExpression } from '../../../expressions/index.ts'
import { encodePath, type TableLayout } from '../../../kernel/index.ts'
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
  rowToJson,
  type StructType,
  stringType,
  structType,
  timestampNtzType,
  timestampType,
} from '../../../schema/index.ts'
import { localStore } from '../../../storage/fs/index.ts'
import { encodeUtf8 } from '../../../support/index.ts'
import type { RejectedRecord, TextSource, WritePlan } from '../../index.ts'
import { RecordFault, readJsonRecord } from '../../index.ts'
import { duckdbEngine } from '../engine.ts'
import { JsonScanner } from './json-scanner.ts'

const engine = duckdbEngine({ threads: 2, memoryLimit: '500MB' })
const root = mkdtempSync(join(tmpdir(), 'text-'))
afterAll(async () => {
  await engine.close()
  rmSync(root, { recursive: true })
})

interface Taken {
  rows: string[]
  rejected: RejectedRecord[]
  numRows: number
  numFiltered: number
  /** texts of the partition values of each file, `null` without quotes */
  partitions: string[]
}

async function take(
  schema: StructType,
  text: string | Uint8Array | readonly (string | Uint8Array)[],
  rest: Partial<TextSource> & { layout?: Partial<TableLayout>; plan?: Partial<WritePlan> } = {},
): Promise<Taken> {
  const { layout, plan: planRest, ...source } = rest
  const rejected: RejectedRecord[] = []
  const chunks = Array.isArray(text) ? (text as readonly (string | Uint8Array)[]) : [text as string | Uint8Array]
  const plan: WritePlan = {
    store: localStore(root),
    layout: { schema, partitionColumns: [], columnMapping: 'none', ...layout },
    compression: 'zstd',
    targetFileSize: 128 * 1024 * 1024,
    statistics: { kind: 'first', limit: 32, stringPrefixLength: 32 },
    ...planRest,
  }
  const result = await engine.write(
    {
      kind: 'text',
      format: 'ndjson',
      schema,
      chunks: (async function* () {
        for (const chunk of chunks) yield typeof chunk === 'string' ? encodeUtf8(chunk) : chunk
      })(),
      onReject: (records) => rejected.push(...records),
      ...source,
    },
    plan,
  )
  const rows: string[] = []
  const columns = plan.layout.schema.fields.map((_, i) => i)
  const files = result.files.map((file) => ({ ...file, path: encodePath(file.key), dataChange: true }))
  for await (const batch of engine.scan({ store: plan.store, layout: plan.layout, files, columns })) {
    const values = columns.map((i) => batch.column(i))
    for (let i = 0; i < batch.numRows; i++)
      rows.push(
        rowToJson(
          values.map((c) => c[i]!),
          plan.layout.schema,
        ),
      )
  }
  expect(result.numRejected).toBe(rejected.length)
  const partitions = result.files.map(({ partitionValues }) => [...partitionValues.values()].map(String).join('/'))
  return { rows, rejected, numRows: result.numRows, numFiltered: result.numFiltered, partitions }
}

const one = (type: Parameters<typeof field>[1], nullable = true) => structType([field('a', type, nullable)])

describe('what DuckDB would take in silently', () => {
  const refused: [string, Parameters<typeof field>[1], string][] = [
    ['a fraction for an integer', longType, '1.5'],
    ['true for an integer', integerType, 'true'],
    ['a text for an integer', integerType, '"12"'],
    ['true for a text', stringType, 'true'],
    ['a number for a text', stringType, '1.50'],
    ['an object for a text', stringType, '{"b":1}'],
    ['1 for a boolean', booleanType, '1'],
    ['a text for a boolean', booleanType, '"true"'],
    ['an integer beyond the type', byteType, '300'],
    ['an integer beyond 64 bits', longType, '9223372036854775808'],
    ['more digits than a decimal has', decimalType(5, 2), '1.239'],
    ['more digits than a decimal has, as text', decimalType(5, 2), '"1.239"'],
    ['a decimal beyond its precision', decimalType(5, 2), '1234.5'],
    ['a double beyond the type', doubleType, '1e400'],
    ['a float beyond the type', floatType, '1e39'],
    ['a time for a date', dateType, '"2024-01-05 10:00"'],
    ['a day that does not exist', dateType, '"2023-02-29"'],
    ['an offset for a wall clock', timestampNtzType, '"2024-01-05T10:00:00+02:00"'],
    ['more than microseconds', timestampType, '"2024-01-05T10:00:00.1234567Z"'],
    ['a number for a time', timestampType, '1700000000'],
    ['a year beyond four digits', timestampType, '"12024-01-05T10:00:00Z"'],
    ['half a surrogate pair', stringType, '"\\ud83d"'],
    ['text that is not base64', binaryType, '"\\\\x41"'],
    ['a mixed list', arrayType(longType), '[1,"x",3.7]'],
    ['a list for a struct', one(integerType), '[1]'],
    ['a key twice in a map', mapType(stringType, integerType), '{"x":1,"x":2}'],
    ['NaN bare', doubleType, 'NaN'],
  ]
  test.each(refused)('%s is rejected, with its text, its place and the column', async (_, type, json) => {
    const bad = `{"a":${json}}`
    const { rows, rejected } = await take(one(type), `{"a":null}\n${bad}\n{}\n`)
    expect(rows).toEqual(['{"a":null}', '{"a":null}'])
    expect(rejected).toEqual([{ text: bad, index: 1, reason: expect.stringMatching(/column a|not JSON/) }])
  })

  test.each([
    ['the same column twice', '{"a":1,"a":2}'],
    ['a second record on the line', '{"a":1} {"a":2}'],
    ['text behind the record', '{"a":1}x'],
    ['a comma too many', '{"a":1,}'],
    ['no object', '5'],
    ['null', 'null'],
    ['an open record', '{"a":1'],
    ['a comment', '{"a":1 /*c*/}'],
    ['single quotes', "{'a':1}"],
    ['a control character in a text', '{"b":"\u0001"}'],
    ['a number with a leading zero', '{"a":01}'],
  ])('%s is rejected', async (_, line) => {
    const { rows, rejected } = await take(one(longType), `{"a":1}\n${line}\n{"a":2}\n`)
    expect(rows).toEqual(['{"a":1}', '{"a":2}'])
    expect(rejected.map(({ text, index }) => [text, index])).toEqual([[line, 1]])
  })

  test('bytes that are not UTF-8 are rejected and the records around them stay', async () => {
    const bytes = Uint8Array.from([...encodeUtf8('{"a":"x"}\n{"a":"'), 0xff, 0xfe, ...encodeUtf8('"}\n{"a":"é"}\n')])
    const { rows, rejected } = await take(one(stringType), bytes)
    expect(rows).toEqual(['{"a":"x"}', '{"a":"é"}'])
    expect(rejected).toMatchObject([{ index: 1, reason: 'the record is not UTF-8' }])
  })
})

describe('what is one value whatever its spelling', () => {
  const taken: [Parameters<typeof field>[1], string, string][] = [
    [longType, '-9223372036854775808', '-9223372036854775808'],
    [longType, '9007199254740993', '9007199254740993'],
    [longType, '"9007199254740993"', '9007199254740993'],
    [longType, '1e3', '1000'],
    [integerType, '1.0', '1'],
    [decimalType(38, 6), '123456789012345678.123456', '123456789012345678.123456'],
    [decimalType(38, 38), '"0.12345678901234567890123456789012345678"', '0.12345678901234567890123456789012345678'],
    [decimalType(10, 2), '1.5', '1.50'],
    [decimalType(10, 2), '-0.01', '-0.01'],
    [doubleType, '-0.0', '-0.0'],
    [doubleType, '-0', '-0.0'],
    [doubleType, '"NaN"', '"NaN"'],
    [doubleType, '"-Infinity"', '"-Infinity"'],
    [doubleType, '5e-324', '5e-324'],
    [floatType, '0.1', '0.1'],
    [stringType, '"\\u0000\\"\\\\\\/\\n🌼"', '"\\u0000\\"\\\\/\\n🌼"'],
    [binaryType, '"AP8="', '"AP8="'],
    [dateType, '"0001-01-01"', '"0001-01-01"'],
    [dateType, '"2024-02-29"', '"2024-02-29"'],
    [timestampType, '"9999-12-31T23:59:59.999999Z"', '"9999-12-31T23:59:59.999999Z"'],
    [timestampType, '"2024-01-05 10:00:00+02:00"', '"2024-01-05T08:00:00Z"'],
    [timestampType, '"2024-01-05T10:00:00"', '"2024-01-05T10:00:00Z"'],
    [timestampNtzType, '"2024-01-05T10:00:00.5"', '"2024-01-05T10:00:00.5"'],
    [
      mapType(stringType, decimalType(4, 1)),
      '{"k":1.5,"l":null}',
      '[{"key":"k","value":1.5},{"key":"l","value":null}]',
    ],
    [mapType(integerType, binaryType), '[{"key":7,"value":"AA=="}]', '[{"key":7,"value":"AA=="}]'],
    [structType([field('x', binaryType), field('y', longType)]), '{"y":1,"z":[]}', '{"x":null,"y":1}'],
  ]
  test.each(taken)('%j from %s', async (type, json, expected) => {
    const { rows, rejected } = await take(one(type), `{"a":${json}}`)
    expect(rejected).toEqual([])
    expect(rows).toEqual([`{"a":${expected}}`])
  })
})

describe('records', () => {
  test('blank lines, carriage returns, a byte order mark and a missing last newline are no records', async () => {
    const { rows, rejected } = await take(one(longType), ['\ufeff{"a":1}\r\n\n  \n{"a":2}\n', '{"a":3}'])
    expect([rows, rejected]).toEqual([['{"a":1}', '{"a":2}', '{"a":3}'], []])
  })

  test('members are found by exact spelling, then without regard to case; others are passed over', async () => {
    const schema = structType([field('a', longType), field('a b', longType), field('é"', stringType)])
    const { rows } = await take(schema, '{"A":1,"a b":2,"é\\"":"x","other":{"a":[{}]}}\n{"\\u0061":5}\n')
    expect(rows).toEqual(['{"a":1,"a b":2,"é\\"":"x"}', '{"a":5,"a b":null,"é\\"":null}'])
  })

  test('null where the record type has none is rejected', async () => {
    const { rows, rejected } = await take(one(longType, false), '{"a":1}\n{}\n{"a":null}\n', {
      layout: { schema: one(longType) },
    })
    expect(rows).toEqual(['{"a":1}'])
    expect(rejected.map(({ index, reason }) => [index, reason])).toEqual([
      [1, 'the column a is NOT NULL, and null is there'],
      [2, 'the column a is NOT NULL, and null is there'],
    ])
  })

  test('partitioned text keeps every record, and no spool file stays', async () => {
    const schema = structType([field('p', stringType), field('v', longType)])
    const lines = Array.from({ length: 5000 }, (_, i) => `{"p":"${i % 3}","v":${i}}`)
    const { rows, numRows } = await take(
      schema,
      lines.map((line) => `${line}\n`),
      { layout: { partitionColumns: ['p'] } },
    )
    expect(numRows).toBe(5000)
    expect(new Set(rows)).toEqual(new Set(lines))
    const spools = readdirSync('/dev/shm', { recursive: true }).filter((name) =>
      String(name).includes(`-${process.pid}-`),
    )
    expect(spools.filter((name) => String(name).endsWith('.ndjson'))).toEqual([])
  })

  test.each<[what: string, type: Parameters<typeof field>[1], values: (string | undefined)[], partitions: string[]]>([
    ['one spelling', stringType, ['"x"', '"x"', '"x"'], ['x']],
    ['null in all', stringType, ['null', 'null'], ['null']],
    ['a value that changes', stringType, ['"x"', '"x"', '"y"', '"x"'], ['x', 'y']],
    ['a value that begins like the one before', stringType, ['"x"', '"xy"'], ['x', 'xy']],
    ['a member that is not there', stringType, ['"x"', undefined], ['x', 'null']],
    ['null behind a value', longType, ['1', 'null'], ['1', 'null']],
    ['an unusual spelling of the same', stringType, ['"x"', '"\\u0078"'], ['x']],
    ['an unusual spelling of another', stringType, ['"x"', '"\\u0079"'], ['x', 'y']],
    ['two spellings of a number', doubleType, ['1', '1.0'], ['1.0']],
    ['both zeros', doubleType, ['0.0', '-0.0', '0.0'], ['0.0', '-0.0']],
    ['decimals', decimalType(9, 2), ['1.5', '2.5', '1.50'], ['1.50', '2.50']],
    [
      'times',
      timestampType,
      ['"2024-01-01T00:00:00Z"', '"2024-01-01T00:00:00.000001Z"', 'null'],
      ['2024-01-01T00:00:00.000000Z', '2024-01-01T00:00:00.000001Z', 'null'],
    ],
    [
      'many values',
      integerType,
      Array.from({ length: 40 }, (_, i) => String((i * 7) % 20)),
      Array.from({ length: 20 }, (_, i) => String(i)),
    ],
  ])('a file for each partition, rows in order: %s', async (_, type, values, partitions) => {
    const schema = structType([field('p', type), field('v', longType)])
    const lines = values.map((value, i) => (value === undefined ? `{"v":${i}}\n` : `{"p":${value},"v":${i}}\n`))
    const expected = lines.map((line) => rowToJson(readJsonRecord(line, schema), schema))
    for (const chunks of [lines, [lines.join('')], [...lines, ...lines]]) {
      const taken = await take(schema, chunks, { layout: { partitionColumns: ['p'] } })
      expect(taken.partitions.toSorted()).toEqual(partitions.toSorted())
      expect(taken.rows.toSorted()).toEqual(
        (chunks.length > lines.length ? [...expected, ...expected] : expected).toSorted(),
      )
    }
    const { rows } = await take(schema, lines, { layout: { partitionColumns: ['p'] } })
    const places = new Map<string, number>()
    for (const row of rows) {
      const { p = null, v } = JSON.parse(row) as { p?: unknown; v: number }
      const key = Object.is(p, -0) ? '-0' : String(p)
      expect(v).toBeGreaterThan(places.get(key) ?? -1)
      places.set(key, v)
    }
  })

  test('a partition that ends makes its file, and those that come back make no more than one further', async () => {
    const schema = structType([field('p', stringType), field('v', longType), field('s', stringType)])
    const filler = 'x'.repeat(1000)
    const stretch = (p: string, first: number) =>
      Array.from({ length: 1100 }, (_, i) => `{"p":"${p}","v":${first + i},"s":"${filler}"}\n`).join('')
    const layout = { partitionColumns: ['p'] }
    const ordered = await take(schema, ['a', 'b', 'c'].map((p, i) => stretch(p, i * 10_000)).join(''), { layout })
    expect([ordered.partitions, ordered.numRows]).toEqual([['a', 'b', 'c'], 3300])
    const returning = await take(
      schema,
      [...'ababab'].map((p, i) => stretch(p, i * 10_000)),
      { layout },
    )
    expect([returning.partitions.toSorted(), returning.numRows]).toEqual([['a', 'a', 'b'], 6600])
    const bad = '{"p":"b","v":"no"}\n'
    const unusual = '{"p":"b","v":5.0}\n'
    const { partitions, rejected, numRows } = await take(
      schema,
      [stretch('a', 0), bad, unusual, stretch('b', 0), bad, stretch('c', 0), bad].join(''),
      { layout },
    )
    expect([partitions.toSorted(), numRows]).toEqual([['a', 'b', 'c'], 3301])
    expect(rejected.map(({ index }) => index)).toEqual([1100, 2202, 3303])
  })

  test('records of one partition that a filter leaves out make no file', async () => {
    const schema = structType([field('p', stringType), field('v', longType)])
    const { partitions, numFiltered } = await take(schema, '{"p":"x","v":1}\n{"p":"x","v":2}\n', {
      layout: { partitionColumns: ['p'] },
      filter: bindPredicate('v > 2', schema),
    })
    expect({ partitions, numFiltered }).toEqual({ partitions: [], numFiltered: 2 })
  })

  test('a partition column that is computed is told apart though its record column is the same', async () => {
    const schema = structType([field('p', stringType), field('v', longType)])
    const bound = (text: string) => bindExpression(parseExpression(text), schema)
    const { partitions } = await take(schema, '{"p":"x","v":1}\n{"p":"x","v":2}\n', {
      select: [
        { name: 'p', expression: bound('concat(p, cast(v as string))') },
        { name: 'v', expression: bound('v') },
      ],
      layout: { partitionColumns: ['p'] },
    })
    expect(partitions).toEqual(['x1', 'x2'])
  })

  test('a filter and computed columns run in the engine; a record they fail on is rejected alone', async () => {
    const schema = structType([field('i', integerType), field('s', stringType)])
    const bound = (text: string) => bindExpression(parseExpression(text), schema)
    for (const format of ['ndjson', 'csv'] as const) {
      const text = {
        ndjson: '{"i":1,"s":"4"}\n{"s":"b"}\n{"i":0,"s":"5"}\n{"i":3,"s":"x"}\n{"i":5,"s":"10"}\n',
        csv: '1,4\n,b\n0,5\n3,x\n5,10\n',
      }[format]
      const { rows, rejected, numFiltered } = await take(schema, text, {
        format,
        filter: bindPredicate('i IS NOT NULL', schema),
        select: [{ name: 't', expression: bound('cast(s as bigint) div i') }],
        layout: { schema: structType([field('t', longType)]) },
      })
      expect([rows, numFiltered]).toEqual([['{"t":4}', '{"t":2}'], 1])
      expect(rejected.map(({ index, reason }) => [index, /zero|x/.test(reason)])).toEqual([
        [2, true],
        [3, true],
      ])
    }
  })

  test('CSV fields are exact too', async () => {
    const schema = structType([field('d', decimalType(38, 6)), field('s', stringType), field('i', longType)])
    const { rows, rejected } = await take(
      schema,
      '123456789012345678.123456,"a,""b""\nc",1\r\n,,\n1,x\n1.5,"",1.5\n2,5" pipe,3\n3,"open,4\n4,x,5\n',
      {
        format: 'csv',
        csv: { header: false, delimiter: ',' },
      },
    )
    expect(rows).toEqual([
      '{"d":123456789012345678.123456,"s":"a,\\"b\\"\\nc","i":1}',
      '{"d":null,"s":null,"i":null}',
      '{"d":2.000000,"s":"5\\" pipe","i":3}',
      '{"d":4.000000,"s":"x","i":5}',
    ])
    expect(rejected.map(({ text, index }) => [text, index])).toEqual([
      ['1,x', 2],
      ['1.5,"",1.5', 3],
      ['3,"open,4', 5],
    ])
  })
})

test('the scanner vouches only for what the exact reader reads, and DuckDB reads that the same', async () => {
  const schema = structType([
    field('l', longType),
    field('d', decimalType(12, 3)),
    field('f', doubleType),
    field('s', stringType),
    field('t', timestampType),
    field('n', structType([field('x', arrayType(integerType)), field('b', booleanType)])),
  ])
  const scalar = fc.oneof(
    fc.constantFrom(
      'null',
      'true',
      '1.5',
      '-0',
      '1e3',
      '"x"',
      '"\\u00e9"',
      '"2024-02-28T01:02:03Z"',
      '[1,2]',
      '{}',
      '{"b":true}',
      '{"x":[1,null],"b":false}',
      '01',
      '',
      '-',
      '1.',
      '"a',
    ),
    fc.maxSafeInteger().map(String),
    fc.double({ noDefaultInfinity: true, noNaN: true }).map(String),
    fc.integer({ min: -999_999_999, max: 999_999_999 }).map((n) => (n / 1000).toFixed(3)),
    fc.string({ unit: 'binary' }).map((text) => JSON.stringify(text)),
  )
  const numbers = fc.integer({ min: -999_999_999, max: 999_999_999 })
  const usual: Readonly<Record<string, fc.Arbitrary<string>>> = {
    l: fc.maxSafeInteger().map(String),
    d: numbers.map((n) => (n / 1000).toFixed(3)),
    f: fc.double({ noDefaultInfinity: true, noNaN: true }).map(String),
    s: fc.oneof(
      fc.string({ unit: 'binary' }).map((text) => JSON.stringify(text)),
      fc.constantFrom('"\\ud83d\\ude00"', '"\\u00e9\\/\\b"', '"\\u20aC\\u0001"', '"\\u0000"', '"\\ud83d"', '"\\x"'),
    ),
    t: fc.date({ noInvalidDate: true }).map((date) => JSON.stringify(date)),
    n: fc.constantFrom('null', '{"x":[1,null],"b":false}', '{"x":[],"b":null}', '{"x":[-7,8,9],"b":true}'),
    other: fc.constantFrom('1', '"x"', 'null'),
    L: numbers.map(String),
  }
  const names = fc.constantFrom('l', 'd', 'f', 's', 't', 'n', 'other', 'L')
  const line = fc
    .array(fc.tuple(names, scalar), { maxLength: 6 })
    .map((members) => `{${members.map(([name, value]) => `"${name}":${value}`).join(', ')}}`)
  // lines of one layout, which go another way than lines each of its own
  const alike = fc.uniqueArray(names, { maxLength: 5 }).chain((own) => {
    const row = fc.tuple(...own.map((name) => fc.oneof(usual[name]!, scalar)))
    return fc
      .array(row, { maxLength: 12 })
      .map((rows) => rows.map((row) => `{${row.map((value, i) => `"${own[i]}":${value}`).join(',')}}`))
  })
  const scanner = new JsonScanner(schema)
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(alike, fc.array(line, { maxLength: 10 })), { maxLength: 5 }), async (blocks) => {
      const lines = blocks.flat()
      const expected: string[] = []
      for (const text of lines) {
        const bytes = encodeUtf8(text)
        const plain = scanner.plainLineEnd(bytes, 0) >= 0
        try {
          expected.push(rowToJson(readJsonRecord(text, schema), schema))
        } catch (error) {
          expect(error).toBeInstanceOf(RecordFault)
          expect(plain, text).toBe(false)
        }
      }
      const { rows, rejected } = await take(schema, lines.map((text) => `${text}\n`).join(''))
      expect(rows).toEqual(expected)
      expect(rejected.length).toBe(lines.length - expected.length)
    }),
    { numRuns: 60 },
  )
})
