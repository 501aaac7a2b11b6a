/** The workspace of the tests answers as a real server was recorded to. */
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sharedMissing, sharedPath } from '../../../test/support/shared.ts'
import { startUnityServer, type UnityServer } from './index.ts'

interface Recorded {
  readonly name: string
  readonly request: { readonly method: string; readonly path: string; readonly body?: unknown }
  readonly response: { readonly status: number; readonly body: unknown }
}

const missing = sharedMissing('services', 'uc-recordings')
if (missing !== undefined) console.log(`skipped: recorded answers of Unity Catalog: ${missing}`)

const recordings = (file: string) =>
  missing === undefined
    ? (JSON.parse(readFileSync(sharedPath('services', 'uc-recordings', file), 'utf8')) as Recorded[])
    : []

const CALLS: readonly (readonly [file: string, name: string])[] = [
  ['open.json', 'get table'],
  ['open.json', 'get missing table'],
  ['open.json', 'get table in missing schema'],
  ['open.json', 'get table, two-part name'],
  ['open.json', 'credentials READ'],
  ['open.json', 'credentials READ_WRITE'],
  ['open.json', 'credentials of unknown table'],
  ['open.json', 'credentials, bad operation'],
  ['authorization.json', 'user without grants gets the table'],
  ['authorization.json', 'with SELECT: credentials READ'],
  ['authorization.json', 'with SELECT: credentials READ_WRITE'],
]

describe.skipIf(missing !== undefined)('answers', () => {
  let server: UnityServer
  let token: string
  let grant: 'READ' | 'READ_WRITE'
  let isVisible: boolean
  const web = {
    location: 's3://lake/tables/web',
    get grant() {
      return grant
    },
    get isVisible() {
      return isVisible
    },
  }
  beforeAll(async () => {
    server = await startUnityServer({
      clientId: 'c',
      clientSecret: 's',
      tables: { 'main.logs.web': web },
      vend: () => ({ accessKeyId: 'ASIA', secretAccessKey: 's', sessionToken: 't' }),
    })
    const body = new URLSearchParams({ grant_type: 'client_credentials', client_id: 'c', client_secret: 's' })
    const answer = await fetch(`${server.workspace}/oidc/v1/token`, { method: 'POST', body })
    token = ((await answer.json()) as { access_token: string }).access_token
  })
  afterAll(() => server.close())

  const send = async (method: string, path: string, body?: unknown) => {
    const headers = { authorization: `Bearer ${token}` }
    const sent = body === undefined ? {} : { body: JSON.stringify(body) }
    const answer = await fetch(`${server.workspace}${path}`, { method, headers, ...sent })
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
  }

  test.each(CALLS)('%s: %s', async (file, name) => {
    const { request, response } = recordings(file).find((entry) => entry.name === name)!
    grant = name.startsWith('with SELECT') ? 'READ' : 'READ_WRITE'
    isVisible = true
    const { body: table } = await send('GET', '/api/2.1/unity-catalog/tables/main.logs.web')
    isVisible = !name.startsWith('user without grants')
    const asked = request.body as { table_id?: string; operation?: string } | undefined
    const isUnknown = name.includes('unknown')
    const body = asked && { ...asked, ...(isUnknown ? {} : { table_id: table.table_id }) }
    const answer = await send(request.method, request.path, body)
    expect(answer.status).toBe(response.status)
    const recorded = response.body as Record<string, unknown>
    if (response.status === 200) {
      // what the client reads is there under the same name and of the same kind
      const keys = ['table_type', 'data_source_format', 'storage_location', 'aws_temp_credentials', 'expiration_time']
      for (const key of keys) expect(typeof answer.body[key], key).toBe(typeof recorded[key])
    } else {
      expect(answer.body.error_code).toBe(recorded.error_code)
      expect(answer.body.details).toEqual(recorded.details)
      if (!/bad operation/.test(name)) expect(answer.body.message).toBe(recorded.message)
    }
  })

  test.each([
    ['no token', undefined],
    ['rubbish token', 'Bearer rubbish'],
  ])('authorization.json: %s', async (name, authorization) => {
    const { response } = recordings('authorization.json').find((entry) => entry.name === name)!
    const answer = await fetch(`${server.workspace}/api/2.1/unity-catalog/catalogs`, {
      headers: authorization === undefined ? {} : { authorization },
    })
    expect(answer.status).toBe(response.status)
    expect(await answer.json()).toEqual(response.body)
  })
})
