/** Credentials that end while they are in use: of roles, of a service that calls them expired, of one that fails to renew. */
import { afterEach, describe, expect, it } from 'vitest'
import { encodeUtf8 } from '../../support/index.ts'
import { type S3Server, type S3ServerOptions, s3Faults, startS3Server } from '../../testing/index.ts'
import { retrying } from '../index.ts'
import { assumedRole, renewing, type S3Credentials, s3Store } from './index.ts'

const SECOND = 1000

describe('renewing', () => {
  const setup = (lifetimeMs: number) => {
    const state = { nowMs: 1_000_000, loads: 0, isFailing: false, failures: 0 }
    const give = renewing(
      async () => {
        state.loads++
        await Promise.resolve()
        if (state.isFailing) throw new Error('the catalog is away')
        const expiration = new Date(state.nowMs + lifetimeMs)
        return { accessKeyId: `key ${state.loads}`, secretAccessKey: 's', expiration }
      },
      { clock: { now: () => state.nowMs }, onFailure: () => state.failures++ },
    )
    const key = async () => (await give()).accessKeyId
    return { state, give, key }
  }

  it('asks once for all who wait, and again a third of the time ahead of the end', async () => {
    const { state, key, give } = setup(90 * SECOND)
    expect(await Promise.all([key(), key(), key()])).toEqual(['key 1', 'key 1', 'key 1'])
    expect(give.expiresAtMs()).toBe(1_000_000 + 90 * SECOND)
    state.nowMs += 59 * SECOND
    expect(await key()).toBe('key 1')
    state.nowMs += 2 * SECOND
    expect(await Promise.all([key(), key()])).toEqual(['key 2', 'key 2'])
    expect(state.loads).toBe(2)
  })

  it('is five minutes ahead of the end of an hour', async () => {
    const { state, key } = setup(3600 * SECOND)
    await key()
    state.nowMs += 54 * 60 * SECOND
    expect(await key()).toBe('key 1')
    state.nowMs += 61 * SECOND
    expect(await key()).toBe('key 2')
  })

  it('a renewal that fails is borne until the end, and tried every five seconds', async () => {
    const { state, key } = setup(90 * SECOND)
    await key()
    state.isFailing = true
    state.nowMs += 61 * SECOND
    for (let i = 0; i < 10; i++) expect(await key()).toBe('key 1')
    expect([state.loads, state.failures]).toEqual([2, 1])
    state.nowMs += 6 * SECOND
    await key()
    expect([state.loads, state.failures]).toEqual([3, 2])
    state.nowMs += 30 * SECOND
    await expect(key()).rejects.toThrow('the catalog is away')
    state.isFailing = false
    expect(await key()).toBe('key 5')
  })

  it('what a service refused is dropped, unless it was renewed since the request', async () => {
    const { state, give, key } = setup(3600 * SECOND)
    await key()
    const sentAt = state.nowMs
    state.nowMs += SECOND
    give.refused(sentAt)
    expect(await key()).toBe('key 2')
    give.refused(sentAt)
    expect(await key()).toBe('key 2')
  })
})

describe('a store that signs with what can be renewed', () => {
  const ARN = 'arn:aws:iam::123456789012:role/writer'
  const starter = { accessKeyId: 'AKIASTART', secretAccessKey: 'start' }
  let server: S3Server
  const start = async (options: S3ServerOptions) => {
    server = await startS3Server({ users: [starter], ...options })
  }
  afterEach(() => server.close())

  const open = (options: { externalId?: string; credentials?: () => Promise<S3Credentials> } = {}) => {
    const credentials = assumedRole({
      roleArn: ARN,
      endpoint: server.endpoint,
      region: 'eu-west-1',
      credentials: async () => starter,
      ...options,
    })
    return retrying(s3Store({ bucket: 'lake', endpoint: server.endpoint, region: 'eu-west-1', credentials }), {
      firstDelayMs: 1,
    })
  }
  const assumptions = () => server.requests.filter(({ method, path }) => method === 'POST' && path === '/').length

  it('assumes the role once, and anew ahead of the end of each session', async () => {
    await start({ roles: { [ARN]: { lifetimeMs: 1500, externalId: 'partner-7' } } })
    const store = open({ externalId: 'partner-7' })
    const end = Date.now() + 3600
    let writes = 0
    while (Date.now() < end) {
      await Promise.all([store.put(`x${writes}`, encodeUtf8('1')), store.get(`x${writes - 1}`).catch(() => undefined)])
      writes++
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    expect(server.objects.size).toBe(writes)
    expect(assumptions()).toBeGreaterThanOrEqual(3)
    expect(assumptions()).toBeLessThanOrEqual(5)
    expect(server.requests.filter(({ headers }) => headers.authorization?.includes('AKIASTART')).length).toBe(
      assumptions(),
    )
  })

  it.each([
    ['a role that is not there', { roles: {} }],
    ['another external id', { roles: { [ARN]: { externalId: 'partner-8' } } }],
  ])('%s is denied in words without a secret', async (_, options) => {
    await start(options)
    await expect(open({ externalId: 'partner-7' }).get('x')).rejects.toMatchObject({
      code: 'LAKE_STORAGE_ACCESS_DENIED',
      message: expect.stringContaining(`assuming of the role ${ARN} was denied: the server answered 403, AccessDenied`),
    })
  })

  it('UP-19: a call that meets expired credentials is made again with new ones', async () => {
    await start({ roles: { [ARN]: {} } })
    const store = open()
    await store.put('x', encodeUtf8('1'))
    let faults = 0
    server.fault = ({ method }) => (method === 'GET' && faults++ === 0 ? s3Faults.expired : undefined)
    expect(await store.get('x')).toEqual(encodeUtf8('1'))
    expect(assumptions()).toBe(2)
  })

  it('UP-19: a conditional put that meets them is left open: nobody but the caller sends it again', async () => {
    await start({ roles: { [ARN]: {} } })
    const store = open()
    let puts = 0
    server.fault = ({ method }) => (method === 'PUT' && puts++ === 0 ? s3Faults.expired : undefined)
    await expect(store.putIfAbsent('x', encodeUtf8('1'))).rejects.toMatchObject({ code: 'LAKE_STORAGE_UNAVAILABLE' })
    expect(await store.putIfAbsent('x', encodeUtf8('1'))).toBe('created')
    expect([puts, assumptions()]).toEqual([2, 2])
  })

  it('UP-19: the parts of an upload go on with new ones', async () => {
    await start({ roles: { [ARN]: {} } })
    let parts = 0
    server.fault = ({ query }) => (query.has('partNumber') && ++parts === 2 ? s3Faults.expired : undefined)
    const bytes = new Uint8Array(20 * 1024 * 1024).fill(7)
    await open().put('x', bytes)
    expect(server.objects.get('x')?.length).toBe(bytes.length)
    expect([server.uploads.size, assumptions()]).toEqual([0, 2])
  })
})
