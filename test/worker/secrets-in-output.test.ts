/** A worker as people run it, with a secret in each setting that takes one, and things going wrong: none comes out. */
import { spawn } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { s3Faults } from '../../src/testing/index.ts'
import { admin, BUCKET, env, type S3Ground, SECRETS, s3Ground } from './s3-ground.ts'
import { CLIENT_SECRET, unityEnv, unityGround } from './unity-ground.ts'

const cli = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))

const WRONG = 'wrong-but+secret/as=well'
const TOKEN = 'a-session+token/of=one'
const ALL_SECRETS = [...SECRETS, WRONG, TOKEN, CLIENT_SECRET]

let ground: S3Ground
beforeEach(async () => {
  ground = await s3Ground()
})
afterEach(() => ground.close())

interface Worker {
  /** all it said so far */
  said(): string
  says(pattern: RegExp): Promise<RegExpExecArray>
  stop(): Promise<void>
  readonly ended: Promise<number | null>
}

async function start(config: object, variables: Record<string, string>, ...args: string[]): Promise<Worker> {
  const file = join(ground.folder, 'worker.json')
  await writeFile(file, JSON.stringify(config))
  const { PATH = '' } = process.env
  const child = spawn(process.execPath, [cli, 'run', file, ...args], {
    cwd: ground.folder,
    env: { PATH, HOME: ground.folder, ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let text = ''
  const listeners = new Set<() => void>()
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      text += chunk
      for (const listener of listeners) listener()
    })
  }
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  const says = (pattern: RegExp) =>
    new Promise<RegExpExecArray>((resolve, reject) => {
      const look = () => {
        const match = pattern.exec(text)
        if (match !== null) resolve(match)
      }
      listeners.add(look)
      look()
      void ended.then(() => reject(new Error(`it ended: ${text}`)))
    })
  const stop = async () => {
    child.kill('SIGKILL')
    await ended
  }
  return { said: () => text, says, stop, ended }
}

const destination = () => ({
  id: 'lake',
  type: 'delta',
  location: `s3://${BUCKET}/tables/access_log`,
  endpoint: ground.server.endpoint,
  accessKeyId: 'LAKE_KEY',
  secretAccessKey: 'LAKE_SECRET',
  deadLetterFile: join(ground.folder, 'dead.ndjson'),
  fileIntervalSecs: 1,
})

const configOf = (target: object, source: object = {}) => ({
  name: 'w',
  sources: [{ id: 's', type: 'file', path: ground.input, schema: 'id BIGINT', ...source }],
  routes: [{ source: 's', destination: 'lake' }],
  destinations: [target],
})

function expectNoSecret(...texts: readonly string[]): void {
  for (const text of texts) for (const secret of ALL_SECRETS) expect(text).not.toContain(secret)
}

const forms = [['text'], ['json']] as const

describe.each(forms)('told as %s', (form) => {
  const log = ['--log', form, ...(form === 'json' ? ['--json'] : [])]

  it('a run that ends well: what it says, its dead letters, and the history of its table', async () => {
    await writeFile(ground.input, '{"id":1}\n{"id":"no number"}\n')
    const worker = await start(configOf(destination()), env, '--once', ...log)
    expect(await worker.ended).toBe(0)
    const deadLetters = await readFile(join(ground.folder, 'dead.ndjson'), 'utf8')
    expect(deadLetters).toContain('no number')
    const logs = [...ground.server.objects].filter(([key]) => key.includes('_delta_log'))
    expect(logs.length).toBeGreaterThan(1)
    expectNoSecret(worker.said(), deadLetters, ...logs.map(([, bytes]) => Buffer.from(bytes).toString('latin1')))
  })

  it('a store that refuses writes: its log, its metrics, its health', async () => {
    await writeFile(ground.input, '{"id":1}\n')
    ground.server.fault = ({ method, key }) =>
      method === 'PUT' && key.endsWith('.parquet') ? s3Faults.denied : undefined
    const config = { ...configOf(destination(), { tail: true }), server: { port: 0 } }
    const worker = await start(config, env, ...log)
    const [, url] = await worker.says(/(?:serving |"url":")(http:\/\/127\.0\.0\.1:\d+)["\n]/)
    await worker.says(/Access denied writing to storage/)
    const [metrics, health] = await Promise.all(
      ['metrics', 'health'].map(async (page) => (await fetch(`${url}/${page}`)).text()),
    )
    await worker.stop()
    expect(health).toContain('Access denied writing to storage')
    expect(metrics).toContain('lake')
    expectNoSecret(worker.said(), metrics!, health!)
  })

  it('keys that are wrong, of a destination and of a source', async () => {
    const wrong = { ...env, LAKE_SECRET: WRONG, LAKE_TOKEN: TOKEN }
    const signed = await start(configOf({ ...destination(), sessionToken: 'LAKE_TOKEN' }), wrong, '--once', ...log)
    expect(await signed.ended).not.toBe(0)
    const inbox = { type: 's3', location: `s3://${BUCKET}/in`, endpoint: ground.server.endpoint }
    const keys = { accessKeyId: 'IN_KEY', secretAccessKey: 'IN_SECRET' }
    const reading = await start(
      configOf(destination(), { ...inbox, path: undefined, ...keys }),
      { ...env, IN_KEY: admin.accessKeyId, IN_SECRET: WRONG },
      '--once',
      ...log,
    )
    expect(await reading.ended).not.toBe(0)
    expect(reading.said()).toContain('WORKER_SOURCE_FAILED')
    expectNoSecret(signed.said(), reading.said())
  })

  it('a configuration that is refused though its secrets are there', async () => {
    const refused = await start(configOf({ ...destination(), region: 7, colour: 'red' }), env, '--check', ...log)
    expect(await refused.ended).toBe(1)
    expect(refused.said()).toContain('WORKER_CONFIG_VALUE')
    expectNoSecret(refused.said())
  })
})

it('a catalog that refuses the client secret, and one that takes it while the store denies', async () => {
  const catalog = await unityGround()
  const file = catalog.input
  await writeFile(file, '{"id":1}\n')
  const { deadLetterFile } = destination()
  const target = { id: 'lake', type: 'delta', ...catalog.destination, deadLetterFile }
  const config = configOf(target, { path: file, schema: 'id BIGINT' })
  const refused = await start(config, { DATABRICKS_CLIENT_SECRET: WRONG }, '--once')
  expect(await refused.ended).not.toBe(0)
  expect(refused.said()).toContain('refused the sign-in')
  catalog.server.fault = () => s3Faults.denied
  const denied = await start(config, unityEnv, '--check')
  expect(await denied.ended).not.toBe(0)
  const vended = catalog.vended.flatMap(({ secretAccessKey, sessionToken }) => [secretAccessKey, sessionToken])
  expect(vended.length).toBeGreaterThan(0)
  expectNoSecret(refused.said(), denied.said())
  for (const secret of vended) expect(refused.said() + denied.said()).not.toContain(secret)
  await catalog.close()
})
