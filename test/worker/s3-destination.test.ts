/** The worker's Delta destination on S3, in this process: rights, roles, the probe, and every request failing in turn. */
import { appendFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { failNthCall, type S3Request, s3Faults } from '../../src/testing/index.ts'
import { checkWorker, type WorkerEvent } from '../../src/worker/index.ts'
import { admin, env, type S3Ground, SECRETS, s3Ground, scopedPolicy } from './s3-ground.ts'

let ground: S3Ground
afterEach(() => ground.close())

const records = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => `{"id":${from + i},"name":"n"}\n`).join('')

const isLogPut = ({ method, key }: S3Request) => method === 'PUT' && /_delta_log\/\d+\.json$/.test(key)

describe('with the rights the how-to prints, on a service that tells them of missing objects as denied', () => {
  it('creates, appends, checkpoints and goes on, and asks for nothing else', async () => {
    ground = await s3Ground()
    for (let i = 0; i < 12; i++) {
      await appendFile(ground.input, records(i * 3, i * 3 + 3))
      await ground.run()
    }
    const { lines, snapshot } = await ground.read()
    expect(lines).toHaveLength(36)
    expect([snapshot.version, snapshot.segment.checkpointVersion]).toEqual([12, 10])
    const lists = ground.server.requests.filter(({ query }) => query.has('list-type'))
    expect(lists.every(({ query }) => query.get('prefix')!.startsWith('tables/access_log/_delta_log/'))).toBe(true)
    const commits = ground.server.requests.filter(isLogPut)
    expect(commits.every(({ headers, query }) => headers['if-none-match'] === '*' && !query.has('uploadId'))).toBe(true)
  })

  it('the probe is deleted, and comes before everything else', async () => {
    ground = await s3Ground()
    await ground.run()
    const [first, second, third] = ground.calls()
    expect(first).toMatch(/^PUT _bayou_probe_/)
    expect([second, third]).toEqual([first, first!.replace('PUT', 'DELETE')])
    expect([...ground.server.objects.keys()].filter((key) => key.includes('probe'))).toEqual([])
  })

  it('a check writes the probe alone', async () => {
    ground = await s3Ground()
    expect(await checkWorker(ground.config(), { env })).toEqual([])
    expect(ground.calls(({ method }) => method === 'PUT').every((call) => call.startsWith('PUT _bayou_probe_'))).toBe(
      true,
    )
    expect(ground.server.objects.size).toBe(0)
  })

  it('a right that is missing is told in the sentence of the how-to, with what was denied', async () => {
    const [listing, objects] = scopedPolicy.Statement
    const without = (action: string) => {
      const actions = (objects!.Action as string[]).filter((name) => name !== action)
      return { Statement: [listing!, { ...objects!, Action: actions }] }
    }
    for (const [policy, denied] of [
      [without('s3:PutObject'), 'putIfAbsent of _bayou_probe_'],
      [{ Statement: [objects!] }, 'list of _delta_log/'],
    ] as const) {
      ground = await s3Ground({ users: [{ accessKeyId: env.LAKE_KEY, secretAccessKey: env.LAKE_SECRET, policy }] })
      await expect(ground.run()).rejects.toMatchObject({
        code: 'WORKER_ACCESS_DENIED',
        message: 'Access denied writing to storage',
        remedy: expect.stringContaining(denied),
      })
      if (denied.startsWith('put')) await ground.close()
    }
  })
})

it('a store that passes over the condition is not started on', async () => {
  ground = await s3Ground({ ignoresConditions: true })
  await expect(ground.run()).rejects.toMatchObject({
    code: 'WORKER_STORE_UNCONDITIONAL',
    message:
      "the store at s3://lake/tables/access_log accepted a second write with If-None-Match: *; it cannot hold a Delta table's log",
  })
})

describe('a role', () => {
  const roleArn = 'arn:aws:iam::123456789012:role/delta-writer'
  const starter = { accessKeyId: env.LAKE_KEY, secretAccessKey: env.LAKE_SECRET, policy: { Statement: [] } }
  const start = async (lifetimeMs: number) => {
    ground = await s3Ground({
      users: [admin, starter],
      roles: { [roleArn]: { policy: scopedPolicy, externalId: 'partner-7', lifetimeMs } },
    })
    return { roleArn, externalId: 'partner-7', authEndpoint: ground.server.endpoint }
  }

  it('signs, renewed ahead of its end while the worker runs', async () => {
    const destination = { ...(await start(1500)), fileIntervalSecs: 1 }
    const stop = new AbortController()
    const source = { type: 'generator', path: undefined, recordsPerSec: 1000, batchRecords: 100 }
    const assumed = () => ground.calls(({ path, method }) => method === 'POST' && path === '/')
    const look = setInterval(() => assumed().length > 3 && stop.abort(), 100)
    const { destinations } = await ground.run({ source, destination }, { once: false, signal: stop.signal })
    clearInterval(look)
    const { rows } = await ground.read()
    expect(destinations[0]).toMatchObject({ rows: rows.length, retries: {} })
    expect(assumed().length).toBeGreaterThan(2)
  }, 30_000)

  it('that may not be assumed is told in the sentence of the how-to', async () => {
    const destination = { ...(await start(1500)), externalId: 'another' }
    await expect(ground.run({ destination })).rejects.toMatchObject({
      code: 'WORKER_ACCESS_DENIED',
      remedy: expect.stringContaining(roleArn),
    })
  })
})

describe('large files', () => {
  const partBytes = 5 * 1024 * 1024
  const wide = () => {
    const text = Array.from({ length: 9000 }, (_, i) => `{"id":${i},"name":"${noise(i)}"}\n`)
    return writeFile(ground.input, text.join(''))
  }
  const destination = { multipartPartBytes: partBytes, compression: 'none' }
  const isPart = ({ query }: S3Request) => query.has('partNumber')

  it('go in parts; one that cannot be completed leaves nothing behind', async () => {
    ground = await s3Ground()
    await wide()
    let parts = 0
    ground.server.fault = (request) => (isPart(request) && ++parts < 6 ? s3Faults.denied : undefined)
    const events: WorkerEvent[] = []
    const { destinations } = await ground.run({ destination }, { once: false, onEvent: (event) => events.push(event) })
    expect(destinations[0]).toMatchObject({ rows: 9000, commits: 1 })
    expect((await ground.read()).rows).toHaveLength(9000)
    expect(ground.server.uploads.size).toBe(0)
    expect(ground.calls(({ query, method }) => method === 'DELETE' && query.has('uploadId')).length).toBeGreaterThan(0)
    expect(events.find((event) => event.kind === 'stalled')).toMatchObject({
      reason: 'Access denied writing to storage',
    })
  }, 60_000)
})

/** Text that does not compress well. */
function noise(seed: number): string {
  let state = seed * 7919 + 1
  let text = ''
  for (let i = 0; i < 150; i++) {
    state = (state * 1103515245 + 12345) % 2147483648
    text += state.toString(36)
  }
  return text
}

describe('faults', () => {
  /** the others with `npm run faults` */
  const isWhole = process.env.BAYOU_FAULTS === 'all'
  const others = ['failedAfterEffect', 'lostRequest', 'throttled', 'racing', 'truncated'] as const
  const faults = ['lostAnswer', ...(isWhole ? others : [])] as const

  it.each(faults)(
    'UP-01, UP-34: whichever request meets %s, every record is there once',
    async (name) => {
      ground = await s3Ground()
      let isOver = false
      for (let n = 1; !isOver; n++) {
        await ground.server.objects.clear()
        await writeFile(ground.input, records(0, 20))
        const { plan, hasFailed } = failNthCall(n, s3Faults[name])
        ground.server.fault = plan
        await ground.run().catch(() => undefined)
        isOver = !hasFailed()
        ground.server.fault = undefined
        await ground.run()
        const { rows, commits, snapshot } = await ground.read()
        const ids = new Set(rows.map(([id]) => id))
        expect([rows.length, ids.size, commits.length], `request ${n}`).toEqual([20, 20, snapshot.version + 1])
        expect(n).toBeLessThan(60)
      }
    },
    120_000,
  )

  it('UP-40: what was denied for a while lands once it is allowed, without a start', async () => {
    ground = await s3Ground()
    await writeFile(ground.input, records(0, 10))
    let isDenied = true
    const reasons: unknown[] = []
    ground.server.fault = ({ method, key }) =>
      isDenied && method === 'PUT' && key.endsWith('.parquet') ? s3Faults.denied : undefined
    setTimeout(() => {
      isDenied = false
    }, 2500)
    const onEvent = (event: WorkerEvent) => event.kind === 'stalled' && reasons.push(event.reason)
    await ground.run({ destination: { fileIntervalSecs: 1 } }, { once: false, onEvent })
    expect(reasons).toEqual(['Access denied writing to storage', undefined])
    expect((await ground.read()).lines).toHaveLength(10)
  }, 30_000)
})

it('no secret comes out in events, summary or errors', async () => {
  ground = await s3Ground()
  await writeFile(ground.input, records(0, 10))
  let puts = 0
  ground.server.fault = ({ method }) => (method === 'PUT' && ++puts % 3 === 0 ? s3Faults.throttled : undefined)
  const said: unknown[] = []
  said.push(await ground.run({}, { onEvent: (event) => said.push(event) }))
  ground.server.fault = () => s3Faults.denied
  said.push(await ground.run().catch((error: unknown) => error))
  const { inspect } = await import('node:util')
  const text = inspect(said, { depth: 20, showHidden: true })
  for (const secret of SECRETS) expect(text).not.toContain(secret)
  expect(JSON.stringify((await import('node:fs')).readdirSync(join(ground.folder)))).not.toContain('probe')
})
