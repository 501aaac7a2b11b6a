/** The worker's Delta destination against S3 servers of others: rights, roles, a catalog that vends, workers killed. */
import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { duckdbEngine } from '../../src/engine/duckdb/index.ts'
import type { Engine } from '../../src/engine/index.ts'
import { jsLogEngine } from '../../src/engine/js/index.ts'
import { createTable } from '../../src/kernel/index.ts'
import { field, longType, stringType, structType } from '../../src/schema/index.ts'
import { retrying } from '../../src/storage/index.ts'
import { assumedRole, s3Store } from '../../src/storage/s3/index.ts'
import { collect } from '../../src/support/index.ts'
import { startUnityServer } from '../../src/testing/index.ts'
import { parseWorkerConfig, type RunOptions, runWorker } from '../../src/worker/index.ts'
import { readTable } from '../worker/read-table.ts'
import { type S3Service, serviceMissing, startService } from './service.ts'

interface MotoService extends S3Service {
  readonly stsEndpoint: string
  readonly roles: Readonly<Record<string, string>>
}

const KILL_SECS = Number(process.env.BAYOU_KILL_SECS ?? 12)
const RECORDS = KILL_SECS * 2000
const script = fileURLToPath(new URL('../worker/run-config.mjs', import.meta.url))

for (const [name, ...options] of [['moto', '--auth'], ['versitygw'], ['seaweedfs']] as const) {
  const missing = serviceMissing(name)
  if (missing !== undefined) console.log(`skipped: the worker against ${name}: ${missing}`)

  const lacksPolicies = name === 'seaweedfs'
  if (lacksPolicies) console.log(`skipped: the rights of the how-to against ${name}: it is started without policies`)
  const lacksRoles = name !== 'moto'
  if (lacksRoles) console.log(`skipped: roles and vended credentials against ${name}: it has no token service`)

  describe.skipIf(missing !== undefined)(`the worker against ${name}`, () => {
    let service: MotoService
    let engine: Engine
    let folder: string
    beforeAll(async () => {
      service = (await startService(name, ...options)) as MotoService
      engine = duckdbEngine({ memoryLimit: '512MiB', threads: 1 })
      folder = await mkdtemp(join(tmpdir(), 'bayou-worker-s3-'))
    })
    afterAll(async () => {
      service?.stop()
      await engine?.close()
      await rm(folder, { recursive: true, force: true })
    })

    const envOf = (user: string) => ({
      LAKE_KEY: service.users[user]!.accessKeyId,
      LAKE_SECRET: service.users[user]!.secretAccessKey,
    })
    const destinationOf = (path: string, more: object = {}) => ({
      id: 'lake',
      type: 'delta',
      location: `s3://${service.bucket}/${path}`,
      endpoint: service.endpoint,
      region: service.region,
      accessKeyId: 'LAKE_KEY',
      secretAccessKey: 'LAKE_SECRET',
      fileIntervalSecs: 1,
      bufferBytes: 1_048_576,
      deadLetterFile: join(folder, `${path.replaceAll('/', '-')}.dead.ndjson`),
      ...more,
    })
    const configOf = (destination: object, source: object = { count: 500 }) => ({
      name: 'w',
      sources: [{ id: 'made', type: 'generator', schema: 'id BIGINT, name STRING', ...source }],
      routes: [{ source: 'made', destination: 'lake' }],
      destinations: [destination],
    })
    const run = (config: object, user: string, more: RunOptions = {}) =>
      runWorker(parseWorkerConfig(config), { once: true, env: envOf(user), engine, ...more })
    const storeOf = (path: string, user = 'admin') => {
      const { endpoint, region, bucket, users } = service
      return retrying(s3Store({ bucket, prefix: path, endpoint, region, credentials: users[user]! }))
    }

    it.skipIf(lacksPolicies)('works with exactly the rights the how-to prints, over a checkpoint', async () => {
      const path = 'tables/access_log'
      for (let i = 1; i <= 11; i++) await run(configOf(destinationOf(path), { count: i * 10 }), 'scoped')
      const { rows, snapshot } = await readTable(storeOf(path))
      expect([rows.length, snapshot.version, snapshot.segment.checkpointVersion]).toEqual([110, 11, 10])
      // the rights are as narrow as they look; moto does not enforce the prefix of a listing
      if (name === 'versitygw') {
        await expect(collect(storeOf(path, 'scoped').list({ prefix: '' }))).rejects.toMatchObject({
          code: 'LAKE_STORAGE_ACCESS_DENIED',
        })
      }
      await expect(run(configOf(destinationOf('tables/other')), 'scoped')).rejects.toMatchObject({
        code: 'WORKER_ACCESS_DENIED',
        message: 'Access denied writing to storage',
      })
    })

    it('whoever may only read is refused at the start', async () => {
      await expect(run(configOf(destinationOf('tables/reader')), 'reader')).rejects.toMatchObject({
        message: 'Access denied writing to storage',
      })
    })

    it.skipIf(lacksRoles)('takes a role, and says which one it may not take', async () => {
      const role = (arn: string | undefined) => ({ roleArn: arn, authEndpoint: service.stsEndpoint })
      const path = 'tables/role'
      await run(configOf(destinationOf(path, role(service.roles['delta-writer']))), 'nobody')
      expect((await readTable(storeOf(path))).rows).toHaveLength(500)
      for (const [user, arn] of [
        ['nobody', service.roles['delta-reader']],
        ['nobody', service.roles['delta-denied']],
        ['reader', service.roles['delta-writer']],
      ] as const) {
        const config = configOf(destinationOf('tables/denied', role(arn)))
        await expect(run(config, user)).rejects.toMatchObject({ message: 'Access denied writing to storage' })
      }
    })

    it.skipIf(lacksRoles)('UP-19: a catalog vends sessions of a role, renewed ahead of their ends', async () => {
      const path = 'tables/web'
      const store = storeOf(path)
      const schema = structType([field('id', longType), field('name', stringType)])
      await createTable(store, jsLogEngine, { schema }, { operation: 'CREATE TABLE' })
      let vended = 0
      const unity = await startUnityServer({
        clientId: 'c',
        clientSecret: 'hidden',
        tokenSecs: 3,
        tables: { 'main.logs.web': { location: `s3://${service.bucket}/${path}` } },
        vend: async () => {
          vended++
          const nobody = service.users.nobody!
          const session = assumedRole({
            roleArn: service.roles['delta-writer']!,
            endpoint: service.stsEndpoint,
            region: service.region,
            credentials: async () => nobody,
          })
          const { accessKeyId, secretAccessKey, sessionToken = '' } = await session()
          return { accessKeyId, secretAccessKey, sessionToken, expiresAtMs: Date.now() + 2000 }
        },
      })
      try {
        const unityCatalog = { workspace: unity.workspace, table: 'main.logs.web', clientId: 'c', clientSecret: 'DBX' }
        const { location: _, accessKeyId: __, secretAccessKey: ___, ...rest } = destinationOf(path)
        const source = { count: 12_000, recordsPerSec: 2000, batchRecords: 200 }
        const { destinations } = await run(configOf({ ...rest, unityCatalog }, source), 'nobody', {
          env: { DBX: 'hidden' },
        })
        expect(destinations[0]).toMatchObject({ rows: 12_000, retries: {} })
        expect(vended).toBeGreaterThan(2)
        const { rows } = await readTable(store)
        expect([rows.length, new Set(rows.map(([id]) => id)).size]).toEqual([12_000, 12_000])
      } finally {
        await unity.close()
      }
    })

    it(`four workers on one table, one killed every second for ${KILL_SECS} s: each record once`, async () => {
      const path = 'tables/killed'
      const workers = await Promise.all(
        [0, 1, 2, 3].map(async (i) => {
          const source = { count: RECORDS, recordsPerSec: 2000, batchRecords: 200 }
          const config = { ...configOf(destinationOf(path), source), name: `w${i}` }
          const file = join(folder, `w${i}.json`)
          await writeFile(file, JSON.stringify(config))
          return new KilledWorker(file, { ...process.env, ...envOf('writer') })
        }),
      )
      const ends = workers.map((worker) => worker.runToEnd())
      for (let second = 0; second < KILL_SECS; second++) {
        await new Promise((resolve) => setTimeout(resolve, 1000))
        workers[second % workers.length]!.kill()
      }
      for (const worker of workers) worker.isSpared = true
      await Promise.all(ends)
      const kills = workers.reduce((sum, { numKilled }) => sum + numKilled, 0)
      const { rows, snapshot, commits } = await readTable(storeOf(path))
      console.log(`${name}: killed ${kills} times, ${snapshot.version} versions, ${rows.length} rows`)
      const counts = new Map<unknown, number>()
      for (const [id] of rows) counts.set(id, (counts.get(id) ?? 0) + 1)
      expect(kills).toBeGreaterThan(0)
      expect([rows.length, counts.size, new Set(counts.values())]).toEqual([4 * RECORDS, RECORDS, new Set([4])])
      expect(commits.length).toBe(snapshot.version + 1)
    }, 600_000)
  })
}

/** A worker in a process of its own, started again whenever it was killed, until it ends by itself. */
class KilledWorker {
  numKilled = 0
  isSpared = false
  private readonly config: string
  private readonly env: NodeJS.ProcessEnv
  private child: ReturnType<typeof spawn> | undefined

  constructor(config: string, env: NodeJS.ProcessEnv) {
    this.config = config
    this.env = env
  }

  kill(): void {
    if (!this.isSpared && this.child?.kill('SIGKILL')) this.numKilled++
  }

  async runToEnd(): Promise<void> {
    for (;;) {
      const { code, complaint } = await this.runOnce()
      if (code === 0) return
      if (code !== null) throw new Error(`the worker ended with ${code}: ${complaint}`)
    }
  }

  private runOnce(): Promise<{ code: number | null; complaint: string }> {
    const child = spawn(process.execPath, [script, this.config], { env: this.env, stdio: ['ignore', 'ignore', 'pipe'] })
    this.child = child
    let complaint = ''
    child.stderr.on('data', (text) => {
      complaint += text
    })
    return new Promise((resolve, reject) => {
      child.on('error', reject).on('exit', (code) => resolve({ code, complaint }))
    })
  }
}
