/** The commands on a table of their own: texts as a person sees them, JSON as a program does. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { tableFromIPC } from 'apache-arrow'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeFolder, runCli } from '../support/run-cli.ts'
import { repositoryRoot } from '../support/shared.ts'

const folder = makeFolder()
const lake = join(folder.path, 'lake')
const bayou = (...args: string[]) => runCli(args, { cwd: folder.path })

const ORDERS = `{"order_id":"1043","country":"DE","amount":12.50,"n":9007199254740993}
{"order_id":"1044","country":"FR","amount":3.5,"n":1}

{"order_id":"1045","country":null,"amount":7,"n":-9223372036854775808}
`

beforeAll(async () => {
  folder.file('orders.ndjson', ORDERS)
  const written = await bayou(
    'write',
    'lake',
    'orders.ndjson',
    '--partition-by',
    'country',
    '--now',
    '2026-01-01T12:00:00Z',
  )
  expect(written.stderr).toBe('')
  expect(written.stdout).toMatch(/^version 0: 3 rows in 3 files, [\d.]+ k?B\n$/)
})
afterAll(() => folder.remove())

describe('rows', () => {
  test('print as an aligned table, as NDJSON and as CSV, with the same texts', async () => {
    const table = await bayou('rows', lake, '--where', 'n > 0')
    expect(table.stdout).toBe(`order_id  country  amount                 n
1043      DE         12.5  9007199254740993
1044      FR          3.5                 1
`)
    const ndjson = await bayou('rows', lake, '--where', "country = 'DE'", '--json')
    expect(ndjson.stdout).toBe('{"order_id":"1043","country":"DE","amount":12.5,"n":9007199254740993}\n')
    const csv = await bayou(
      'rows',
      lake,
      '--where',
      'country IS NULL',
      '--format',
      'csv',
      '--select',
      'N,country,order_id',
    )
    expect(csv.stdout).toBe('n,country,order_id\n-9223372036854775808,,1045\n')
  })

  test('name where a row lies, and refuse ids of rows where none are kept', async () => {
    const named = ['--select', 'order_id,_metadata.row_index', '--where', "_metadata.file_path LIKE '%country=DE%'"]
    expect((await bayou('rows', lake, '--json', ...named)).stdout).toBe('{"order_id":"1043","_metadata.row_index":0}\n')
    expect((await bayou('rows', lake, '--row-ids')).stderr).toMatch(
      /^error: FIELD_NOT_FOUND: .*row_id; it has file_path/,
    )
    const table = join(repositoryRoot, 'test/fixtures/tables-spark/row-tracking-new/table')
    const tracked = await bayou('rows', table, '--version', '1', '--row-ids', '--json', '--limit', '1')
    expect(tracked.stdout).toBe('{"id":1,"v":"a","_metadata.row_id":0,"_metadata.row_commit_version":1}\n')
    const sql = `select _metadata.row_id + 1 as n, t._metadata.file_name like '%.parquet' as p from delta.\`${table}\` t where id = 9`
    expect((await bayou('sql', sql, '--json')).stdout).toContain('"n":13,"p":true')
  })

  test('go into a file that appears whole, and into one Parquet file that can be written again', async () => {
    const csv = await bayou('rows', lake, '--format', 'csv', '--limit', '1', '-o', 'out.csv')
    expect(csv).toMatchObject({ status: 0, stdout: '', stderr: '1 row written to out.csv\n' })
    expect(readFileSync(join(folder.path, 'out.csv'), 'utf8')).toMatch(/^order_id,country,amount,n\n.+\n$/)
    expect(await bayou('rows', lake, '--format', 'parquet', '-o', 'out.parquet', '--quiet')).toMatchObject({
      stderr: '',
    })
    expect((await bayou('write', 'copy', 'out.parquet', '--json')).stdout).toMatch(
      /^\{"version":0,"numFiles":1,"numOutputRows":3,"numOutputBytes":\d+,"numRemovedFiles":0,"skipped":null\}\n$/,
    )
    const sorted = async (table: string) => (await bayou('rows', table, '--json')).stdout.split('\n').sort()
    expect(await sorted('copy')).toEqual(await sorted('lake'))
  })

  test('take the format that the name of the file says', async () => {
    const written = async (name: string, ...more: string[]) => {
      expect((await bayou('rows', lake, '--where', 'n = 1', '-o', name, '--quiet', ...more)).status).toBe(0)
      return readFileSync(join(folder.path, name), 'latin1')
    }
    expect(await written('named.CSV')).toBe('order_id,country,amount,n\n1044,FR,3.5,1\n')
    expect(await written('named.ndjson')).toBe('{"order_id":"1044","country":"FR","amount":3.5,"n":1}\n')
    expect((await written('named.parquet')).slice(0, 4)).toBe('PAR1')
    const arrow = await written('named.arrow')
    expect([arrow.slice(0, 6), arrow.slice(-6)]).toEqual(['ARROW1', 'ARROW1'])
    expect(tableFromIPC(Buffer.from(arrow, 'latin1')).get(0)?.toJSON()).toMatchObject({ order_id: '1044', n: 1n })
    expect(await written('named.txt')).toMatch(/^order_id {2}country/)
    expect(await written('other.csv', '--format', 'ndjson')).toMatch(/^\{/)
  })
})

function syntaxErrorAt(line: number, position: number): unknown {
  return expect.objectContaining({ code: 'PARSE_SYNTAX_ERROR', sqlState: '42601', line, position })
}

describe('sql', () => {
  test('runs what comes by standard input, its last statement without a semicolon too', async () => {
    const piped = await runCli(['sql', '--json'], { stdin: 'select 1 a; select 2 b' })
    expect(piped).toEqual({
      status: 0,
      stderr: '',
      stdout:
        '{"statement":1,"columns":[{"name":"a","type":"integer"}],"rows":[{"a":1}]}\n' +
        '{"statement":2,"columns":[{"name":"b","type":"integer"}],"rows":[{"b":2}]}\n',
    })
    expect((await runCli(['sql'], { stdin: 'select nope' })).stderr).toMatch(/^error: LAKE_QUERY_FAILED: /)
  })

  test('answers a statement that fails at once with its error alone, and goes on when asked', async () => {
    const { status, stdout } = await bayou('sql', '--json', '--continue-on-error', "select 'x'::int a; select 3 a")
    expect(status).toBe(1)
    const lines = stdout.trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line) as object)).toEqual([
      { statement: 1, error: expect.objectContaining({ code: 'LAKE_QUERY_FAILED' }) },
      { statement: 2, columns: [{ name: 'a', type: 'integer' }], rows: [{ a: 3 }] },
    ])
  })

  test('blames the statement for what is not the fault of a file', async () => {
    const error = async (statement: string) =>
      /^error: (\S+): /.exec((await bayou('sql', '--table', `t=${lake}`, statement)).stderr)?.[1]
    expect(await error('select nope from t')).toBe('LAKE_QUERY_FAILED')
    expect(await error('select country::int from t')).toBe('LAKE_QUERY_FAILED')
    const uniform = 'reorg table t apply (upgrade uniform (iceberg_compat_version = 2))'
    expect(await error(uniform)).toBe('LAKE_STATEMENT_UNSUPPORTED')
    expect(await error('describe t')).toBeUndefined()
  })

  test('--parse-only reads statements without running them', async () => {
    const script = "DELETE FROM nowhere;\nINSERT INTO x SELECT 1\n  FROM FROM y; UPDATE x SET\na == ; VACUUM '/lake'"
    const { status, stdout } = await bayou('sql', '--parse-only', script)
    expect(status).toBe(1)
    const lines = stdout.trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line) as object)).toEqual([
      { statement: 1, accepted: true, kind: 'delete' },
      { statement: 2, accepted: false, error: syntaxErrorAt(3, 7) },
      { statement: 3, accepted: false, error: syntaxErrorAt(4, 4) },
      { statement: 4, accepted: true, kind: 'vacuum' },
    ])
  })
})

describe('what a table is', () => {
  test('count, schema, detail and checkpoint, as text and as JSON', async () => {
    expect((await bayou('count', lake)).stdout).toBe('3\n')
    expect((await bayou('count', lake, '--where', 'amount > 5', '--json')).stdout).toBe('{"count":2}\n')
    expect((await bayou('schema', lake)).stdout).toBe(`column    type    nullable  partition  comment
order_id  string  yes
country   string  yes       1
amount    double  yes
n         bigint  yes
`)
    expect(JSON.parse((await bayou('schema', lake, '--json')).stdout)).toMatchObject({
      type: 'struct',
      fields: [{ name: 'order_id', type: 'string', nullable: true, metadata: {} }, {}, {}, { name: 'n', type: 'long' }],
    })
    const detail = JSON.parse((await bayou('detail', lake, '--json')).stdout) as Record<string, unknown>
    expect(Object.keys(detail)).toEqual([
      'format',
      'id',
      'name',
      'description',
      'location',
      'createdAt',
      'lastModified',
      'partitionColumns',
      'clusteringColumns',
      'numFiles',
      'sizeInBytes',
      'properties',
      'minReaderVersion',
      'minWriterVersion',
      'tableFeatures',
      'engines',
      'featureSupport',
    ])
    expect(detail).toMatchObject({ numFiles: 3, partitionColumns: ['country'], createdAt: '2026-01-01T12:00:00Z' })
    expect((await bayou('detail', lake)).stdout).toMatch(/^partitioned by +country$/m)
    expect((await bayou('checkpoint', lake, '--json')).stdout).toBe('{"version":0}\n')
    expect(existsSync(join(lake, '_delta_log/_last_checkpoint'))).toBe(true)
  })

  test('files name the rule that reads or skips each', async () => {
    const text = await bayou('files', lake, '--where', "country = 'DE'", '--explain')
    expect(text.stdout.split('\n').map((line) => line.slice(0, 38).trimEnd())).toEqual([
      'read  because',
      'read  may hold a match',
      'skip  partition country is FR, not DE',
      'skip  partition country is null, not D',
      '',
    ])
    expect(text.stderr).toMatch(/^1 file, \d+ B of 3 files are read\n$/)
    const [line] = (await bayou('files', lake, '--where', 'n = 1', '--json')).stdout.split('\n')
    expect(JSON.parse(line!)).toMatchObject({
      partitionValues: { country: 'FR' },
      numRecords: 1,
      deletionVector: null,
      read: true,
      stats: { numRecords: 1, minValues: { n: 1 } },
    })
  })
})

describe('write', () => {
  test('reads CSV with types of its cells, adds columns only when asked, and tells which line is wrong', async () => {
    folder.file('more.csv', 'id,code,when,"a,b"\n1,007,2024-01-01,"x\ny"\n2,008,,\n')
    expect((await bayou('write', 'csv', 'more.csv')).status).toBe(1)
    folder.file('more.csv', 'id,code,when,text\r\n1,007,2024-01-01,"x\ny"\r\n2,008,,""\r\n')
    expect((await bayou('write', 'csv', 'more.csv')).status).toBe(0)
    expect((await bayou('rows', 'csv', '--json')).stdout).toBe(
      '{"id":1,"code":"007","when":"2024-01-01","text":"x\\ny"}\n{"id":2,"code":"008","when":null,"text":""}\n',
    )
    folder.file('wider.csv', 'id,extra\n3,1.5\n')
    const refused = await bayou('write', 'csv', 'wider.csv')
    expect(refused.stderr).toBe(
      'error: DELTA_METADATA_MISMATCH: wider.csv, line 2 has the column extra, which csv does not have; leave it out, or set mergeSchema to add it\n',
    )
    expect((await bayou('write', 'csv', 'wider.csv', '--merge-schema')).status).toBe(0)
    folder.file('bad.csv', 'id\n4\nfive\n')
    expect((await bayou('write', 'csv', 'bad.csv')).stderr).toMatch(
      /^error: LAKE_INVALID_VALUE: bad.csv, line 3: "five"/,
    )
    expect((await bayou('count', 'csv')).stdout).toBe('3\n')
  })

  test('takes standard input, once for an application and version, in every mode', async () => {
    const write = (stdin: string, ...args: string[]) =>
      runCli(['write', 'in', '-', ...args], { cwd: folder.path, stdin })
    expect((await write('{"a":1}\n{"a":2}', '--property', 'delta.checkpointInterval=3')).status).toBe(0)
    expect((await write('{"a":3}\n', '--txn', 'loader:7')).stdout).toMatch(/^version 1: 1 row in 1 file/)
    expect((await write('{"a":3}\n', '--txn', 'loader:7')).stdout).toBe(
      'nothing written: transaction already committed\n',
    )
    expect((await write('', '--mode', 'append')).stdout).toBe('nothing written: no rows\n')
    expect((await write('{"a":9}', '--mode', 'error')).stderr).toMatch(/^error: DELTA_PATH_EXISTS/)
    expect((await write('{"a":9}', '--mode', 'ignore')).stdout).toBe('nothing written: table exists\n')
    expect((await write('{"a":9}', '--mode', 'overwrite')).stdout).toMatch(/1 row in 1 file, \d+ B; 2 files removed\n$/)
    expect((await bayou('detail', 'in', '--json')).stdout).toContain('"delta.checkpointInterval":"3"')
    const history = (await bayou('history', 'in', '--json', '--limit', '1')).stdout
    expect(JSON.parse(history)).toMatchObject({
      version: 2,
      operation: 'WRITE',
      operationParameters: { mode: 'Overwrite' },
    })
    expect((await bayou('log', 'in')).stdout.split('\n')[0]).toMatch(/^v2 {2}WRITE {2}\+\S+\.parquet {2}-\S+ {2}-\S+$/)
    const actions = (await bayou('log', 'in', '--version', '1')).stdout.trim().split('\n')
    expect(actions.map((line) => Object.keys(JSON.parse(line) as object)[0]).sort()).toEqual([
      'add',
      'commitInfo',
      'txn',
    ])
    expect((await write('{"a":9}', '--replace-where', 'a = 9')).stderr).toMatch(/^error: LAKE_INVALID_OPTION/)
  })

  test('replaces the rows of a predicate, or the partitions written', async () => {
    const write = (text: string, ...more: string[]) =>
      runCli(['write', 'parts', '-', '--quiet', ...more], { stdin: text, cwd: folder.path })
    const rows = async () => (await bayou('rows', 'parts', '--json')).stdout.trim().split('\n').sort()
    await write('{"a":1,"p":"x"}\n{"a":2,"p":"y"}\n{"a":3,"p":"y"}', '--partition-by', 'p')
    const overwrite = ['--mode', 'overwrite']
    await write('{"a":2,"p":"z"}', ...overwrite, '--replace-where', 'a = 2')
    expect(await rows()).toEqual(['{"a":1,"p":"x"}', '{"a":2,"p":"z"}', '{"a":3,"p":"y"}'])
    await write('{"a":9,"p":"y"}', ...overwrite, '--dynamic-partition-overwrite')
    expect(await rows()).toEqual(['{"a":1,"p":"x"}', '{"a":2,"p":"z"}', '{"a":9,"p":"y"}'])
    const refused = await write('{"a":5,"p":"y"}', ...overwrite, '--replace-where', 'a = 9')
    expect(refused).toMatchObject({ status: 1, stdout: '' })
    expect(refused.stderr).toMatch(/^error: DELTA_REPLACE_WHERE_MISMATCH: .*a : 5/)
  })
})

describe('eval', () => {
  test('answers a line each, with its type, or the error', async () => {
    const answers = await bayou('eval', '1 + 1', "date_add(DATE'2024-02-28', 1)", '1/0', '--json')
    expect(answers.status).toBe(1)
    expect(answers.stdout).toBe(`{"value":2,"type":"int"}
{"value":"2024-02-29","type":"date"}
{"error":{"code":"DIVIDE_BY_ZERO","sqlState":"22012","message":"division by zero"}}
`)
    const duckdb = await bayou('eval', '1 + 1', "INTERVAL '1' DAY", '1/0', '--json', '--engine', 'duckdb')
    expect(duckdb.stdout.split('\n').slice(0, 2)).toEqual([
      '{"value":2,"type":"int"}',
      '{"value":"INTERVAL \'1\' DAY","type":"interval day"}',
    ])
    expect(duckdb.stdout).toContain('"code":"DIVIDE_BY_ZERO"')
    const rows = await runCli(['eval', 'a * 2', 'upper(b)', '--schema', 'a DECIMAL(4,1), b STRING'], {
      stdin: '{"a":1.5,"b":"x"}\n{"a":null,"b":"y"}\n',
    })
    expect(rows).toMatchObject({ status: 0, stdout: '3.0\nX\nnull\nY\n' })
  })
})

test('check-store proves a folder and leaves nothing in it', async () => {
  const checked = await bayou('check-store', 'store', '--json')
  const findings = checked.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { ok: boolean })
  expect(findings.length).toBeGreaterThan(10)
  expect(findings.filter(({ ok }) => !ok)).toEqual([])
  expect(checked.status).toBe(0)
  expect(existsSync(join(folder.path, 'store'))).toBe(false)
})

test('check-store refuses a store that takes no objects in one sentence', async () => {
  const refused = await bayou('check-store', 'http://localhost:9/lake')
  expect(refused).toMatchObject({ status: 1, stdout: '' })
  expect(refused.stderr).toMatch(/^error: LAKE_STORAGE_READ_ONLY: .*http:\/\/localhost:9\/lake.*\n$/)
})

describe('the line', () => {
  test('help names every command and gives examples; completions know their options', async () => {
    const help = await runCli(['--help'])
    expect(help.status).toBe(0)
    for (const name of ['rows', 'history', 'write', 'eval']) expect(help.stdout).toMatch(new RegExp(`^  ${name} `, 'm'))
    expect(help.stdout).not.toContain('--now')
    expect((await runCli(['rows', '--help'])).stdout).toContain('$ bayou rows /lake/orders --limit 5')
    expect((await runCli(['completions', 'bash'])).stdout).toContain('--merge-schema')
    expect((await runCli(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+/)
  })

  test('that is not understood ends with 2', async () => {
    const unknown = await runCli(['rwos'])
    expect(unknown).toMatchObject({ status: 2, stdout: '' })
    expect(unknown.stderr).toMatch(/^error: LAKE_USAGE: unknown command 'rwos'/)
    const json = await runCli(['rows', 'x', '--limit', '-1', '--json'])
    expect(json.status).toBe(2)
    expect(Object.keys((JSON.parse(json.stderr) as { error: object }).error)).toEqual([
      'code',
      'sqlState',
      'message',
      'details',
    ])
    expect((await bayou('write', 'x', 'orders.txt')).status).toBe(2)
    expect((await bayou('explore', lake, '--port', '65536')).stderr).toMatch(/^error: LAKE_USAGE: .* from 0 to 65535;/)
  })

  test('takes defaults from a file whose keys are checked', async () => {
    const config = folder.file('config.json', '{"threads":1,"memoryLimit":"1GB"}')
    expect((await bayou('count', lake, '--config', config)).stdout).toBe('3\n')
    const wrong = folder.file('wrong.json', '{"thread":1}')
    expect((await bayou('count', lake, '--config', wrong)).stderr).toBe(
      `error: LAKE_CONFIG_INVALID: the configuration ${wrong} cannot be used: the key thread is not known; there are memoryLimit, threads, tempDir, cacheDir, cacheBytes, unityCatalog, namesFolder\n`,
    )
  })

  test('that is interrupted ends with 130 and leaves no table', async () => {
    const run = await runCli(['write', 'slow', '-'], {
      cwd: folder.path,
      whileRunning: async (child) => {
        child.stdin?.write('{"a":1}\n')
        await new Promise((resolve) => setTimeout(resolve, 2000))
        child.kill('SIGINT')
      },
    })
    expect(run.status).toBe(130)
    expect(run.stderr).toMatch(/^error: LAKE_CANCELLED/)
    expect(existsSync(join(folder.path, 'slow'))).toBe(false)
  })

  test('whose reader goes away ends quietly', async () => {
    const run = await runCli(['rows', lake, '--format', 'ndjson'], {
      whileRunning: async (child) => {
        child.stdout?.destroy()
        child.stdin?.end()
      },
    })
    expect(run).toMatchObject({ status: 0, stderr: '' })
  })
})

describe('rows --follow', () => {
  test('prints what the table holds and then gains until it is interrupted', async () => {
    await bayou('write', 'growing', folder.file('a.ndjson', '{"a":1}\n'))
    const run = await runCli(['rows', 'growing', '--follow', '--where', 'a < 3'], {
      cwd: folder.path,
      whileRunning: async (child) => {
        await new Promise((resolve) => child.stdout?.once('data', resolve))
        await bayou('write', 'growing', folder.file('b.ndjson', '{"a":3}\n{"a":2}\n'))
        await new Promise((resolve) => child.stdout?.once('data', resolve))
        child.kill('SIGINT')
      },
    })
    expect(run.stdout).toBe('{"a":1}\n{"a":2}\n')
    expect(run.status).toBe(130)
  })

  test.each(['--limit=1', '--version=0', '--output=x', '--format=csv'])('does not go with %s', async (option) => {
    expect(await bayou('rows', lake, '--follow', option)).toMatchObject({ status: 2, stdout: '' })
  })
})

describe('changes', () => {
  const feed = join(repositoryRoot, 'test/fixtures/tables-spark/cdf-deletion-vectors/table')

  test('print the rows that changed, deleted ones by the difference of two vectors', async () => {
    const table = await bayou(
      'changes',
      feed,
      '--from',
      '2',
      '--to',
      '3',
      '--select',
      'id,v,_change_type,_commit_version',
    )
    expect(table.stdout).toBe(`id  v   _change_type      _commit_version
 1  v1  delete                          2
 2  v2  update_preimage                 3
 2  u   update_postimage                3
 3  v3  update_preimage                 3
 3  u   update_postimage                3
`)
    const where = "_commit_version = 3 AND _change_type LIKE '%post%'"
    const ndjson = await bayou('changes', feed, '--from', '0', '--where', where, '--select', 'id', '--json')
    expect(ndjson.stdout).toBe('{"id":2}\n{"id":3}\n')
  })

  test('are a table of SQL', async () => {
    const query = `select count(*) n from table_changes_by_path('${feed}', 2, 3)`
    expect((await bayou('sql', query, '--json')).stdout).toContain('"rows":[{"n":5}]')
  })

  test('are refused without a start and beyond the end', async () => {
    expect((await bayou('changes', feed)).stderr).toMatch(/^error: DELTA_NO_START_FOR_CDC_READ: /)
    expect((await bayou('changes', feed, '--from', '99')).stderr).toMatch(
      /^error: DELTA_CDC_START_VERSION_AFTER_LATEST: /m,
    )
    expect((await bayou('changes', feed, '--from', '3', '--to', '2')).stderr).toMatch(
      /^error: DELTA_INVALID_CDC_RANGE: /m,
    )
  })
})

describe('set, unset, add-feature', () => {
  const shop = join(folder.path, 'shop')

  beforeAll(async () => {
    folder.file('shop.ndjson', '{"id":1}\n')
    await bayou('write', shop, 'shop.ndjson')
  })

  test('change properties and the protocol, a version each', async () => {
    expect((await bayou('set', shop, 'delta.columnMapping.mode=name', 'shop=a=b')).stdout).toBe('version 1\n')
    expect((await bayou('unset', shop, 'shop', 'nothing', '--json')).stdout).toBe('{"version":2}\n')
    expect((await bayou('add-feature', shop, 'v2checkpoint')).stdout).toBe('version 3\n')
    const detail = JSON.parse((await bayou('detail', shop, '--json')).stdout)
    expect(detail.properties).toEqual({ 'delta.columnMapping.mode': 'name', 'delta.columnMapping.maxColumnId': '1' })
    expect(detail.tableFeatures).toContain('v2Checkpoint')
  })

  test('refuse what no table takes, in one sentence and without a version', async () => {
    const unknown = await bayou('set', shop, 'delta.noSuch=1')
    expect(unknown.stderr).toMatch(/^error: DELTA_UNKNOWN_CONFIGURATION: there is no table property delta.noSuch/)
    expect(unknown.status).toBe(1)
    expect((await bayou('add-feature', shop, 'nope')).stderr).toMatch(/^error: DELTA_UNSUPPORTED_FEATURES_IN_CONFIG: /)
    expect((await bayou('set', shop, 'novalue')).status).toBe(2)
    expect((await bayou('history', shop, '--limit', '1')).stdout).toMatch(/^\s*version.*\n\s*3 /)
  })
})
