/** The verbs that keep a table: restore, clone, vacuum, convert, fsck; and the same as methods on tables in a bucket. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { jsEngine } from '../../src/engine/js/index.ts'
import { openSession, type Session } from '../../src/session/index.ts'
import { localStore } from '../../src/storage/fs/index.ts'
import { parseS3Address, s3Store } from '../../src/storage/s3/index.ts'
import type { DeltaTable } from '../../src/table/index.ts'
import { type S3Server, startS3Server } from '../../src/testing/index.ts'
import { runCli } from '../support/run-cli.ts'

const folder = mkdtempSync(join(tmpdir(), 'upkeep-'))
const LATER = '2060-01-01T00:00:00Z'
const PATIENT = 240_000
let server: S3Server
let session: Session
let now = Date.now()
beforeAll(async () => {
  server = await startS3Server()
  const openStore = (location: string) => {
    const address = parseS3Address(location)
    if (address === undefined) return localStore(location)
    const at = { endpoint: server.endpoint, region: 'eu-west-1', credentials: 'anonymous' } as const
    return s3Store({ bucket: address.bucket, prefix: address.key, ...at })
  }
  const clock = { now: () => now++ }
  session = openSession({ engine: jsEngine(), clock, openStore })
})
afterAll(async () => {
  await session.close()
  await server.close()
  rmSync(folder, { recursive: true })
})

async function makeOrders(location: string): Promise<DeltaTable> {
  const orders = [
    { id: 1, country: 'a b' },
    { id: 2, country: 'é' },
  ]
  await session.tables.write(location, orders, { partitionBy: ['country'] })
  const table = await session.tables.forPath(location)
  await table.overwrite([{ id: 3, country: 'a b' }])
  return table
}

const ids = async (table: DeltaTable) => (await table.rows({ select: ['id'] })).map(({ id }) => Number(id)).sort()

async function run(...args: string[]): Promise<string> {
  const { status, stdout, stderr } = await runCli(args)
  expect([status, stderr], args.join(' ')).toEqual([0, expect.not.stringContaining('error')])
  return stdout
}

test(
  'a table is restored, cloned, looked at and vacuumed',
  async () => {
    const at = (name: string) => join(folder, name)
    const table = await makeOrders(at('orders'))
    const plan = await run('restore', at('orders'), '--version', '0', '--plan')
    expect(plan).toContain('version 0 would come back; 2 files restored')
    expect(await table.version()).toBe(1)
    expect(JSON.parse(await run('restore', at('orders'), '--version', '0', '--json'))).toMatchObject({
      version: 2,
      restored: 0,
      metrics: { numRestoredFiles: 2, numRemovedFiles: 1 },
    })
    expect(await ids(table)).toEqual([1, 2])
    const copied = JSON.parse(await run('clone', at('orders'), at('copy'), '--json'))
    expect(copied.metrics).toMatchObject({ numCopiedFiles: 2 })
    expect(await run('fsck', at('orders'))).toContain('version 2, 2 files: nothing is wrong')
    const dry = await run('vacuum', at('orders'), '--dry-run', '--json', '--now', LATER)
    const gone = dry.trim().split('\n')
    expect(gone.map((line) => JSON.parse(line).path)).toEqual([expect.stringMatching(/^country=a b\/.*parquet$/)])
    expect(await run('vacuum', at('orders'), '--now', LATER)).toContain('1 file deleted')
    expect(await ids(table)).toEqual([1, 2])
  },
  PATIENT,
)

test('the same in a bucket, shallow clones too', async () => {
  const at = (name: string) => `s3://lake/x y/${name}`
  const table = await makeOrders(at('orders'))
  await table.restoreToVersion(0)
  expect((await table.clone(at('copy'))).metrics.numCopiedFiles).toBe(2)
  const named = await table.clone(at('named'), { shallow: true, properties: { note: 'trial' } })
  expect(named.metrics).toMatchObject({ sourceNumOfFiles: 2, numCopiedFiles: 0 })
  // between stores
  await table.clone(join(folder, 'from-bucket'))
  for (const location of [at('copy'), at('named'), join(folder, 'from-bucket')]) {
    expect(await ids(await session.tables.forPath(location)), location).toEqual([1, 2])
  }
  await expect(table.clone(join(folder, 'unreachable'), { shallow: true })).rejects.toMatchObject({
    code: 'LAKE_CLONE_UNREACHABLE',
  })
  const [clone] = [await session.tables.forPath(at('named'))]
  await clone.append([{ id: 7, country: 'own' }])
  await clone.delete('id < 7')
  now += 8 * 24 * 3_600_000
  expect((await clone.vacuum()).numDeletedFiles).toBe(0)
  expect((await table.vacuum({ dryRun: true })).numFilesToDelete).toBe(1)
  expect(await table.vacuum()).toMatchObject({ numDeletedFiles: 1, numVacuumedDirectories: 3 })
  expect(await ids(table)).toEqual([1, 2])
  expect(await table.fsck()).toMatchObject({ numProblems: 0, numOrphans: 0, numFiles: 2 })
})

test(
  'a folder of Parquet files becomes a table',
  async () => {
    for (const country of ['DE', 'FR']) {
      const location = join(folder, 'raw', `country=${country}`)
      await session.tables.write(location, [{ id: 1 }])
      rmSync(join(location, '_delta_log'), { recursive: true })
    }
    const convert = ['convert', join(folder, 'raw'), '--partition-by', 'country STRING']
    expect(await run(...convert, '--plan')).toContain('the table would have 2 files')
    expect(await run(...convert)).toMatch(/^version 0: 2 files .*; id bigint, country string/)
    expect(await run(...convert)).toBe('a table is there already\n')
  },
  PATIENT,
)

test(
  'fsck says 1 where something is wrong, and 0 when it was put right',
  async () => {
    const location = join(folder, 'broken')
    await session.tables.write(location, [{ id: 1 }])
    await session.tables.write(location, [{ id: 2 }], { mode: 'append' })
    const [file] = readdirSync(location).filter((name) => name.endsWith('.parquet'))
    rmSync(join(location, file!))
    const found = await runCli(['fsck', location])
    expect(found).toMatchObject({ status: 1, stdout: expect.stringContaining('(--repair: the file leaves the table)') })
    const repaired = await runCli(['fsck', location, '--repair'])
    expect(repaired).toMatchObject({ status: 0, stdout: expect.stringContaining('repaired as version 2') })
    expect(repaired.stderr).toContain(`${file}: the file leaves the table`)
  },
  PATIENT,
)

test(
  'what cannot be is refused',
  async () => {
    const location = join(folder, 'refused')
    await makeOrders(location)
    const neither = await runCli(['restore', location])
    expect(neither).toMatchObject({ status: 2, stderr: expect.stringContaining('--version') })
    const short = await runCli(['vacuum', location, '--retain', '1'])
    const code = 'DELTA_VACUUM_RETENTION_PERIOD_TOO_SHORT'
    expect(short).toMatchObject({ status: 1, stderr: expect.stringContaining(code) })
    const allowed = await runCli(['vacuum', location, '--retain', '1', '--no-retention-check'])
    expect(allowed).toMatchObject({ status: 0, stderr: expect.stringContaining('less than the 168') })
  },
  PATIENT,
)
