/** The Azure store against the service's emulator: the contract, races, and a worker's table. */
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BlobServiceClient } from '@azure/storage-blob'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { azureStore } from '../../src/storage/azure/index.ts'
import { objectStoreContract } from '../../src/storage/contract/index.ts'
import { retrying } from '../../src/storage/index.ts'
import { encodeUtf8 } from '../../src/support/index.ts'
import { parseWorkerConfig, runWorker } from '../../src/worker/index.ts'
import { readTable } from '../worker/read-table.ts'
import { serviceMissing, startService } from './service.ts'

const missing = serviceMissing('azurite')
if (missing !== undefined) console.log(`skipped: the Azure store against azurite: ${missing}`)

describe.skipIf(missing !== undefined)('the Azure store against azurite', () => {
  let service: { endpoint: string; account: string; key: string; connectionString: string; stop(): void }
  beforeAll(async () => {
    service = (await startService('azurite')) as unknown as typeof service
    await BlobServiceClient.fromConnectionString(service.connectionString).createContainer('lake')
  })
  afterAll(() => service?.stop())

  const open = (prefix: string = randomUUID(), key = service.key) => {
    const { endpoint, account } = service
    return azureStore({ container: 'lake', prefix, endpoint, credentials: () => ({ account, key }) })
  }

  describe('contract', () => {
    const make = async () => ({ store: open() })
    for (const { name, run } of objectStoreContract({ capabilities: { write: true, list: true }, make })) {
      // these list a key with U+FFFF, which the emulator cannot write into its answer
      const isBeyond = /in the order of their UTF-8 bytes|behind startAfter|shallow list/.test(name)
      it(name, isBeyond ? () => expect(run()).rejects.toThrow('the server answered 500') : run)
    }
  })

  it('of writers racing for one key from clients of their own exactly one creates it', async () => {
    const prefix = randomUUID()
    const writers = Array.from({ length: 8 }, () => open(prefix))
    for (let round = 0; round < 10; round++) {
      const answers = await Promise.all(writers.map((writer, i) => writer.putIfAbsent(`${round}`, encodeUtf8(`${i}`))))
      const winners = answers.flatMap((answer, i) => (answer === 'created' ? [i] : []))
      expect(winners).toHaveLength(1)
      expect(await open(prefix).get(`${round}`)).toEqual(encodeUtf8(`${winners[0]}`))
    }
  })

  it('a wrong key is denied, a container that is not there is named, and no key is told', async () => {
    const wrong = Buffer.from('wrong').toString('base64')
    const error: unknown = await open('x', wrong)
      .get('x')
      .catch((failure: unknown) => failure)
    expect(error).toMatchObject({ code: 'LAKE_STORAGE_ACCESS_DENIED' })
    expect(JSON.stringify(error)).not.toContain(wrong)
    const { endpoint, account, key } = service
    const nowhere = azureStore({ container: 'nowhere', endpoint, credentials: () => ({ account, key }) })
    await expect(nowhere.get('x')).rejects.toMatchObject({ code: 'LAKE_INVALID_LOCATION' })
  })

  it('a worker creates a table, appends over a checkpoint, and goes on where it stopped', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'bayou-azure-'))
    const config = (count: number) =>
      parseWorkerConfig({
        name: 'w',
        sources: [{ id: 'made', type: 'generator', schema: 'id BIGINT, name STRING', count }],
        routes: [{ source: 'made', destination: 'lake' }],
        destinations: [
          {
            id: 'lake',
            type: 'delta',
            location: 'az://lake/tables/orders',
            endpoint: service.endpoint,
            accessKeyId: 'AZ_ACCOUNT',
            secretAccessKey: 'AZ_KEY',
            deadLetterFile: join(folder, 'dead.ndjson'),
          },
        ],
      })
    try {
      const env = { AZ_ACCOUNT: service.account, AZ_KEY: service.key }
      for (let i = 1; i <= 11; i++) await runWorker(config(i * 5), { once: true, env })
      const { rows, snapshot } = await readTable(retrying(open('tables/orders')))
      expect([rows.length, snapshot.version, snapshot.segment.checkpointVersion]).toEqual([55, 11, 10])
      await expect(runWorker(config(1), { once: true, env: {} })).rejects.toMatchObject({
        code: 'WORKER_CREDENTIAL_MISSING',
        details: { name: 'AZ_ACCOUNT' },
      })
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })
})
