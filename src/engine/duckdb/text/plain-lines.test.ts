import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  arrayType,
  binaryType,
  booleanType,
  type DataType,
  dateType,
  decimalType,
  doubleType,
  field,
  integerType,
  longType,
  rowToJson,
  type StructType,
  stringType,
  structType,
  timestampNtzType,
  timestampType,
} from '../../../schema/index.ts'
import { decodeUtf8, encodeUtf8 } from '../../../support/index.ts'
import { RecordFault, readJsonRecord, UnknownFields } from '../../index.ts'
import { JsonScanner } from './json-scanner.ts'
import { linePattern } from './line-pattern.ts'
import { PlainLines } from './plain-lines.ts'

/** Line numbers taken as plain, and the keys where the lines before had another one. */
function walk(lines: PlainLines, text: string): { plain: number[]; keys: string[]; unknown: number } {
  const bytes = encodeUtf8(text)
  const plain: number[] = []
  const keys: string[] = []
  let line = 0
  let unknown = 0
  for (let at = 0; at < bytes.length; ) {
    at = lines.take(bytes, at)
    for (let i = 0; i < lines.records; i++) plain.push(line++)
    unknown += lines.unknown
    if (lines.nextKey !== undefined) {
      keys.push(lines.nextKey)
      lines.beginKey()
      continue
    }
    if (at >= bytes.length) break
    at = bytes.indexOf(0x0a, at) + 1 || bytes.length
    line++
  }
  return { plain, keys, unknown }
}

function scanned(schema: StructType, lines: readonly string[]): number[] {
  const scanner = new JsonScanner(schema)
  return lines.flatMap((line, i) => (scanner.plainLineEnd(encodeUtf8(`${line}\n`), 0) >= 0 ? [i] : []))
}

const latin = (text: string) => String.fromCharCode(...encodeUtf8(text))

const schema = structType([
  field('l', longType),
  field('d', decimalType(12, 3)),
  field('f', doubleType),
  field('s', stringType),
  field('t', timestampType),
  field('ntz', timestampNtzType),
  field('day', dateType),
  field('bin', binaryType),
  field('é', booleanType),
  field('n', structType([field('x', arrayType(integerType)), field('y', arrayType(arrayType(stringType)))])),
  field('all', arrayType(structType([field('a', longType, false), field('b', stringType)]), false)),
])

describe('the layout of a line', () => {
  const layouts: [what: string, example: string, taken: string[], others: string[]][] = [
    ['compact', '{"l":1,"s":"x"}', ['{"l":-20,"s":"a\\n\\u00e9é"}', '{"l":null,"s":null}'], ['{"l": 1,"s":"x"}']],
    ['with spaces', ' {"l": 1, "f" :1.5}\r', [' {"l": 7, "f" :0}\r'], ['{"l":1,"f":1.5}', ' {"l": 7, "f" :0}']],
    ['other members', '{"é":true,"q":"a","r":1}', ['{"é":false,"q":1.5,"r":null}'], ['{"é":false,"q":{},"r":1}']],
    [
      'lists',
      '{"n":{"x":[1, 2],"y":[]}}',
      ['{"n":{"x":[],"y":[["a"],[]]}}', '{"n":null}'],
      ['{"n":{"x":[1,2],"y":[]}}'],
    ],
    ['records in lists', '{"all":[{"b":"x","a":1}]}', ['{"all":[]}', '{"all":[{"b":null,"a":2}]}'], ['{"all":[null]}']],
    ['nothing', '{}', ['{}'], ['{ }', '{"l":1}']],
    [
      'times',
      '{"t":null,"ntz":"2024-01-05 10:00:00","day":null}',
      ['{"t":"2024-12-31T23:59:59.5-08:00","ntz":"2023-02-28T00:00:00.000001","day":"2024-01-31"}'],
      ['{"t":"2024-04-31T00:00:00Z","ntz":null,"day":null}', '{"t":null,"ntz":"2024-01-05T10:00:00Z","day":null}'],
    ],
  ]
  test.each(layouts)('%s', (_, example, taken, others) => {
    const root = new JsonScanner(schema).root
    const pattern = linePattern(root, latin(example), { fixed: new Set() })!.expression
    const matches = (line: string) => {
      pattern.lastIndex = 0
      return pattern.test(latin(`${line}\n`))
    }
    expect([example, ...taken, ...others].filter(matches)).toEqual([example, ...taken])
    expect(scanned(schema, [example, ...taken]).length).toBe(1 + taken.length)
  })

  test('an object that is no column has no layout, nor has a record of more text than is compiled', () => {
    const wide = structType(Array.from({ length: 800 }, (_, i) => field(`column${i}`, timestampType)))
    const line = `{${wide.fields.map(({ name }) => `"${name}":null`).join(',')}}`
    expect(linePattern(new JsonScanner(schema).root, '{"q":{}}', { fixed: new Set() })).toBeUndefined()
    expect(linePattern(new JsonScanner(wide).root, line, { fixed: new Set() })).toBeUndefined()
    expect(walk(new PlainLines(wide), `${line}\n${line}\n`).plain).toEqual([0, 1])
  })

  test('lists in lists do not grow the expression beyond bounds', () => {
    const deep = Array.from({ length: 40 }).reduce<DataType>((type) => arrayType(type), longType)
    const nested = structType([field('a', deep)])
    expect(walk(new PlainLines(nested), '{"a":[[[]]]}\n{"a":[]}\n{"a":[[1]]}\n').plain).toEqual([0, 1])
  })
})

describe('keys', () => {
  const keyed = structType([field('p', stringType), field('q', longType), field('v', longType)])

  test('a line of another key ends the stretch', () => {
    const texts = ['{"p":"a","q":1,"v":1}', '{"p":"a","q":1,"v":2}', '{"p":"a","q":2,"v":3}', '{"p":"a","q":2,"v":4}']
    const lines = new PlainLines(keyed, { keyColumns: [0, 1] })
    expect(walk(lines, `${texts.join('\n')}\n`)).toEqual({
      plain: [0, 1, 2, 3],
      keys: ['"a"\n2'],
      unknown: 0,
    })
    expect([lines.hasOneKey, lines.key]).toEqual([true, '"a"\n2'])
  })

  test('a key that is no part of a line is never the same', () => {
    const lines = new PlainLines(keyed, { keyColumns: [0] })
    const bytes = encodeUtf8('{"p":"x"}\n{"v":1}\n{"v":1}\n')
    expect([lines.take(bytes, 0), lines.nextKey, lines.hasOneKey]).toEqual([10, '', true])
    lines.beginKey()
    expect([lines.take(bytes, 10), lines.records, lines.hasOneKey]).toEqual([bytes.length, 2, false])
  })

  test('without key columns all lines are of one key; with unknown ones none are', () => {
    expect(new PlainLines(keyed, { keyColumns: [] }).hasOneKey).toBe(true)
    expect(new PlainLines(keyed).hasOneKey).toBe(false)
  })

  test('spellings that a pattern could take for others are compared as they are', () => {
    const values = ['"a.b"', '"aXb"', '"a.b"', '"\\u0041"', '"A"', '"é("', '"é("']
    const text = values.map((value) => `{"p":${value}}\n{"p":${value}}\n`).join('')
    expect(walk(new PlainLines(keyed, { keyColumns: [0] }), text).keys).toEqual(values.slice(1, 6).map(latin))
  })
})

test('lines longer than a window, and windows that end within a line, lose nothing', () => {
  const one = structType([field('s', stringType)])
  const lengths = [10, 200_000, 65_520, 65_524, 65_525, 65_526, 65_536, 30_000, 40_000, 5, 70_000, 1]
  const lines = lengths.map((length) => `{"s":"${'x'.repeat(length)}"}`)
  const bytes = encodeUtf8(lines.join('\n'))
  const found = new PlainLines(one)
  expect([found.take(bytes, 0) > bytes.length, found.records, found.longest]).toEqual([true, 12, 200_008])
})

test('layouts that never come back are not looked for in every line', () => {
  const wide = structType(Array.from({ length: 12 }, (_, i) => field(`c${i}`, longType)))
  const lines = Array.from({ length: 4000 }, (_, line) => {
    const names = wide.fields.map(({ name }) => name).filter((_, i) => (line >> i) & 1)
    return `{${names.map((name) => `"${name}":${line}`).join(',')}}`
  })
  expect(walk(new PlainLines(wide), `${lines.join('\n')}\n`).plain.length).toBe(4000)
})

test('stretches hold exactly the lines that the scanner vouches for, whatever the layouts and the damage', () => {
  const time = fc.constantFrom(
    '"2024-01-31T10:00:00Z"',
    '"2024-02-29 10:00:00.123456"',
    '"2023-02-29T00:00:00Z"',
    '"2024-06-31T00:00:00Z"',
    '"0001-01-01T00:00:00Z"',
    '"9999-12-31T00:00:00Z"',
    '"2024-01-31"',
    '"2024-01-31T24:00:00Z"',
    '"2024-01-31T10:00:00+14:30"',
    '"2024-01-31T10:00:00.1234567Z"',
  )
  const text = fc.oneof(
    fc.string({ unit: 'binary' }).map((value) => JSON.stringify(value)),
    fc.constantFrom('"\\u0000"', '"\\ud83d\\ude00"', '"\\ud83d"', '"\\u00e9"', '"\\x"', '"AAAA"', '"AA=="', '"\\/"'),
  )
  const number = fc.oneof(
    fc.maxSafeInteger().map(String),
    fc.double({ noDefaultInfinity: true, noNaN: true }).map(String),
    fc.integer({ min: -999_999_999, max: 999_999_999 }).map((n) => (n / 1000).toFixed(3)),
    fc.constantFrom('0', '-0', '01', '1.', '.5', '1e3', '12345678901234567890', '-', '1.5000'),
  )
  const nested = fc.constantFrom(
    '{}',
    '{"x":[1,null],"y":[["a"],null]}',
    '{"y":[],"x":null}',
    '[]',
    '[{"a":1,"b":"x"},{"a":2,"b":null}]',
    '[{"b":"x"}]',
    '[null]',
    '[1,]',
    '{"x":[1.5]}',
  )
  const values: Record<string, fc.Arbitrary<string>> = {
    l: number,
    d: number,
    f: number,
    s: text,
    t: time,
    ntz: time,
    day: time,
    bin: text,
    é: fc.constantFrom('true', 'false', '1'),
    n: nested,
    all: nested,
    other: fc.oneof(number, text, nested),
    L: number,
  }
  const spellingOf = (name: string) =>
    fc.oneof({ weight: 6, arbitrary: values[name]! }, { weight: 1, arbitrary: fc.constantFrom('null', 'true', '') })
  const layout = fc
    .uniqueArray(fc.constantFrom(...Object.keys(values)), { maxLength: 7 })
    .chain((names) =>
      fc
        .tuple(
          fc.constantFrom('', ' ', '\t'),
          fc.array(fc.tuple(...names.map(spellingOf)), { minLength: 1, maxLength: 12 }),
        )
        .map(([space, rows]) =>
          rows.map((row) => `{${row.map((value, i) => `"${names[i]}":${space}${value}`).join(`,${space}`)}}`),
        ),
    )
  const damage = fc.option(fc.tuple(fc.nat(), fc.constantFrom('', '"', '\\', '}', '\u0001', ' ', ',', 'x')), {
    freq: 10,
  })
  const lines = fc
    .array(fc.tuple(layout, damage), { maxLength: 8 })
    .map((blocks) =>
      blocks.flatMap(([block, hurt]) => block.map((line, i) => (i === 1 && hurt ? injure(line, hurt) : line))),
    )
  fc.assert(
    fc.property(lines, fc.constantFrom(undefined, [3], [0, 6]), (all, key) => {
      const plain = scanned(schema, all)
      const text = all.map((line) => `${line}\n`).join('')
      const found = walk(new PlainLines(schema, { keyColumns: key }), text)
      expect(found.plain).toEqual(plain)
      for (const i of plain) expect(() => rowToJson(readJsonRecord(all[i]!, schema), schema)).not.toThrow(RecordFault)
      expect(found.unknown).toBe(plain.reduce((sum, i) => sum + unknownIn(all[i]!), 0))
      const strict = walk(new PlainLines(schema, { keyColumns: key, rejectsUnknown: true }), text)
      expect(strict).toMatchObject({ plain: plain.filter((i) => unknownIn(all[i]!) === 0), unknown: 0 })
    }),
    { numRuns: 400 },
  )
})

function unknownIn(line: string): number {
  const unknown = new UnknownFields()
  readJsonRecord(line, schema, unknown)
  return unknown.count
}

function injure(line: string, [place, by]: [number, string]): string {
  const at = place % line.length
  // half of a pair is no UTF-8
  return decodeUtf8(encodeUtf8(line.slice(0, at) + by + line.slice(at + 1)))
}
