/** The S3 store against servers that others wrote: the contract, races, rights, whole tables. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { nodeEngine, openSession, parseTableSchema } from '../../src/index.ts'
import { objectStoreContract } from '../../src/storage/contract/index.ts'
import { retrying } from '../../src/storage/index.ts'
import { s3Store } from '../../src/storage/s3/index.ts'
import { encodeUtf8 } from '../../src/support/index.ts'
import { runWriters } from '../concurrency/run-writers.ts'
import { type S3Service, serviceMissing, startService } from './service.ts'

const SERVICES = [['moto', '--auth'], ['versitygw'], ['seaweedfs']] as const

/** What XML cannot hold versitygw lists as U+FFFD, though it is asked to encode keys; all else must be as expected. */
async function withoutNoncharacters(run: () => Promise<void>): Promise<void> {
  try {
    await run()
  } catch (error) {
    const text = String(error).replaceAll('\uffff', '\ufffd')
    const [, expected, got] = /expected (\[.*\]), got (\[.*\])$/s.exec(text) ?? []
    if (expected === undefined || expected !== got) throw error
  }
}

/** SeaweedFS lists `a/b` before `a-c`, folder by folder: where that differs from the order of keys it is refused by name. */
const LISTED_BY_FOLDER = new Set([
  'list gives keys in the order of their UTF-8 bytes, with their sizes',
  'list keeps to the prefix, which may end inside a segment',
  'list begins behind startAfter, wherever that stands',
])

async function refusesOrder(run: () => Promise<void>): Promise<void> {
  const refusal = { code: 'LAKE_STORAGE_UNSUPPORTED', message: expect.stringContaining('listing in the order of keys') }
  await expect(run()).rejects.toMatchObject(refusal)
}

/** What the contract asks of a server, as far as the server can. */
async function asFarAs(name: string, test: { readonly name: string; run(): Promise<void> }): Promise<void> {
  if (name === 'versitygw') return withoutNoncharacters(test.run)
  if (name === 'seaweedfs' && LISTED_BY_FOLDER.has(test.name)) return refusesOrder(test.run)
  return test.run()
}

for (const [name, ...options] of SERVICES) {
  const missing = serviceMissing(name)
  if (missing !== undefined) console.log(`skipped: the S3 store against ${name}: ${missing}`)

  describe.skipIf(missing !== undefined)(`the S3 store against ${name}`, () => {
    let service: S3Service
    beforeAll(async () => {
      service = await startService(name, ...options)
    })
    afterAll(() => service?.stop())

    const open = (user = 'writer', prefix: string = randomUUID()) => {
      const { endpoint, region, bucket, users } = service
      return s3Store({ bucket, prefix, endpoint, region, credentials: users[user]! })
    }

    describe('contract', () => {
      // moto answers 500 now and then where an object is read while another call replaces it
      const make = async () => ({ store: name === 'moto' ? retrying(open()) : open() })
      for (const test of objectStoreContract({ capabilities: { write: true, list: true }, make })) {
        it(test.name, () => asFarAs(name, test))
      }
    })

    it('of writers racing for one key from clients of their own exactly one creates it', async () => {
      const prefix = randomUUID()
      const writers = Array.from({ length: 8 }, () => open('writer', prefix))
      for (let round = 0; round < 20; round++) {
        const bytes = (i: number) => new Uint8Array(20_000).fill(i)
        const answers = await Promise.all(writers.map((writer, i) => writer.putIfAbsent(`${round}.json`, bytes(i))))
        const winners = answers.flatMap((answer, i) => (answer === 'created' ? [i] : []))
        expect(winners).toHaveLength(1)
        expect(await open('writer', prefix).get(`${round}.json`)).toEqual(bytes(winners[0]!))
      }
    })

    it('a large object goes in parts', async () => {
      const bytes = Uint8Array.from({ length: 11 * 1024 * 1024 }, (_, i) => i >> 7)
      await open('writer', 'large').put('x', bytes)
      expect((await open('writer', 'large').head('x')).size).toBe(bytes.length)
      expect(Buffer.compare(await open('writer', 'large').get('x'), bytes)).toBe(0)
    })

    it('who may only read is told so when writing, and a wrong secret when reading', async () => {
      await open('writer', 'rights').put('x', encodeUtf8('1'))
      const reader = open('reader', 'rights')
      expect(await reader.get('x')).toEqual(encodeUtf8('1'))
      const denied = { code: 'LAKE_STORAGE_ACCESS_DENIED' }
      await expect(reader.put('x', encodeUtf8('2'))).rejects.toMatchObject(denied)
      await expect(reader.putIfAbsent('y', encodeUtf8('2'))).rejects.toMatchObject(denied)
      await expect(reader.delete('x')).rejects.toMatchObject(denied)
      const { endpoint, region, bucket, users } = service
      const credentials = { ...users.writer!, secretAccessKey: 'wrong' }
      const store = s3Store({ bucket, endpoint, region, credentials })
      await expect(store.get('rights/x')).rejects.toMatchObject(denied)
    })

    it('a bucket that is not there is named', async () => {
      const { endpoint, region, users } = service
      const store = s3Store({ bucket: 'no-such-bucket', endpoint, region, credentials: users.admin! })
      await expect(store.get('x')).rejects.toMatchObject({
        code: 'LAKE_INVALID_LOCATION',
        message: expect.stringContaining('no-such-bucket'),
      })
    })

    it('a table is created, appended to, checkpointed and read', async () => {
      const session = openSession({ engine: nodeEngine(), openStore: (path) => retrying(open('writer', path)) })
      try {
        const schema = parseTableSchema('id BIGINT, name STRING')
        const path = `tables/${randomUUID()}`
        const rows = Array.from({ length: 12 }, (_, i) => ({ id: BigInt(i), name: `n${i} é` }))
        for (const row of rows) await session.tables.write(path, [row], { schema, mode: 'append' })
        const table = await session.tables.forPath(path)
        const found = await table.scan().rows()
        expect(found).toHaveLength(rows.length)
        expect(found).toEqual(expect.arrayContaining(rows))
        await expect(open('writer', path).head('_delta_log/_last_checkpoint')).resolves.toBeDefined()
      } finally {
        await session.close()
      }
    })

    it('processes append at once: every append stands once, in a version of its own', async () => {
      const { endpoint, region, bucket, users } = service
      const prefix = `tables/${randomUUID()}`
      const { accessKeyId, secretAccessKey } = users.writer!
      const env = {
        AWS_ENDPOINT_URL_S3: endpoint,
        AWS_REGION: region,
        AWS_ACCESS_KEY_ID: accessKeyId,
        AWS_SECRET_ACCESS_KEY: secretAccessKey,
      }
      const session = openSession({ engine: nodeEngine(), openStore: () => retrying(open('writer', prefix)) })
      try {
        const schema = parseTableSchema('writer STRING, step BIGINT, row BIGINT')
        await session.tables.write('t', [{ writer: 'first', step: 0n, row: 0n }], { schema })
        const specs = [0, 1, 2, 3].map((i) => ({ work: 'append' as const, name: `w${i}`, count: 10 }))
        const { reports } = await runWriters(`s3://${bucket}/${prefix}`, specs, env)
        const versions = reports.flatMap((report) => report.versions).sort((a, b) => a - b)
        expect(versions).toEqual(Array.from({ length: 40 }, (_, i) => i + 1))
        const rows = await (await session.tables.forPath('t')).rows()
        const seen = new Set(rows.map(({ writer, step, row }) => `${writer} ${step} ${row}`))
        expect([rows.length, seen.size]).toEqual([401, 401])
      } finally {
        await session.close()
      }
    })
  })
}
