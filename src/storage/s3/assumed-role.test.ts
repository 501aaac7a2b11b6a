/** Credentials that end while they are in use: of roles, of a service that calls them expired, of one that fails to renew. */
import { afterEach, describe, expect, it } from 'vitest'
import { encodeUtf8 } from '../../support/index.ts'
import { type S3Server, type S3ServerOptions, s3Faults, startS3Server } from '../../testing/index.ts'
import { retrying } from '../index.ts'
import { assumedRole, type S3Credentials, s3Store } from './index.ts'

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
    const end = Date.now() + 30_000
    let writes = 0
    while (assumptions() < 3 && Date.now() < end) {
      await Promise.all([store.put(`x${writes}`, encodeUtf8('1')), store.get(`x${writes - 1}`).catch(() => undefined)])
      writes++
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    expect(server.objects.size).toBe(writes)
    expect(assumptions()).toBe(3)
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
