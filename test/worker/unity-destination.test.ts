/** The worker's Delta destination on a table that Unity Catalog names: every refusal word for word, renewal, no secret told. */
import { appendFile, writeFile } from 'node:fs/promises'
import { inspect } from 'node:util'
import { afterEach, describe, expect, it } from 'vitest'
import { type ServerRequest, s3Faults, type UnityFault } from '../../src/testing/index.ts'
import { checkWorker, type RunOptions } from '../../src/worker/index.ts'
import {
  CLIENT_SECRET,
  NAME,
  type UnityGround,
  type UnityGroundOptions,
  unityEnv,
  unityGround,
} from './unity-ground.ts'

let ground: UnityGround
afterEach(() => ground.close())

const records = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => `{"id":${from + i},"name":"n"}\n`).join('')
const isSignIn = ({ path }: ServerRequest) => path === '/oidc/v1/token'
const isTable = ({ path }: ServerRequest) => path.startsWith('/api/2.1/unity-catalog/tables/')
const isVending = ({ path }: ServerRequest) => path.endsWith('/temporary-table-credentials')

const start = async (options: UnityGroundOptions = {}) => {
  ground = await unityGround(options)
}
const run = (more: object = {}, options: RunOptions = {}) =>
  ground.run({ destination: { ...ground.destination, ...more } }, { env: unityEnv, ...options })

it('is signed in to, looked up, and written with vended credentials in the policy of the how-to', async () => {
  await start()
  await writeFile(ground.input, records(0, 10))
  const { destinations } = await run()
  expect(destinations[0]).toMatchObject({ target: `unity:${NAME}`, rows: 10, lastVersion: 1 })
  expect((await ground.read()).lines).toHaveLength(10)
  expect(ground.unity.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'POST /oidc/v1/token',
    'GET /api/2.1/unity-catalog/tables/main.logs.web',
    'POST /api/2.1/unity-catalog/temporary-table-credentials',
  ])
  const form = Object.fromEntries(new URLSearchParams(Buffer.from(ground.unity.requests[0]!.bytes).toString()))
  expect(form).toEqual({
    grant_type: 'client_credentials',
    scope: 'all-apis',
    client_id: '6f1c2a3b',
    client_secret: CLIENT_SECRET,
  })
  expect(ground.server.requests.some(({ headers }) => headers.authorization?.includes('/us-west-2/s3/'))).toBe(true)
})

describe('UP-47: refuses to start', () => {
  const refusal = async (options: UnityGroundOptions, more: object = {}, env: Record<string, string> = unityEnv) => {
    await start(options)
    const error = await run(more, { env }).then(
      () => undefined,
      (failure: unknown) => failure as Error & { code: string; remedy: string; details: object },
    )
    const checked = await checkWorker(ground.config({ destination: { ...ground.destination, ...more } }), { env })
    expect(checked.map(({ message }) => message)).toEqual([error?.message])
    expect(error?.details).toMatchObject({ destination: 'lake' })
    return error?.message
  }
  const unityCatalog = (more: object) => ({
    unityCatalog: { ...(ground.destination.unityCatalog as object), ...more },
  })

  it.each<[string, UnityGroundOptions, string]>([
    ['a table that is not Delta', { table: { format: 'CSV' } }, 'the table is CSV, not Delta'],
    ['a managed table', { table: { tableType: 'MANAGED' } }, 'the table is MANAGED; only an external table is written'],
    ['a view', { table: { tableType: 'VIEW' } }, 'the table is VIEW; only an external table is written'],
    [
      'a table it may not see',
      { table: { isVisible: false } },
      'Unity Catalog refused the table main.logs.web (403): PERMISSION_DENIED: Access denied.',
    ],
    [
      'a table that is not there',
      { tables: { 'main.logs.other': { location: 's3://lake/x' } } },
      'Unity Catalog refused the table main.logs.web (404): TABLE_NOT_FOUND: Table not found: main.logs.web',
    ],
    [
      'a schema without the grant for use from outside',
      { table: { grant: 'none' } },
      "Unity Catalog refused credentials for the table's storage (403): PERMISSION_DENIED: User does not have EXTERNAL USE SCHEMA on Schema 'main.logs'.",
    ],
    [
      'a table it may only read',
      { table: { grant: 'READ' } },
      "Unity Catalog refused credentials for the table's storage (403): PERMISSION_DENIED: Access denied.",
    ],
    [
      'a table that is not in S3',
      { vend: () => undefined },
      "Unity Catalog vended no AWS credentials, or no expiry, for the table's storage; the table must be in S3",
    ],
    [
      'credentials without an end',
      { vend: () => ({ accessKeyId: 'a', secretAccessKey: 'b', sessionToken: 'c' }) },
      "Unity Catalog vended no AWS credentials, or no expiry, for the table's storage; the table must be in S3",
    ],
    [
      'a multi-region access point',
      {
        vend: () => ({
          accessKeyId: 'a',
          secretAccessKey: 'b',
          expiresAtMs: Date.now() + 3_600_000,
          accessPoint: 'arn:aws:s3::123456789012:accesspoint/mfzwi23gnjvgw.mrap',
        }),
      },
      'the table is reached through a multi-region access point, which this destination does not write',
    ],
    [
      'a location that is one',
      { table: { location: 's3://arn:aws:s3::123456789012:accesspoint:mfzwi23gnjvgw.mrap/x' } },
      'the table is reached through a multi-region access point, which this destination does not write',
    ],
    [
      'a location of another kind',
      { table: { location: 'abfss://c@account.dfs.core.windows.net/x' } },
      "Unity Catalog vended no AWS credentials, or no expiry, for the table's storage; the table must be in S3",
    ],
    [
      'a table whose log is not there',
      { isEmpty: true },
      'there is no Delta table at s3://lake/tables/access_log, where Unity Catalog says it lies',
    ],
  ])('%s', async (_, options, message) => {
    expect(await refusal(options)).toBe(message)
  })

  it('a secret this host does not have', async () => {
    expect(await refusal({}, {}, {})).toBe(
      'the delta destination takes its client secret from DATABRICKS_CLIENT_SECRET, which this worker does not have',
    )
    expect(ground.unity.requests).toEqual([])
  })

  it('a wrong secret', async () => {
    const message = await refusal({}, {}, { DATABRICKS_CLIENT_SECRET: 'dose-wrong' })
    expect(message).toBe(
      `${ground.unity.workspace} /oidc/v1/token refused the sign-in (401): invalid_client: Client authentication failed`,
    )
  })

  it('a wrong client id, and a workspace that is none', async () => {
    await start()
    await expect(run(unityCatalog({ clientId: 'other' }))).rejects.toThrow(
      'refused the sign-in (401): invalid_client: Client authentication failed',
    )
    ground.unity.fault = (request) => (isSignIn(request) ? { status: 404, body: 'Not Found\n' } : undefined)
    await expect(run()).rejects.toThrow('refused the sign-in (404): Not Found')
  })
})

describe('faults of the workspace', () => {
  const once = (fault: UnityFault | 'hang up', test: (request: ServerRequest) => boolean) => {
    let isMet = false
    ground.unity.fault = (request) => {
      if (isMet || !test(request)) return undefined
      isMet = true
      return fault
    }
  }
  it.each<[string, UnityFault | 'hang up']>([
    ['429 with a time to wait', { status: 429, headers: { 'retry-after': '0' } }],
    ['500', { status: 500, body: '{"error_code":"INTERNAL","message":"x"}' }],
    ['503', { status: 503 }],
    ['no answer', 'hang up'],
  ])('that can pass are tried again: %s', async (_, fault) => {
    await start()
    for (const test of [isSignIn, isTable, isVending]) {
      ground.unity.requests.splice(0)
      once(fault, test)
      await run()
      expect(ground.unity.requests.filter(test)).toHaveLength(2)
    }
  })

  it('a token that was taken back is replaced once', async () => {
    await start()
    once({ status: 401, body: '{"error_code":"UNAUTHENTICATED","message":"Invalid access token."}' }, isTable)
    await run()
    expect(ground.unity.requests.filter(isSignIn)).toHaveLength(2)
    ground.unity.fault = (request) => (isTable(request) ? { status: 401, body: '{"error_code":"X"}' } : undefined)
    await expect(run()).rejects.toThrow('Unity Catalog refused the table main.logs.web (401): X')
  })

  it('a redirect is not followed: the secret goes nowhere else', async () => {
    await start()
    const elsewhere = `${ground.server.endpoint}/stolen`
    ground.unity.fault = (request) =>
      isSignIn(request) ? { status: 307, headers: { location: elsewhere } } : undefined
    await expect(ground.run({ destination: ground.destination }, { env: unityEnv })).rejects.toMatchObject({
      code: 'WORKER_UNITY_UNAVAILABLE',
    })
    expect(ground.server.requests.filter(({ path }) => path === '/stolen')).toEqual([])
  }, 30_000)
})

describe('UP-19: while it runs', () => {
  const generator = { type: 'generator', path: undefined, recordsPerSec: 1000, batchRecords: 100 }
  const runUntil = async (isEnough: () => boolean) => {
    const stop = new AbortController()
    const look = setInterval(() => isEnough() && stop.abort(), 100)
    const destination = { ...ground.destination, fileIntervalSecs: 1 }
    const options = { env: unityEnv, once: false, signal: stop.signal }
    return ground.run({ source: generator, destination }, options).finally(() => clearInterval(look))
  }

  it('credentials and tokens are renewed ahead of their ends, one renewal at a time', async () => {
    await start({ lifetimeMs: 1500, tokenSecs: 2 })
    const signIns = () => ground.unity.requests.filter(isSignIn).length
    const { destinations } = await runUntil(() => ground.vended.length > 3 && signIns() > 1)
    const { rows } = await ground.read()
    expect(destinations[0]).toMatchObject({ rows: rows.length, retries: {} })
    expect(ground.vended.length).toBeLessThan(12)
  }, 30_000)

  it('expired in the middle: requests are sent again with new ones, no record is lost or doubled', async () => {
    await start()
    let requests = 0
    ground.server.fault = () => (++requests % 7 === 0 ? s3Faults.expired : undefined)
    const { destinations } = await runUntil(() => ground.vended.length > 3)
    ground.server.fault = undefined
    const { rows } = await ground.read()
    expect(new Set(rows.map(([id]) => id)).size).toBe(rows.length)
    expect(destinations[0]).toMatchObject({ rows: rows.length })
    expect(ground.vended.length).toBeGreaterThan(1)
  }, 30_000)

  it('a grant that is taken away is told, and waited for', async () => {
    await start({ lifetimeMs: 1500 })
    const end = Date.now() + 6000
    ground.unity.fault = (request) =>
      ground.vended.length > 0 && Date.now() < end && isVending(request)
        ? { status: 403, body: 'grant gone' }
        : undefined
    const reasons: unknown[] = []
    const stop = new AbortController()
    setTimeout(() => stop.abort(), 9000)
    await ground.run(
      { source: generator, destination: { ...ground.destination, fileIntervalSecs: 1 } },
      {
        env: unityEnv,
        once: false,
        signal: stop.signal,
        onEvent: (event) => event.kind === 'stalled' && reasons.push(event.reason),
      },
    )
    expect(reasons[0]).toBe("Unity Catalog refused credentials for the table's storage (403): grant gone")
    expect(reasons.at(-1)).toBeUndefined()
    const { rows } = await ground.read()
    expect(new Set(rows.map(([id]) => id)).size).toBe(rows.length)
  }, 60_000)
})

it('no secret, token or vended key comes out in events, errors, summary or the table’s history', async () => {
  await start()
  await appendFile(ground.input, records(0, 5))
  const said: unknown[] = []
  said.push(await run({}, { onEvent: (event) => said.push(event) }))
  ground.unity.fault = (request) => {
    // a workspace that repeats what it was sent
    if (isSignIn(request)) return { status: 400, body: Buffer.from(request.bytes).toString() }
    return undefined
  }
  said.push(await run().catch((error: unknown) => error))
  ground.unity.fault = (request) =>
    isTable(request) ? { status: 403, body: `token ${request.headers.authorization}` } : undefined
  said.push(await run().catch((error: unknown) => error))
  said.push((await ground.read()).commits)
  const text = inspect(said, { depth: 20, showHidden: true })
  expect(text).toContain('refused the sign-in (400)')
  const secrets = [CLIENT_SECRET, encodeURIComponent(CLIENT_SECRET)]
  for (const secret of secrets) expect(text).not.toContain(secret)
  for (const { secretAccessKey, sessionToken } of ground.vended) {
    expect(text).not.toContain(secretAccessKey)
    expect(text).not.toContain(sessionToken)
  }
  expect(text).toContain('token Bearer ***')
})
