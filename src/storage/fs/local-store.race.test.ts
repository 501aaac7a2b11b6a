import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const ROUNDS = 100
const PROCESSES = 4
const builtStore = pathToFileURL(fileURLToPath(new URL('../../../dist/storage/fs/index.js', import.meta.url))).href

const racer = `
  import { localStore } from ${JSON.stringify(builtStore)}
  const [root, name] = process.argv.slice(-2)
  const store = localStore(root)
  const won = []
  for (let round = 0; round < ${ROUNDS}; round++) {
    const answer = await store.putIfAbsent('log/' + round, new TextEncoder().encode(name.padEnd(5000, name)))
    if (answer === 'created') won.push(round)
  }
  console.log(JSON.stringify(won))
`

it('lets exactly one of several processes create each object', async () => {
  const root = await mkdtemp(join(tmpdir(), 'bayou-race-'))
  try {
    const names = Array.from({ length: PROCESSES }, (_, i) => String(i))
    const outputs = await Promise.all(
      names.map((name) => promisify(execFile)(process.execPath, ['--input-type=module', '-e', racer, root, name])),
    )
    const winner = new Map<number, string>()
    for (const [i, { stdout }] of outputs.entries()) {
      for (const round of JSON.parse(stdout) as number[]) {
        expect(winner.has(round), `round ${round} has one winner`).toBe(false)
        winner.set(round, names[i]!)
      }
    }
    expect(winner.size).toBe(ROUNDS)
    for (const [round, name] of winner) {
      expect(await readFile(join(root, 'log', String(round)), 'utf8')).toBe(name.padEnd(5000, name))
    }
  } finally {
    await rm(root, { recursive: true })
  }
})
