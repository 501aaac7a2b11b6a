/**
 * The steps of the container file, run one by one in folders instead of images, and the command it ends with.
 *
 * Needs the package registry and no container daemon: what stays untried is the base image and the user.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { containerSteps } from '../support/container-file.ts'
import { repositoryRoot } from '../support/shared.ts'
import { readTable } from '../worker/read-table.ts'

const examples = join(repositoryRoot, 'examples/worker')

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bayou-container-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** A stage is a folder, and paths from the root are paths from there. */
class Stage {
  readonly root: string
  private workdir = '/'
  private readonly env: Record<string, string> = {}

  constructor(root: string) {
    this.root = root
  }

  inside(path: string): string {
    return join(this.root, path.startsWith('/') ? path : join(this.workdir, path))
  }

  async enter(path: string): Promise<void> {
    this.workdir = path
    await mkdir(this.inside('.'), { recursive: true })
  }

  set(assignments: string): void {
    for (const [, name = '', value = ''] of assignments.matchAll(/(\w+)="?([^"\s]*)"?/g)) this.env[name] = value
  }

  run(command: string): void {
    // the user of the image is not on this machine, and its folder is below the root of the stage
    const text = command.replaceAll('/var/lib/bayou', this.inside('/var/lib/bayou')).replace('chown node:node', 'ls -d')
    const env = { ...process.env, ...this.env }
    const { status, stderr, stdout } = spawnSync('sh', ['-ec', text], { cwd: this.inside('.'), env, encoding: 'utf8' })
    if (status !== 0) throw new Error(`${command}: ${stdout.slice(-1000)}${stderr.slice(-2000)}`)
  }

  async copy(sources: readonly string[], target: string): Promise<void> {
    for (const source of sources) {
      const isFolder = source.endsWith('.') || sources.length > 1 || target.endsWith('/')
      const to =
        isFolder && !source.endsWith('.') ? join(this.inside(target), source.split('/').at(-1)!) : this.inside(target)
      await mkdir(dirname(to), { recursive: true })
      const isKept = (path: string) =>
        !/(^|\/)(\.git|node_modules|dist)(\/|$)|\.tsbuildinfo$/.test(path.slice(repositoryRoot.length))
      await cp(source, to, { recursive: true, ...(source.startsWith(repositoryRoot) && { filter: isKept }) })
    }
  }
}

async function build(): Promise<Stage> {
  const stages = new Map<string, Stage>()
  let stage = new Stage(folder)
  for (const { name, text, words } of containerSteps(readFileSync(join(examples, 'Containerfile'), 'utf8'))) {
    if (name === 'FROM') {
      const title = words[2] ?? 'last'
      stage = new Stage(join(folder, title))
      stages.set(title, stage)
      await stage.enter('/')
    } else if (name === 'WORKDIR') await stage.enter(text)
    else if (name === 'ENV' || name === 'ARG') stage.set(text)
    else if (name === 'RUN') stage.run(text)
    else if (name === 'COPY') {
      const from = words[0]?.startsWith('--from=') ? stages.get(words[0].slice('--from='.length)) : undefined
      const paths = from === undefined ? words : words.slice(1)
      const sources = paths.slice(0, -1).map((path) => from?.inside(path) ?? join(repositoryRoot, path))
      await stage.copy(sources, paths.at(-1)!)
    } else if (!['USER', 'STOPSIGNAL', 'HEALTHCHECK', 'ENTRYPOINT', 'CMD'].includes(name)) {
      throw new Error(`${name} is not known here`)
    }
  }
  return stage
}

it('its steps build, and the worker it starts takes events, and commits what it holds when told to stop', {
  timeout: 600_000,
}, async () => {
  const stage = await build()
  expect(await readdir(stage.inside('/app/node_modules'))).not.toContain('vitest')
  const config = JSON.parse(readFileSync(join(examples, 'worker.json'), 'utf8'))
  const file = join(folder, 'worker.json')
  await writeFile(file, JSON.stringify({ ...config, server: { port: 0 } }))
  const main = stage.inside('/app/dist/cli/main.js')
  const child = spawn(process.execPath, [main, 'run', file, '--log', 'json'], { cwd: stage.inside('/var/lib/bayou') })
  const ended = once(child, 'exit')
  try {
    let said = ''
    child.stderr.on('data', (text) => {
      said += text
    })
    const url = await new Promise<string>((resolve, reject) => {
      child.stderr.on('data', () => {
        const started = said.split('\n').find((line) => line.includes('"kind":"started"'))
        if (started !== undefined) resolve(JSON.parse(started).url)
      })
      child.once('exit', () => reject(new Error(said)))
    })
    expect((await fetch(`${url}/health`)).status).toBe(200)
    const event = { at: '2026-11-30T12:00:00Z', host: 'a', path: '/', status: 200, bytes: 1 }
    const answer = fetch(`${url}/events`, { method: 'POST', body: `${JSON.stringify(event)}\n` })
    // what is posted is held for its interval: a stop does not wait for that
    const isHeld = async () =>
      /held_bytes\{destination="lake"\} [1-9]/.test(await (await fetch(`${url}/metrics`)).text())
    while (!(await isHeld())) {
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    child.kill('SIGTERM')
    expect((await answer).status).toBe(200)
    expect((await ended)[0]).toBe(0)
    expect((await readTable(stage.inside('/var/lib/bayou/table'))).rows).toHaveLength(1)
  } finally {
    child.kill('SIGKILL')
  }
})
