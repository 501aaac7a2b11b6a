/** What bad input gets: one sentence with a code, exit status 1, nothing half-done left in the table. */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { makeFolder, runCli } from '../support/run-cli.ts'
import { sharedMissing, sharedPath } from '../support/shared.ts'

const folder = makeFolder()
afterAll(() => folder.remove())
let count = 0
let table: string

const commit = (version: number, ...actions: object[]) => {
  const text = `${actions.map((action) => JSON.stringify(action)).join('\n')}\n`
  writeFileSync(join(table, '_delta_log', `${String(version).padStart(20, '0')}.json`), text)
}

const protocol = { minReaderVersion: 1, minWriterVersion: 2 }
const metaData = {
  id: 'c0ffee00-0000-4000-8000-000000000000',
  format: { provider: 'parquet', options: {} },
  schemaString: '{"type":"struct","fields":[{"name":"a","type":"long","nullable":true,"metadata":{}}]}',
  partitionColumns: [],
  configuration: {},
  createdTime: 0,
}

beforeEach(() => {
  table = join(folder.path, `t${count++}`)
  mkdirSync(join(table, '_delta_log'), { recursive: true })
  commit(0, { protocol }, { metaData })
})

async function failure(...args: string[]): Promise<string> {
  const { status, stdout, stderr } = await runCli(args, { cwd: folder.path })
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
  return stderr
}

describe('a table that is not there', () => {
  test('is said to be missing, whether the folder is there or not', async () => {
    mkdirSync(join(folder.path, 'plain'), { recursive: true })
    const text = /^error: DELTA_TABLE_NOT_FOUND: there is no Delta table at (none|plain): .+; check the path; .+\n$/
    expect(await failure('rows', 'none')).toMatch(text)
    expect(await failure('history', 'plain')).toMatch(text)
    expect(existsSync(join(folder.path, 'none'))).toBe(false)
  })

  test('has an address that is not understood', async () => {
    expect(await failure('rows', 'ftp://host/x')).toMatch(/^error: LAKE_INVALID_LOCATION: .*ftp/)
  })
})

describe('a log that is damaged', () => {
  test('a commit that is cut off names its file', async () => {
    const file = join(table, '_delta_log', '00000000000000000001.json')
    writeFileSync(file, '{"commitInfo":{"operation":"WRITE"}}\n{"add":{"path":"a.parquet","si')
    expect(await failure('rows', table)).toMatch(/^error: FAILED_READ_FILE\.NO_HINT: .*00000000000000000001\.json/)
    expect(await failure('write', table, folder.file('a.ndjson', '{"a":1}'))).toMatch(/^error: FAILED_READ_FILE/)
    expect(readdirSync(table)).toEqual(['_delta_log'])
  })

  test('a commit that is missing between others is named', async () => {
    commit(2, { commitInfo: { operation: 'WRITE' } })
    expect(await failure('rows', table)).toMatch(/^error: DELTA_VERSIONS_NOT_CONTIGUOUS: .* has no commit 1/)
  })

  test('a checkpoint without commits has no history, and that is said', async () => {
    expect((await runCli(['checkpoint', table])).status).toBe(0)
    rmSync(join(table, '_delta_log', '00000000000000000000.json'))
    for (const command of ['log', 'history']) {
      const { status, stdout, stderr } = await runCli([command, table, '--json'])
      expect({ status, stdout, stderr }).toEqual({
        status: 0,
        stdout: '',
        stderr: 'the log holds no commit, only the checkpoint of version 0\n',
      })
    }
  })

  test('a column that is not there is answered by names like it', async () => {
    expect(await failure('rows', table, '--where', 'b = 1')).toContain('there is no column b; the columns are a')
    const fields = ['ab', 'b', 'c', 'd', 'e', 'f', 'g'].map(
      (name) => `{"name":"${name}","type":"long","nullable":true,"metadata":{}}`,
    )
    commit(0, { protocol }, { metaData: { ...metaData, schemaString: `{"type":"struct","fields":[${fields}]}` } })
    expect(await failure('rows', table, '--where', 'bb = 1')).toContain('; the names most like it are ab, b, ')
  })

  test('a data file that is missing is named', async () => {
    commit(1, { add: { path: 'gone.parquet', partitionValues: {}, size: 10, modificationTime: 0, dataChange: true } })
    expect(await failure('rows', table)).toMatch(/^error: FAILED_READ_FILE\.FILE_NOT_EXIST: .*gone\.parquet/)
  })

  test('a checkpoint that is not Parquet is not believed', async () => {
    writeFileSync(join(table, '_delta_log', '00000000000000000000.checkpoint.parquet'), 'PAR1 nonsense PAR1')
    const { status, stdout, stderr } = await runCli(['count', table])
    if (status === 0) expect(stdout).toBe('0\n')
    else expect(stderr).toMatch(/^error: FAILED_READ_FILE\.NO_HINT: .*checkpoint\.parquet/)
  })
})

/** What the table is can be told all the same, with what is lacking to read it. */
async function expectDescribed(lack: string): Promise<void> {
  const detail = await runCli(['detail', table])
  expect(detail.stdout).toMatch(new RegExp(`^rows +cannot be read: this version does not know ${lack}$`, 'm'))
  expect(detail.stdout).toMatch(new RegExp(`^bayou +does not read; does not know ${lack}$`, 'm'))
  const json = JSON.parse((await runCli(['detail', table, '--json'])).stdout) as {
    engines: { reads: boolean; lacks: string[] }[]
  }
  expect(json).toMatchObject({ numFiles: null, unreadableFeatures: [lack] })
  for (const engine of json.engines)
    expect(engine).toMatchObject({ reads: false, lacks: expect.arrayContaining([lack]) })
  const schema = await runCli(['schema', table])
  expect(schema.stdout).toMatch(/^a +bigint/m)
  expect(schema.stderr).toContain(`rows of this table cannot be read: this version does not know ${lack}`)
}

describe('a table of features or versions nobody knows', () => {
  test('is refused by the feature, for reading and for writing', async () => {
    const features = ['appendOnly', 'telepathy']
    commit(
      0,
      {
        protocol: {
          ...protocol,
          minReaderVersion: 3,
          minWriterVersion: 7,
          readerFeatures: ['telepathy'],
          writerFeatures: features,
        },
      },
      { metaData },
    )
    expect(await failure('rows', table)).toMatch(/^error: DELTA_UNSUPPORTED_FEATURES_FOR_READ: .*telepathy/)
    await expectDescribed('telepathy')
    commit(0, { protocol: { ...protocol, minWriterVersion: 7, writerFeatures: features } }, { metaData })
    expect((await runCli(['count', table])).stdout).toBe('0\n')
    const refused = await failure('write', table, folder.file('a.ndjson', '{"a":1}'))
    expect(refused).toMatch(/^error: DELTA_UNSUPPORTED_FEATURES_FOR_WRITE: .*telepathy/)
    expect(readdirSync(table)).toEqual(['_delta_log'])
  })

  test('is refused by its version', async () => {
    commit(0, { protocol: { minReaderVersion: 9, minWriterVersion: 9 } }, { metaData })
    expect(await failure('rows', table)).toMatch(/^error: DELTA_INVALID_PROTOCOL_VERSION: .*9/)
    await expectDescribed('reader version 9')
  })
})

describe('a call that does not fit the table', () => {
  test('a predicate that cannot be read is shown with a caret', async () => {
    expect(await failure('rows', table, '--where', 'a >')).toMatch(/^error: PARSE_SYNTAX_ERROR: .*\na >\n {3}\^\n$/)
    expect(await failure('rows', table, '--where', 'b = 1')).toMatch(/^error: UNRESOLVED_COLUMN\.WITH_SUGGESTION: .*b/)
    expect(await failure('rows', table, '--where', 'a')).toMatch(/^error: DATATYPE_MISMATCH\.FILTER_NOT_BOOLEAN/)
    expect(await failure('rows', table, '--select', 'nope')).toMatch(/^error: UNRESOLVED_COLUMN/)
    expect(await failure('rows', table, '--version', '5')).toMatch(/^error: DELTA_VERSION_NOT_FOUND/)
    expect(await failure('rows', table, '--timestamp', 'soon')).toMatch(/^error: DELTA_TIME_TRAVEL_INVALID_BEGIN_VALUE/)
  })

  test('a record that is no JSON, no object, or of another kind names its line and writes nothing', async () => {
    const write = async (text: string) => failure('write', table, folder.file('in.ndjson', text))
    expect(await write('{"a":1}\n{"a":2')).toMatch(
      /^error: LAKE_BAD_RECORD: .*in\.ndjson, line 2: .*; nothing was written/,
    )
    expect(await write('[1]')).toMatch(/^error: LAKE_BAD_RECORD: .*line 1: it is not a JSON object/)
    expect(await write('{"a":1}\n{"a":"x"}')).toMatch(
      /^error: DELTA_FAILED_TO_MERGE_FIELDS: .*line 2: the column a is bigint/,
    )
    expect(await write('{"a":9223372036854775808}')).toMatch(/^error: CAST_OVERFLOW_IN_TABLE_INSERT/)
    expect(readdirSync(table)).toEqual(['_delta_log'])
    expect(readdirSync(join(table, '_delta_log'))).toEqual(['00000000000000000000.json'])
    expect(await write('{"a":NaN}')).toMatch(/^error: LAKE_BAD_RECORD: .*line 1: not JSON at character 5: NaN/)
    expect(await write('{"a":1,"a":2}')).toMatch(/^error: LAKE_BAD_RECORD: .*line 1: .* the key a is there twice/)
    expect(await failure('write', table, 'missing.ndjson')).toBe(
      'error: LAKE_FILE_NOT_READABLE: missing.ndjson cannot be read: there is no such file or folder; check the path, and what the file holds\n',
    )
  })
})

describe('a table whose columns have lengths', () => {
  test('takes no text that is too long, however it comes', async () => {
    const schemaString =
      '{"type":"struct","fields":[{"name":"a","type":"string","nullable":true,"metadata":{"__CHAR_VARCHAR_TYPE_STRING":"varchar(3)"}}]}'
    commit(0, { protocol }, { metaData: { ...metaData, schemaString } })
    const write = (text: string) => runCli(['write', table, folder.file('in.ndjson', text), '--quiet'])
    expect((await write('{"a":"abc"}\n{"a":"abcd"}')).stderr).toMatch(
      /^error: DELTA_EXCEED_CHAR_VARCHAR_LIMIT: \S+, line 2: "abcd" is too long for the column a, which is varchar\(3\); /,
    )
    expect(readdirSync(table)).toEqual(['_delta_log'])
    expect((await write('{"a":"abc"}')).status).toBe(0)
    expect((await runCli(['rows', table, '-o', join(folder.path, 'good.parquet')])).status).toBe(0)
    expect((await runCli(['write', table, join(folder.path, 'good.parquet')])).status).toBe(0)
    const other = join(folder.path, 'other')
    expect((await runCli(['write', other, folder.file('long.ndjson', '{"a":"abcd"}')])).status).toBe(0)
    expect((await runCli(['rows', other, '-o', join(folder.path, 'long.parquet')])).status).toBe(0)
    expect(await failure('write', table, join(folder.path, 'long.parquet'))).toMatch(
      /^error: DELTA_EXCEED_CHAR_VARCHAR_LIMIT: a row: "abcd" is too long for the column a, which is varchar\(3\); /,
    )
  })
})

describe('an output that takes nothing', () => {
  test('a full device is an error, not silence', async ({ skip }) => {
    if (!existsSync('/dev/full')) skip('this system has no /dev/full')
    const text = await failure('rows', table, '--format', 'ndjson', '-o', join(folder.path, 'none', 'x'))
    expect(text).toMatch(/^error: LAKE_FILE_NOT_WRITABLE/)
    const { status, stderr } = await runCli(['rows', table, '--format', 'csv', '-o', '/dev/full'])
    expect({ status, stderr: stderr.slice(0, 29) }).toEqual({ status: 1, stderr: 'error: LAKE_FILE_NOT_WRITABLE' })
  })

  test('a folder that cannot be written to', async ({ skip }) => {
    if (!existsSync('/proc/self')) skip('this system has no /proc')
    const text = await failure('write', '/proc/bayou-table', folder.file('a.ndjson', '{"a":1}'))
    expect(text).toMatch(/^error: LAKE_STORAGE_(ACCESS_DENIED|READ_ONLY|UNAVAILABLE): /)
  })
})

const missing = sharedMissing('tables-spark', 'rs-dml')
describe.skipIf(missing !== undefined)(`a copy of a table by another writer${missing ? ` (${missing})` : ''}`, () => {
  test('is appended to, keeps its history, and reads back', async () => {
    cpSync(sharedPath('tables-spark', 'rs-dml', 'table'), table, { recursive: true, force: true })
    const before = (await runCli(['count', table])).stdout
    const written = await runCli(['write', table, folder.file('b.ndjson', '{"id":77,"v":"ours"}'), '--json'])
    expect(JSON.parse(written.stdout)).toMatchObject({ numOutputRows: 1 })
    expect(Number((await runCli(['count', table])).stdout)).toBe(Number(before) + 1)
    const [newest, older] = (await runCli(['history', table, '--json'])).stdout.split('\n')
    expect(JSON.parse(newest!)).toMatchObject({ operation: 'WRITE', engineInfo: expect.stringMatching(/^bayou\//) })
    expect(JSON.parse(older!)).toMatchObject({ engineInfo: 'delta-rs:py-1.6.6' })
    expect(readFileSync(join(table, '_delta_log', '00000000000000000000.json'), 'utf8')).toContain('"protocol"')
  })
})
