/** `bayou run` as people call it, from the build. */
import { spawn } from 'node:child_process'
import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readTable } from './read-table.ts'

const cli = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bayou-run-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

function start(...args: string[]) {
  const child = spawn(process.execPath, [cli, 'run', ...args], { cwd: folder, stdio: ['pipe', 'pipe', 'pipe'] })
  const said = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].on('data', (text) => {
      said[name] += text
    })
  }
  const ended = new Promise<Ended>((resolve) => child.on('close', (code) => resolve({ code, ...said })))
  const says = async (pattern: RegExp): Promise<RegExpExecArray> => {
    for (;;) {
      const match = pattern.exec(said.stderr)
      if (match !== null) return match
      if (child.exitCode !== null) throw new Error(`it ended: ${said.stderr}`)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  return { child, ended, says }
}

const source = { id: 's', type: 'file', path: 'in.ndjson', schema: 'id BIGINT, name STRING' }
const lake = { id: 'lake', type: 'delta', location: 'table' }
async function configure(config: object): Promise<string> {
  await writeFile(
    join(folder, 'worker.json'),
    JSON.stringify({
      name: 'w',
      sources: [source],
      routes: [{ source: 's', destination: 'lake' }],
      destinations: [lake],
      ...config,
    }),
  )
  return 'worker.json'
}

describe('a configuration', () => {
  it('with faults: a line for each, exit 1, nothing done', async () => {
    const file = await configure({
      destinations: [{ ...lake, fileIntervalSecs: 0, colour: 'red' }],
      server: { port: -1 },
    })
    const { code, stderr } = await start(file).ended
    expect(code).toBe(1)
    expect(stderr.trimEnd().split('\n')).toEqual([
      expect.stringMatching(
        /^error: WORKER_CONFIG_UNKNOWN_KEY: lake: destinations\[0\]\.colour: the key colour is not known; the keys here are id, /,
      ),
      'error: WORKER_CONFIG_VALUE: lake: destinations[0].fileIntervalSecs: fileIntervalSecs is 0; it is 1 to 3600',
      'error: WORKER_CONFIG_VALUE: server.port: port is -1; it is 0 to 65535',
    ])
  })

  it('that is not there, or no JSON, is one sentence', async () => {
    expect((await start('none.json').ended).stderr).toMatch(/^error: LAKE_CONFIG_INVALID: .*none\.json.*\n$/)
    expect((await start(await configure({ routes: [] })).ended).stderr).toBe(
      'error: WORKER_CONFIG_MISSING: routes: names no routes; routes is a list of one route or more\n',
    )
    await writeFile(join(folder, 'twice.json'), '{"name":"a","sources":[],"name":"b"}')
    expect((await start('twice.json').ended).stderr).toBe(
      'error: WORKER_CONFIG_MALFORMED: the configuration is not JSON: twice.json, character 25: the key name is there twice\n',
    )
    await writeFile(join(folder, 'bad.json'), '{"name": ')
    const { code, stderr } = await start('bad.json', '--json').ended
    expect(code).toBe(1)
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'WORKER_CONFIG_MALFORMED', sqlState: '42616' } })
  })

  it('--check and --print-schema do nothing but look', async () => {
    const file = await configure({
      routes: [{ source: 's', destination: 'lake', steps: [{ set: { twice: 'id * 2' } }] }],
    })
    expect(await start(file, '--check').ended).toMatchObject({ code: 0, stdout: 'w: nothing is wrong with 1 route\n' })
    const { stdout } = await start(file, '--print-schema', '--json').ended
    expect(JSON.parse(stdout)).toEqual({
      route: 's-to-lake',
      source: 's',
      destination: 'lake',
      columns: [
        { name: 'id', type: 'i64' },
        { name: 'name', type: 'string' },
        { name: 'twice', type: 'i64' },
      ],
      schema: {
        type: 'struct',
        fields: [
          { name: 'id', type: 'long', nullable: true, metadata: {} },
          { name: 'name', type: 'string', nullable: true, metadata: {} },
          { name: 'twice', type: 'long', nullable: true, metadata: {} },
        ],
      },
    })
    const schema = 'n u8, tags ARRAY<INT>, nothing VOID'
    const typed = await configure({ sources: [{ ...source, schema }] })
    expect(await start(typed, '--print-schema').ended).toMatchObject({
      code: 0,
      stdout: 's-to-lake (s to lake)\n  n  u8  smallint\n  tags  list<i32>  array<int>\n',
    })
    await expect(readTable(join(folder, 'table'))).rejects.toMatchObject({ code: 'DELTA_TABLE_NOT_FOUND' })
  })

  it('with a credential this host does not have is refused at the start', async () => {
    const file = await configure({
      destinations: [{ ...lake, location: 's3://bucket/table', accessKeyId: 'NO_SUCH_KEY', secretAccessKey: 'B' }],
    })
    expect((await start(file, '--check').ended).stderr).toBe(
      'error: WORKER_CREDENTIAL_MISSING: lake: the delta destination takes its access key from NO_SUCH_KEY, which this worker does not have; set the variable on the worker host, or store the secret: bayou secrets set NO_SUCH_KEY\n',
    )
  })
})

describe('a run', () => {
  it('--once drains, says what it did, and counts what it refused', async () => {
    const file = await configure({})
    await writeFile(join(folder, 'in.ndjson'), '{"id":1}\n{"id":"x"}\n{"id":2}\n')
    const { code, stdout, stderr } = await start(file, '--once').ended
    expect([code, stdout]).toEqual([0, ''])
    expect(stderr.trimEnd().split('\n')).toEqual([
      'w: started, lake to table',
      expect.stringMatching(/^lake: version 1, 2 rows in 1 file, .* ms, 1 record refused$/),
      'lake: 3 records, 2 rows, 1 commit up to version 1',
      'lake: 1 record refused, kept in lake.dead-letters.ndjson',
    ])
    expect(JSON.parse(await readFile(join(folder, 'lake.dead-letters.ndjson'), 'utf8'))).toMatchObject({
      record: '{"id":"x"}',
    })
  })

  it('prints records to standard output, from standard input', async () => {
    const file = await configure({
      sources: [{ id: 's', type: 'stdin', schema: 'id BIGINT' }],
      destinations: [{ id: 'lake', type: 'stdout' }],
    })
    const { child, ended } = start(file, '--quiet')
    child.stdin.end('{"id":9007199254740993}\n{"id":2}')
    expect(await ended).toMatchObject({ code: 0, stdout: '{"id":9007199254740993}\n{"id":2}\n', stderr: '' })
  })

  it('--log json tells one line a commit', async () => {
    const file = await configure({})
    await writeFile(join(folder, 'in.ndjson'), '{"id":1}\n')
    const { stderr } = await start(file, '--once', '--log', 'json').ended
    const lines = stderr
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines.map(({ msg }) => msg)).toEqual(['started', 'commit'])
    expect(lines[1]).toMatchObject({ level: 30, destination: 'lake', version: 1, files: 1, rows: 1 })
  })

  it('follows a file, serves its figures, and stops cleanly on SIGTERM', async () => {
    const file = await configure({
      sources: [{ ...source, tail: true, pollMs: 20 }],
      destinations: [{ ...lake, fileIntervalSecs: 1 }],
      server: { port: 0 },
    })
    await writeFile(join(folder, 'in.ndjson'), '{"id":1}\n')
    const { child, ended, says } = start(file)
    const [, url] = await says(/serving (\S+)/)
    await says(/version 1,/)
    expect(await (await fetch(`${url}/metrics`)).text()).toContain('bayou_worker_rows_total{destination="lake"} 1\n')
    expect(await (await fetch(`${url}/health`)).json()).toMatchObject({ status: 'ok' })
    await appendFile(join(folder, 'in.ndjson'), '{"id":2}\n{"id":')
    await new Promise((resolve) => setTimeout(resolve, 200))
    child.kill('SIGTERM')
    const { code, stderr } = await ended
    expect([code, stderr]).toEqual([0, expect.stringContaining('stopping: what is held is being committed')])
    expect((await readTable(join(folder, 'table'))).lines).toEqual(['{"id":1,"name":null}', '{"id":2,"name":null}'])
  })

  it('takes batches over HTTP and answers when they are in the table', async () => {
    const file = await configure({
      sources: [{ id: 's', type: 'http', schema: 'id BIGINT, name STRING', path: '/in' }],
      destinations: [{ ...lake, fileIntervalSecs: 1 }],
      server: { port: 0 },
    })
    const { child, ended, says } = start(file)
    const [, url] = await says(/serving (\S+)/)
    const post = (body: string) => fetch(`${url}/in`, { method: 'POST', body }).then((answer) => answer.json())
    expect(await Promise.all([post('{"id":1}\n{"id":2}'), post('{"id":"x"}\n{"id":3}\n')])).toEqual([
      { records: 2, refused: 0 },
      { records: 2, refused: 1 },
    ])
    expect((await readTable(join(folder, 'table'))).rows).toHaveLength(3)
    child.kill('SIGINT')
    expect((await ended).code).toBe(0)
  })

  it('a port in use, a folder that cannot be written: one sentence, exit 1', async () => {
    await writeFile(join(folder, 'in.ndjson'), '{"id":1}\n')
    const serving = start(await configure({ sources: [{ ...source, tail: true }], server: { port: 0 } }))
    const [, url] = await serving.says(/serving (\S+)/)
    const { port } = new URL(url!)
    const second = await configure({ server: { port: Number(port) } })
    expect(await start(second, '--once').ended).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^error: WORKER_PORT_UNAVAILABLE: the port \d+ of 127\.0\.0\.1 cannot be listened on: .*; free it/,
      ),
    })
    serving.child.kill('SIGTERM')
    await serving.ended
    await writeFile(join(folder, 'a file'), '')
    const blocked = await configure({ destinations: [{ ...lake, location: 'a file/table' }] })
    const { code, stderr } = await start(blocked, '--once').ended
    expect(code).toBe(1)
    expect(stderr).toMatch(/^error: LAKE_INVALID_KEY: .*a file stands where a folder above it would be; [^\n]*\n$/)
  })
})
