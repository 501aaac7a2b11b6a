/** Commands on tables in a bucket, over a small server in this process. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type S3Server, startS3Server } from '../../src/testing/index.ts'
import { makeFolder, runCli } from '../support/run-cli.ts'

const SECRET = 'wJalrXUtnFEMIsecretKEY'
let server: S3Server
let env: Record<string, string>
beforeAll(async () => {
  server = await startS3Server()
  env = {
    AWS_ENDPOINT_URL_S3: server.endpoint,
    AWS_REGION: 'eu-west-1',
    AWS_ACCESS_KEY_ID: 'AKIATEST',
    AWS_SECRET_ACCESS_KEY: SECRET,
  }
})
afterAll(() => server.close())

const TABLE = 's3://lake/a b/orders'
const run = (args: readonly string[], stdin = '') => runCli(args, { env, stdin })

test('a table in a bucket is written, read and described', async () => {
  for (const id of [1, 2]) {
    expect(await run(['write', TABLE, '-', '--mode', 'append'], `{"id":${id},"name":"n${id}"}\n`)).toMatchObject({
      status: 0,
      stderr: expect.not.stringContaining('Warning'),
    })
  }
  const { status, stdout } = await run(['rows', TABLE, '--where', 'id = 2', '--json'])
  expect([status, stdout]).toEqual([0, '{"id":2,"name":"n2"}\n'])
  expect([...server.objects.keys()].filter((key) => key.endsWith('.json'))).toEqual([
    'a b/orders/_delta_log/00000000000000000000.json',
    'a b/orders/_delta_log/00000000000000000001.json',
  ])
  const commits = server.requests.filter(({ method, key }) => method === 'PUT' && key.endsWith('.json'))
  expect(commits.map(({ headers }) => headers['if-none-match'])).toEqual(['*', '*'])
})

test('a commit whose answer is lost is found to be ours', async () => {
  let isMet = false
  server.fault = ({ method, key }) => {
    if (isMet || method !== 'PUT' || !key.endsWith('00000000000000000002.json')) return undefined
    isMet = true
    return { kind: 'done, hang up' }
  }
  const { status } = await run(['write', TABLE, '-', '--mode', 'append'], '{"id":3,"name":"n3"}\n')
  server.fault = undefined
  expect([status, isMet]).toEqual([0, true])
  expect((await run(['count', TABLE])).stdout).toBe('3\n')
})

test('who may not read is told so, without a secret', async () => {
  server.fault = () => ({ kind: 'refuse', status: 403, code: 'AccessDenied' })
  const { status, stderr } = await run(['rows', TABLE])
  server.fault = undefined
  expect(status).not.toBe(0)
  expect(stderr).toContain('LAKE_STORAGE_ACCESS_DENIED')
  expect(stderr).toContain('AccessDenied')
  expect(stderr).not.toContain(SECRET)
})

test('commands about the log of a local table load neither the SDK nor DuckDB', async () => {
  const folder = makeFolder()
  const coverage = mkdtempSync(join(tmpdir(), 'bayou-loaded-'))
  try {
    const table = join(folder.path, 'orders')
    expect((await runCli(['write', table, '-'], { stdin: '{"id":1}\n' })).status).toBe(0)
    expect((await runCli(['history', table], { env: { NODE_V8_COVERAGE: coverage } })).status).toBe(0)
    const loaded = readdirSync(coverage)
      .map((name) => readFileSync(join(coverage, name), 'utf8'))
      .join()
    // our own store is there, by its function, for the module may be part of a bundle
    expect(loaded.includes('"functionName":"s3Store"')).toBe(true)
    expect(/@aws-sdk|@smithy|@duckdb/.exec(loaded)?.[0]).toBeUndefined()
  } finally {
    folder.remove()
    rmSync(coverage, { recursive: true })
  }
})
