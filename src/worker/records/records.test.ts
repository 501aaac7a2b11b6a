import { describe, expect, it } from 'vitest'
import { readJsonRecord } from '../../engine/index.ts'
import { formatType, type Row, rowToJson, valueToJson } from '../../schema/index.ts'
import { decodeUtf8, encodeUtf8, parseJson } from '../../support/index.ts'
import { parseCsvRecord } from './csv.ts'
import { decodeRecord, decodeValue } from './decode.ts'
import { parseFieldType, parseRecordType } from './parse-record-type.ts'
import { formatRecordType, recordTypeOf, tableSchemaOf, tableTypeOf } from './record-type.ts'
import { endOfLastRecord, splitRecords } from './split.ts'

describe('record types', () => {
  it.each([
    ['bool', 'boolean'],
    ['i8', 'tinyint'],
    ['i16', 'smallint'],
    ['i32', 'int'],
    ['i64', 'bigint'],
    ['u8', 'smallint'],
    ['u16', 'int'],
    ['u32', 'bigint'],
    ['u64', 'decimal(20,0)'],
    ['f32', 'float'],
    ['f64', 'double'],
    ['DECIMAL(12, 3)', 'decimal(12,3)'],
    ['string', 'string'],
    ['bytes', 'binary'],
    ['date', 'date'],
    ['timestamp', 'timestamp'],
    ['timestamp_ntz', 'timestamp_ntz'],
    ['duration', 'bigint'],
    ['uuid', 'string'],
    ['ip', 'string'],
    ['json', 'string'],
    ['struct<a: int, b: array<string>>', 'struct<a:int,b:array<string>>'],
    ['map<string, double>', 'map<string,double>'],
    ['struct<a: int, n: null>', 'struct<a:int>'],
  ])('%s is %s in a table', (text, expected) => {
    const type = parseFieldType(text)
    expect(formatType(tableTypeOf(type)!)).toBe(expected)
    expect(parseFieldType(formatRecordType(type))).toEqual(type)
  })

  it.each(['null', 'list<null>', 'struct<a: null>', 'map<string, list<null>>'])('%s has no column', (text) => {
    expect(tableTypeOf(parseFieldType(text))).toBeUndefined()
  })

  it('columns are named in any script, or in backquotes', () => {
    const record = parseRecordType('größe INT, `a b` STRING, `x``y`: STRUCT<`,` DATE>, n NULL')
    expect(tableSchemaOf(record).fields.map((f) => f.name)).toEqual(['größe', 'a b', 'x`y'])
    expect(parseRecordType(formatRecordType(record).slice('struct<'.length, -1))).toEqual(record)
  })

  it.each([
    ['', 'it is empty'],
    ['id', 'a type was expected at the end'],
    ['id BIGINT name STRING', 'name was not expected there'],
    ['id BIGINT, ID STRING', 'the name ID is there twice'],
    ['m MAP<INT, STRING>', 'the key of a map is a string'],
    ['d DECIMAL(39, 2)', 'decimal(39,2) does not exist; the precision is 1 to 38, the scale 0 to the precision'],
    ['d DECIMAL(3, 4)', 'decimal(3,4) does not exist; the precision is 1 to 38, the scale 0 to the precision'],
    ['s STRUCT<a INT', '> was expected at the end'],
    [`x ${'LIST<'.repeat(200)}`, 'it is nested deeper than 100'],
  ])('%j cannot be read', (text, reason) => {
    expect(() => parseRecordType(text)).toThrow(`the schema cannot be read: ${reason}`)
  })

  it('a table type comes back as the record type that holds it', () => {
    const schema = tableSchemaOf(
      parseRecordType('a i8, b decimal(5,2), c list<struct<d: timestamp_ntz>>, e map<string,bytes>'),
    )
    expect(tableTypeOf(recordTypeOf(schema))).toEqual(schema)
  })
})

const decode = (json: string, typeText: string) => {
  const type = parseFieldType(typeText)
  return valueToJson(decodeValue(parseJson(json), type, 'f'), tableTypeOf(type)!)
}

describe('values', () => {
  it.each([
    ['9007199254740993', 'i64', '9007199254740993'],
    ['"-9223372036854775808"', 'i64', '-9223372036854775808'],
    ['18446744073709551615', 'u64', '18446744073709551615'],
    ['255', 'u8', '255'],
    ['4294967295', 'u32', '4294967295'],
    ['12.5', 'decimal(10,2)', '12.50'],
    ['1.2e3', 'decimal(10,2)', '1200.00'],
    ['12.500', 'decimal(10,2)', '12.50'],
    ['0.1', 'f64', '0.1'],
    ['"NaN"', 'f64', '"NaN"'],
    ['"x"', 'json', '"\\"x\\""'],
    ['{"b":1,"a":9007199254740993}', 'json', '"{\\"b\\":1,\\"a\\":9007199254740993}"'],
    ['"2024-02-29T12:00:00.000001+01:00"', 'timestamp', '"2024-02-29T11:00:00.000001Z"'],
    ['"2024-02-29 12:00:00"', 'timestamp_ntz', '"2024-02-29T12:00:00"'],
    ['"0001-01-01"', 'date', '"0001-01-01"'],
    ['"aGk="', 'bytes', '"aGk="'],
    ['"2001:db8::1"', 'ip', '"2001:db8::1"'],
    ['{"a":1,"z":2}', 'struct<a:int,b:int>', '{"a":1,"b":null}'],
    ['{"k":1}', 'map<string,int>', '[{"key":"k","value":1}]'],
    ['[{"key":"k","value":1}]', 'map<string,int>', '[{"key":"k","value":1}]'],
    ['null', 'i8', 'null'],
  ])('%s as %s is %s', (json, type, expected) => {
    expect(decode(json, type)).toBe(expected)
  })

  it.each([
    ['256', 'u8'],
    ['-1', 'u64'],
    ['18446744073709551616', 'u64'],
    ['9223372036854775808', 'i64'],
    ['1.5', 'i32'],
    ['"1x"', 'i32'],
    ['12.345', 'decimal(10,2)'],
    ['123456789.00', 'decimal(10,2)'],
    ['1e400', 'f64'],
    ['1e39', 'f32'],
    ['"yes"', 'bool'],
    ['1', 'bool'],
    ['1700000000', 'timestamp'],
    ['"2023-02-29"', 'date'],
    ['"2024-02-29T12:00:00Z"', 'timestamp_ntz'],
    ['"%%"', 'bytes'],
    ['"1.2.3"', 'ip'],
    ['"123"', 'uuid'],
    ['1', 'struct<a:int>'],
    ['{}', 'list<int>'],
    ['[1]', 'map<string,int>'],
    ['[{"key":"a"},{"key":"a"}]', 'map<string,int>'],
    ['0', 'null'],
    ['1', 'string'],
    ['true', 'string'],
    ['{"a":[1.0]}', 'string'],
    ['"12"', 'i32'],
    ['"12"', 'u32'],
    ['"1.5"', 'f64'],
    ['"true"', 'bool'],
    ['1', 'ip'],
  ])('%s is refused as %s, naming the field', (json, type) => {
    expect(() => decodeValue(parseJson(json), parseFieldType(type), 'f')).toThrow(/^f/)
  })

  const texts = [
    'null',
    'true',
    '"true"',
    '0',
    '-1',
    '1.0',
    '1.5',
    '1e2',
    '1e400',
    '"12"',
    '"1.5"',
    '"NaN"',
    '"-Infinity"',
  ]
  texts.push(
    '"x"',
    '""',
    '"aGk="',
    '"2024-02-29"',
    '"2024-02-29T12:00:00Z"',
    '"2024-02-29 12:00:00"',
    '9223372036854775807',
  )
  texts.push(
    '9223372036854775808',
    '"9223372036854775807"',
    '300',
    '{}',
    '{"a":1}',
    '{"A":1}',
    '{"a":1,"A":2}',
    '[]',
    '[1,null]',
  )
  it.each([
    ...['bool', 'i8', 'i16', 'i32', 'i64', 'f32', 'f64', 'decimal(10,2)', 'decimal(38,0)', 'string', 'bytes', 'date'],
    ...['timestamp', 'timestamp_ntz', 'struct<a: int>', 'list<i32>', 'map<string,i32>'],
  ])('%s takes what the engine takes of a raw record, and the same values', (typeText) => {
    const record = parseRecordType(`f ${typeText}`)
    const schema = tableSchemaOf(record)
    const outcome = (read: () => Row) => {
      try {
        return rowToJson(read(), schema)
      } catch (error) {
        expect((error as Error).constructor.name).toBe('RecordFault')
        return 'refused'
      }
    }
    for (const text of texts) {
      const line = `{"f":${text}}`
      const raw = outcome(() => readJsonRecord(line, schema))
      expect([text, outcome(() => decodeRecord(parseJson(line), record))]).toEqual([text, raw])
    }
  })

  it('names the field inside', () => {
    const type = parseFieldType('struct<a: list<struct<b: i8>>>')
    expect(() => decodeValue(parseJson('{"a":[{"b":1},{"b":300}]}'), type, 'f')).toThrow(
      'f.a[1].b is 300, and the record has i8 there',
    )
  })
})

describe('records in bytes', () => {
  const split = (text: string, format: 'ndjson' | 'csv') => {
    const bytes = encodeUtf8(text)
    return [...splitRecords(bytes, format)].map(({ start, stop }) => decodeUtf8(bytes.subarray(start, stop)))
  }

  it('lines, the last without a newline too, blank ones left out', () => {
    expect(split('{"a":1}\n\n \r\n{"b":2}\r\n{"c":3}', 'ndjson')).toEqual(['{"a":1}', '{"b":2}\r', '{"c":3}'])
  })

  it('CSV records hold newlines between quotes', () => {
    expect(split('a,"b\nc"\n"d""\n",e\n"open\n', 'csv')).toEqual(['a,"b\nc"', '"d""\n",e', '"open\n'])
  })

  it('the end of the last whole record', () => {
    expect(endOfLastRecord(encodeUtf8('ab\ncd\nef'), 'ndjson')).toBe(6)
    expect(endOfLastRecord(encodeUtf8('ab\n"c\nd'), 'csv')).toBe(3)
    expect(endOfLastRecord(encodeUtf8('ab'), 'ndjson')).toBe(0)
  })

  it('CSV fields', () => {
    const shape = { delimiter: ';', nullText: 'NA' }
    expect(parseCsvRecord('a;"b;""c""";;"";NA;"NA"\r', shape)).toEqual(['a', 'b;"c"', null, '', null, 'NA'])
    expect(parseCsvRecord('', shape)).toEqual([null])
    expect(parseCsvRecord('"a', shape)).toBeUndefined()
    expect(parseCsvRecord('"a"b', shape)).toBeUndefined()
  })
})
