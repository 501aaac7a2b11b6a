/** Stored secrets: set, listed by name, removed; and tables by their name in a catalog, signed in to with one. */
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { credentialLookup, listSecrets, removeSecret, setSecret } from '../../src/worker/index.ts'
import { makeFolder, runCli } from '../support/run-cli.ts'
import { CLIENT_SECRET, type UnityGround, unityGround } from '../worker/unity-ground.ts'

let folder: string
let env: Record<string, string>
beforeEach(() => {
  folder = makeFolder().path
  env = { XDG_CONFIG_HOME: folder }
})
const file = () => join(folder, 'bayou', 'secrets.json')
const run = (args: readonly string[], stdin = '') => runCli(['secrets', ...args], { env, stdin })

test('are kept for their owner alone, listed by name, replaced and removed', async () => {
  expect(await run(['set', 'LAKE_SECRET'], 'hunter2\n')).toMatchObject({ status: 0, stdout: '' })
  setSecret(file(), 'A_KEY', ' spaces stay ')
  setSecret(file(), 'LAKE_SECRET', 'hunter3')
  expect(statSync(file()).mode & 0o777).toBe(0o600)
  expect(JSON.parse(readFileSync(file(), 'utf8'))).toEqual({ LAKE_SECRET: 'hunter3', A_KEY: ' spaces stay ' })
  const listed = await run(['list'])
  expect(listed).toMatchObject({ status: 0, stdout: 'A_KEY\nLAKE_SECRET\n' })
  expect(await run(['rm', 'A_KEY'])).toMatchObject({ status: 0 })
  expect(listSecrets(file())).toEqual(['LAKE_SECRET'])
})

test('a variable of the name comes first, and an empty one is none', () => {
  setSecret(file(), 'LAKE_SECRET', 'stored')
  expect(credentialLookup(env)('LAKE_SECRET')).toBe('stored')
  expect(credentialLookup({ ...env, LAKE_SECRET: 'variable' })('LAKE_SECRET')).toBe('variable')
  expect(credentialLookup({ ...env, LAKE_SECRET: '' })('LAKE_SECRET')).toBe('stored')
  expect(credentialLookup(env)('OTHER')).toBeUndefined()
})

test('what cannot be is refused, and never quoted', async () => {
  for (const [args, code] of [
    [['set', 'EMPTY'], 'WORKER_SECRET_EMPTY'],
    [['set'], 'WORKER_CONFIG_MISSING'],
    [['show', 'X'], 'WORKER_CONFIG_VALUE'],
  ] as const) {
    const { status, stderr } = await run(args, '\n')
    expect([status, stderr]).toEqual([1, expect.stringContaining(code)])
  }
  expect(existsSync(file())).toBe(false)
  const refused = (code: string, text = '') => expect.objectContaining({ code, message: expect.stringContaining(text) })
  expect(() => setSecret(file(), 'no spaces', 'x')).toThrow(refused('WORKER_SECRET_NAME'))
  expect(() => removeSecret(file(), 'NEVER_SET')).toThrow(refused('WORKER_SECRET_UNKNOWN'))
  setSecret(file(), 'A', 'hunter2')
  writeFileSync(file(), '{"A": "hunter2"', { mode: 0o600 })
  const broken = refused('WORKER_SECRETS_FILE', 'it is not a JSON object of texts')
  expect(() => listSecrets(file())).toThrow(broken)
  expect(() => listSecrets(file())).not.toThrow(
    expect.objectContaining({ message: expect.stringContaining('hunter2') }),
  )
  writeFileSync(file(), '{"A": "hunter2"}')
  chmodSync(file(), 0o644)
  expect(() => listSecrets(file())).toThrow(refused('WORKER_SECRETS_FILE', 'others can read it; make it 0600'))
})

let ground: UnityGround | undefined
afterEach(async () => {
  await ground?.close()
  ground = undefined
})

test('unity:catalog.schema.table is a table for every command, where a workspace is configured', async () => {
  ground = await unityGround()
  const { workspace, clientId } = ground.destination.unityCatalog as Record<string, string>
  const config = join(folder, 'bayou.json')
  const { endpoint } = ground.server
  const unityCatalog = { workspace, clientId, clientSecret: 'DBX', region: 'us-west-2', endpoint }
  writeFileSync(config, JSON.stringify({ unityCatalog }))
  await run(['set', 'DBX'], CLIENT_SECRET)
  const bayou = (args: readonly string[], stdin = '') => runCli([...args, '--config', config], { env, stdin })
  const written = await bayou(['write', 'unity:main.logs.web', '-', '--mode', 'append'], '{"id":1,"name":"a"}\n')
  expect(written).toMatchObject({ status: 0 })
  expect(await bayou(['rows', 'unity:main.logs.web', '--json'])).toMatchObject({
    status: 0,
    stdout: '{"id":1,"name":"a"}\n',
  })
  const bare = await runCli(['rows', 'unity:main.logs.web'], { env })
  expect(bare.stderr).toContain('no workspace is known')
})

test('a table that the catalog manages is read, and not written', async () => {
  ground = await unityGround({ table: { tableType: 'MANAGED', grant: 'READ' } })
  const { workspace, clientId } = ground.destination.unityCatalog as Record<string, string>
  const config = join(folder, 'bayou.json')
  const unityCatalog = {
    workspace,
    clientId,
    clientSecret: 'DBX',
    region: 'us-west-2',
    endpoint: ground.server.endpoint,
  }
  writeFileSync(config, JSON.stringify({ unityCatalog }))
  const own = { ...env, DBX: CLIENT_SECRET }
  const counted = await runCli(['count', 'unity:main.logs.web', '--config', config], { env: own })
  expect(counted).toMatchObject({ status: 0, stdout: '0\n' })
  const args = ['write', 'unity:main.logs.web', '-', '--mode', 'append', '--config', config]
  expect((await runCli(args, { env: own, stdin: '{"id":1}\n' })).stderr).toContain(
    'the table is MANAGED; only an external table is written',
  )
})
