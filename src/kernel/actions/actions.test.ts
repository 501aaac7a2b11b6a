import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { encodeUtf8, parseJson } from '../../support/index.ts'
import type { Action } from './actions.ts'
import { parseCommitText } from './commit-text.ts'
import { parseAction } from './parse.ts'
import { printAction, printActions } from './print.ts'

function reprint(line: string): string {
  return printAction(parseAction(parseJson(line)))
}

const ADD =
  '{"add":{"path":"p=a%2520b/f.parquet","partitionValues":{"p":"a b","q":null},"size":1,"modificationTime":2,' +
  '"dataChange":true,"stats":"{\\"numRecords\\":3}","tags":{"t":"1"},"deletionVector":{"storageType":"u",' +
  '"pathOrInlineDv":"x","sizeInBytes":40,"cardinality":4},"baseRowId":9007199254740993,"defaultRowCommitVersion":2,' +
  '"clusteringProvider":"liquid","newField":{"deep":[1.50,true]}}}'

describe('actions', () => {
  it('are printed as they were read, unknown fields and long integers included', () => {
    for (const line of [
      ADD,
      '{"metaData":{"id":"m","name":"n","description":"d","format":{"provider":"parquet","options":{"k":"v"}},"schemaString":"{}","partitionColumns":["a"],"createdTime":1,"configuration":{"delta.appendOnly":"true"},"later":1}}',
      '{"protocol":{"minReaderVersion":3,"minWriterVersion":7,"readerFeatures":[],"writerFeatures":["x"]}}',
      '{"txn":{"appId":"a","version":9223372036854775807,"lastUpdated":1}}',
      '{"remove":{"path":"f","deletionTimestamp":5,"dataChange":false,"extendedFileMetadata":true,"partitionValues":{},"size":7}}',
      '{"domainMetadata":{"domain":"d","configuration":"{}","removed":false}}',
      '{"cdc":{"path":"c","partitionValues":{},"size":1,"dataChange":false}}',
      '{"checkpointMetadata":{"version":4,"tags":{"a":"b"}}}',
      '{"sidecar":{"path":"s","sizeInBytes":1,"modificationTime":2}}',
      '{"commitInfo":{"operationParameters":{"x":1.0,"y":null,"z":[12345678901234567890]},"timestamp":1}}',
      '{"someday":{"a":1e3}}',
    ]) {
      expect(reprint(line)).toBe(line)
    }
  })

  it('keep an absent offset absent and a zero offset zero', () => {
    const withOffset = ADD.replace('"sizeInBytes":40', '"offset":0,"sizeInBytes":40')
    expect(parseAction(parseJson(ADD))).not.toHaveProperty('add.deletionVector.offset')
    expect(parseAction(parseJson(withOffset))).toHaveProperty('add.deletionVector.offset', 0)
    const asNull = ADD.replace('"sizeInBytes":40', '"offset":null,"maxRowIndex":null,"sizeInBytes":40')
    expect(parseAction(parseJson(asNull))).toEqual(parseAction(parseJson(ADD)))
  })

  it('take any name as a key of a map', () => {
    const action = parseAction(
      parseJson(
        '{"add":{"path":"f","partitionValues":{"__proto__":"1","constructor":null,"7":"x"},"size":1,"modificationTime":1,"dataChange":true}}',
      ),
    )
    if (!('add' in action)) throw new Error('not an add')
    expect(new Map(action.add.partitionValues)).toEqual(
      new Map([
        ['__proto__', '1'],
        ['constructor', null],
        ['7', 'x'],
      ]),
    )
    expect(parseAction(parseJson(printAction(action)))).toEqual(action)
  })

  it('read scalars where text is wanted, as the reference does', () => {
    const action = parseAction(parseJson('{"metaData":{"id":"m","configuration":{"a":true,"b":1.10,"c":null}}}'))
    expect(action).toHaveProperty(
      'metaData.configuration',
      new Map([
        ['a', 'true'],
        ['b', '1.10'],
      ]),
    )
  })

  it('say which field of which action is wrong', () => {
    const fault = (line: string) => () => parseAction(parseJson(line))
    expect(fault('{"add":{"size":1}}')).toThrow('the add action is malformed: path is missing')
    expect(fault('{"add":{"path":"f","size":1.5}}')).toThrow('size is not an integer')
    expect(fault('{"add":{"path":"f","size":12345678901234567}}')).toThrow('size is out of range')
    expect(fault('{"txn":{"appId":"a","version":9223372036854775808}}')).toThrow('version is out of range')
    expect(fault('{"remove":{"path":"f","partitionValues":[]}}')).toThrow('partitionValues is not an object')
    expect(fault('{"remove":{"path":"f","deletionVector":{"storageType":"q"}}}')).toThrow('storageType is q')
    expect(fault('{"add":{"path":"\\ud800","size":1}}')).toThrow('path holds half of a character')
    expect(fault('{"protocol":7}')).toThrow('the protocol action is malformed: it is not an object')
    expect(fault('[1]')).toThrow('the line action is malformed')
  })

  it('survive printing and reading whatever they hold', () => {
    const texts = fc.string({ unit: 'grapheme', maxLength: 10 })
    const adds = fc.record({
      path: texts,
      partitionValues: fc.array(fc.tuple(texts, fc.option(texts))).map((entries) => new Map(entries)),
      size: fc.maxSafeNat(),
      modificationTime: fc.maxSafeInteger(),
      dataChange: fc.boolean(),
      stats: texts,
      baseRowId: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    })
    fc.assert(
      fc.property(adds, (add) => {
        const action: Action = { add }
        expect(parseAction(parseJson(printAction(action)))).toEqual(action)
      }),
    )
  })
})

describe('the text of a commit', () => {
  const kinds = (text: string, stray?: (line: number) => void) =>
    parseCommitText(encodeUtf8(text), stray).map((action) => Object.keys(action)[0])

  it('may have blank lines, a byte order mark, carriage returns and no last newline', () => {
    expect(kinds('\ufeff\n{"commitInfo":{}}\r\n\n  \n{"txn":{"appId":"a","version":1}}')).toEqual(['commitInfo', 'txn'])
  })

  it('is printed with one line an action', () => {
    const actions = parseCommitText(encodeUtf8('{"commitInfo":{}}\n{"txn":{"appId":"a","version":1}}'))
    expect(printActions(actions)).toBe('{"commitInfo":{}}\n{"txn":{"appId":"a","version":1}}\n')
  })

  it('may have stray text behind an object, which is told', () => {
    const stray: number[] = []
    expect(kinds('{"commitInfo":{}}\n{"txn":{"appId":"a","version":1}}x', (line) => stray.push(line))).toHaveLength(2)
    expect(stray).toEqual([2])
  })

  it('is refused when a line is cut, spread over lines or no object, or when nothing is there', () => {
    expect(() => kinds('{"commitInfo":{}}\n{"add":{"path":"f"')).toThrow('line 2')
    expect(() => kinds('{\n"commitInfo":{}\n}')).toThrow('line 1')
    expect(() => kinds('7 {}')).toThrow('line 1')
    expect(() => kinds('')).toThrow('the file is empty')
    expect(() => kinds('\n \n')).toThrow('holds no action')
  })
})

it('files that share a map of partition values, keys that are numbers or hidden, print as one alone does', () => {
  const partitionValues = new Map<string, string | null>([
    ['b', null],
    ['__proto__', 'é"\n'],
    ['1', ''],
  ])
  const add = { path: 'a', partitionValues, size: 1, modificationTime: -0, dataChange: true, stats: undefined }
  const text = '{"1":"","b":null,"__proto__":"é\\"\\n"}'
  const line = (path: string) =>
    `{"add":{"path":"${path}","partitionValues":${text},"size":1,"modificationTime":-0,"dataChange":true`
  expect(printAction({ add } as never)).toBe(`${line('a')}}}`)
  expect(printAction({ add: { ...add, path: 'b', baseRowId: 2n ** 60n, extra: { x: [1] } } } as never)).toBe(
    `${line('b')},"baseRowId":1152921504606846976,"x":[1]}}`,
  )
})
