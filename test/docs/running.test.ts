/** The page on running a worker names what the worker has, and its unit and container file are sound. */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { checkWorkerConfig, type WorkerEvent } from '../../src/worker/index.ts'
import { metricsText } from '../../src/worker/server/metrics.ts'
import { containerSteps } from '../support/container-file.ts'
import { repositoryRoot } from '../support/shared.ts'

const page = readFileSync(join(repositoryRoot, 'docs/running-a-worker.md'), 'utf8')
const examples = join(repositoryRoot, 'examples/worker')
const unit = 'bayou-worker@.service'

/** What is told as lines of the log; progress is told to terminals only. */
const KINDS: Readonly<Record<Exclude<WorkerEvent['kind'], 'progress'>, true>> = {
  started: true,
  commit: true,
  stalled: true,
  warning: true,
  'source-warning': true,
  checkpoint: true,
  stopping: true,
}

function firstCells(heading: string): string[] {
  const table = page.slice(page.indexOf(heading)).split('\n\n')[0] ?? ''
  return [...table.matchAll(/^\| (.*?) \|/gm)].slice(1).flatMap(([, cell = '']) => cell.split(', '))
}

test('every metric and every kind of line is on the page, and no other', () => {
  const metrics = [...metricsText([]).matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name, type]) => `${name} ${type}`)
  const rows = [...page.matchAll(/^\| `(bayou_\w+)` \| (\w+) \|/gm)].map(([, name, type]) => `${name} ${type}`)
  expect(rows).toEqual(metrics)
  expect(firstCells('| `kind` | says |').sort()).toEqual(
    Object.keys(KINDS)
      .map((kind) => `\`${kind}\``)
      .sort(),
  )
})

test('the configuration of the example is right', () => {
  const config: unknown = JSON.parse(readFileSync(join(examples, 'worker.json'), 'utf8'))
  expect(checkWorkerConfig(config).faults).toEqual([])
})

test('the unit is one that systemd takes', async ({ skip }) => {
  const { error } = spawnSync('systemd-analyze', ['--version'])
  if (error !== undefined) skip('systemd-analyze is not on this machine')
  const folder = await mkdtemp(join(tmpdir(), 'bayou-unit-'))
  try {
    const text = readFileSync(join(examples, unit), 'utf8')
    // the command is not installed here; what is in its place has to be a program that is
    await writeFile(join(folder, 'bayou-worker@web.service'), text.replace('/usr/local/bin/bayou', process.execPath))
    const verify = (name: string) =>
      spawnSync('systemd-analyze', ['verify', '--man=no', join(folder, name)], { encoding: 'utf8' })
    const { status, stderr } = verify('bayou-worker@web.service')
    expect([status, stderr.split('\n').filter((line) => line.includes('bayou-worker'))]).toEqual([0, []])
    await writeFile(join(folder, 'wrong@web.service'), text.replace('/usr/local/bin/bayou', '/nowhere/bayou'))
    expect(verify('wrong@web.service').status).not.toBe(0)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

test('the container file copies what is here, runs as a user without rights, and is what the page says', () => {
  const steps = containerSteps(readFileSync(join(examples, 'Containerfile'), 'utf8'))
  const copied = steps.flatMap(({ name, words }) =>
    name === 'COPY' && !words[0]?.startsWith('--') ? words.slice(0, -1) : [],
  )
  expect(copied.filter((path) => !existsSync(join(repositoryRoot, path)))).toEqual([])
  expect(steps.filter(({ name }) => name === 'USER').map(({ words }) => words)).toEqual([['node']])
  const [entry] = steps.filter(({ name }) => name === 'ENTRYPOINT')
  expect(JSON.parse(entry?.text ?? '')).toEqual(['node', '/app/dist/cli/main.js'])
  const { bin } = JSON.parse(readFileSync(join(repositoryRoot, 'package.json'), 'utf8'))
  expect(bin.bayou).toBe('./dist/cli/main.js')
  for (const path of ['/var/lib/bayou', '/etc/bayou/worker.json']) expect(page).toContain(path)
})
