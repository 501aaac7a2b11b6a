/**
 * The catalog client and the worker against a live Unity Catalog server.
 *
 * That server has no sign-in for service principals, and vends S3 credentials only through AWS itself: a door in front of
 * it answers those two calls, and passes all else on.
 */
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { UnityCatalog } from '../../src/catalog/index.ts'
import { jsLogEngine } from '../../src/engine/js/index.ts'
import { createTable } from '../../src/kernel/index.ts'
import { field, longType, stringType, structType } from '../../src/schema/index.ts'
import { s3Store } from '../../src/storage/s3/index.ts'
import { parseWorkerConfig, runWorker } from '../../src/worker/index.ts'
import { readTable } from '../worker/read-table.ts'
import { type S3Service, type Service, serviceBuilt, serviceMissing, startService } from './service.ts'

const missing = serviceBuilt('unity') ?? serviceMissing('versitygw')
if (missing !== undefined) console.log(`skipped: the catalog against a live server: ${missing}`)

interface UnityService extends Service {
  readonly endpoint: string
  readonly api: string
}

describe.skipIf(missing !== undefined)('a live Unity Catalog server', () => {
  let unity: UnityService
  let s3: S3Service
  let door: Server
  let workspace: string
  beforeAll(async () => {
    unity = await startService<UnityService>('unity')
    s3 = await startService<S3Service>('versitygw')
    door = createServer((request, response) => {
      answer(request).then(
        ({ status, body }) => response.writeHead(status, { 'content-type': 'application/json' }).end(body),
        (error: unknown) => response.destroy(error instanceof Error ? error : undefined),
      )
    })
    await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve))
    workspace = `http://127.0.0.1:${(door.address() as AddressInfo).port}`
    await register('web', 'DELTA', `s3://${s3.bucket}/tables/web`)
    await register('sheet', 'CSV', `s3://${s3.bucket}/tables/sheet`)
    await register('here', 'DELTA', `${(unity as unknown as { root: string }).root}/here`)
  })
  afterAll(async () => {
    await new Promise((resolve) => door?.close(resolve))
    unity?.stop()
    s3?.stop()
  })

  async function answer(request: IncomingMessage): Promise<{ status: number; body: string }> {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const body = Buffer.concat(parts).toString()
    if (request.url === '/oidc/v1/token') {
      return {
        status: 200,
        body: JSON.stringify({ access_token: 'signed-in', token_type: 'Bearer', expires_in: 3600 }),
      }
    }
    if (request.url?.endsWith('/temporary-table-credentials')) {
      const { accessKeyId, secretAccessKey } = s3.users.writer!
      const aws = { access_key_id: accessKeyId, secret_access_key: secretAccessKey, session_token: '' }
      const expires = Date.now() + 3_600_000
      return { status: 200, body: JSON.stringify({ aws_temp_credentials: aws, expiration_time: expires }) }
    }
    const passed = await fetch(`${unity.endpoint}${request.url}`, {
      method: request.method!,
      headers: { 'content-type': 'application/json' },
      ...(body !== '' && { body }),
    })
    return { status: passed.status, body: await passed.text() }
  }

  async function post(path: string, body: object): Promise<void> {
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
    const answered = await fetch(`${unity.api}/${path}`, init)
    if (!answered.ok) throw new Error(`${path}: ${answered.status} ${await answered.text()}`)
  }

  async function register(name: string, format: string, location: string): Promise<void> {
    if (location.startsWith('s3:')) {
      await post('external-locations', { name: `at_${name}`, url: location, credential_name: 'cred' })
    }
    await post('tables', {
      name,
      catalog_name: 'main',
      schema_name: 'logs',
      table_type: 'EXTERNAL',
      data_source_format: format,
      storage_location: location,
      columns: [
        { name: 'id', type_text: 'bigint', type_name: 'LONG', type_json: '"long"', position: 0, nullable: true },
        { name: 'name', type_text: 'string', type_name: 'STRING', type_json: '"string"', position: 1, nullable: true },
      ],
    })
  }

  const run = (table: string) =>
    runWorker(
      parseWorkerConfig({
        name: 'w',
        sources: [{ id: 'made', type: 'generator', schema: 'id BIGINT, name STRING', count: 100 }],
        routes: [{ source: 'made', destination: 'lake' }],
        destinations: [
          {
            id: 'lake',
            type: 'delta',
            unityCatalog: { workspace, table, clientId: 'c', clientSecret: 'SECRET' },
            endpoint: s3.endpoint,
            region: s3.region,
            fileIntervalSecs: 1,
          },
        ],
      }),
      { once: true, env: { SECRET: 'hidden' } },
    )

  it('tells of a table, its kind, format and place', async () => {
    const catalog = new UnityCatalog({ workspace, clientId: 'c', clientSecret: () => 'hidden' })
    expect(await catalog.table('main.logs.web')).toMatchObject({
      name: 'main.logs.web',
      tableType: 'EXTERNAL',
      format: 'DELTA',
      location: `s3://${s3.bucket}/tables/web`,
    })
  })

  it('has its table written, found by name', async () => {
    const { endpoint, region, bucket, users } = s3
    const store = s3Store({ bucket, prefix: 'tables/web', endpoint, region, credentials: users.admin! })
    const schema = structType([field('id', longType), field('name', stringType)])
    await createTable(store, jsLogEngine, { schema }, { operation: 'CREATE TABLE' })
    const { destinations } = await run('main.logs.web')
    expect(destinations[0]).toMatchObject({ target: 'unity:main.logs.web', rows: 100, lastVersion: 1 })
    expect((await readTable(store)).rows).toHaveLength(100)
  })

  it.each([
    ['main.logs.none', /^Unity Catalog refused the table main\.logs\.none \(404\): /],
    ['main.none.web', /^Unity Catalog refused the table main\.none\.web \(404\): /],
    ['main.logs.sheet', /^the table is CSV, not Delta$/],
    ['main.logs.here', /^Unity Catalog vended no AWS credentials, or no expiry, .* the table must be in S3$/],
  ])('refuses %s in its own words', async (table, message) => {
    await expect(run(table)).rejects.toMatchObject({ message: expect.stringMatching(message) })
  })
})
