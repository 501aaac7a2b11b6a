import { appendFile, copyFile, mkdtemp, rename, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { decodeUtf8 } from '../../support/index.ts'
import { parseWorkerConfig } from '../config/config.ts'
import { openSource } from './open-source.ts'
import type { SourceBatch } from './source.ts'

let folder: string
let path: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bayou-rotate-'))
  path = join(folder, 'app.log')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

/** A table: what it holds, and how far each partition came. */
class Kept {
  lines: string[] = []
  readonly positions = new Map<string, bigint>()
  readonly warnings: string[] = []
  private readonly waiting: { count: number; resolve: () => void }[] = []

  take(batch: SourceBatch): void {
    const reached = this.positions.get(batch.partition) ?? 0n
    expect(batch.start).toBeGreaterThanOrEqual(reached)
    this.positions.set(batch.partition, batch.end)
    this.lines.push(...decodeUtf8(batch.bytes).trimEnd().split('\n'))
    for (const { count, resolve } of this.waiting) if (this.lines.length >= count) resolve()
  }

  /** Resolves once so many lines are there. */
  holds(count: number): Promise<void> {
    return new Promise((resolve) => {
      this.waiting.push({ count, resolve })
      if (this.lines.length >= count) resolve()
    })
  }
}

function start(kept: Kept, settings: object = {}, once = false) {
  const config = parseWorkerConfig({
    sources: [{ id: 's', type: 'file', path, schema: 'id BIGINT', tail: true, rotate: true, pollMs: 10, ...settings }],
  }).sources[0]!
  const source = openSource(config, { input: (async function* () {})(), lookup: () => undefined })
  const stop = new AbortController()
  const positionOf = (partition: string) => kept.positions.get(partition) ?? 0n
  const done = (async () => {
    const onWarning = (text: string) => void kept.warnings.push(text)
    for await (const batch of source.open({ positionOf, once, signal: stop.signal, onWarning })) kept.take(batch)
  })()
  return {
    done,
    stop: async () => {
      stop.abort()
      await done
    },
  }
}

/** What is there now, read to its end. */
const readOnce = (kept: Kept, settings: object = {}) => start(kept, settings, true).done

let written = 0
beforeEach(() => {
  written = 0
})
async function append(count: number, to = path): Promise<void> {
  const lines = Array.from({ length: count }, () => `{"id":${written++}}\n`)
  await appendFile(to, lines.join(''))
}
const all = () => Array.from({ length: written }, (_, id) => `{"id":${id}}`)

const rotateByName = async () => {
  for (const n of [2, 1]) await rename(`${path}.${n}`, `${path}.${n + 1}`).catch(ignoreMissing)
  await rename(path, `${path}.1`)
}
const rotateByCopy = async () => {
  for (const n of [2, 1]) await rename(`${path}.${n}`, `${path}.${n + 1}`).catch(ignoreMissing)
  await copyFile(path, `${path}.1`)
  await truncate(path, 0)
}
function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error
}

const ways = [
  ['renamed', rotateByName],
  ['copied and cut short', rotateByCopy],
] as const

describe.each(ways)('a file that is %s', (_, rotate) => {
  it('is read through it while it is tailed', async () => {
    const kept = new Kept()
    await append(3)
    const reading = start(kept)
    for (let round = 0; round < 5; round++) {
      await kept.holds(written)
      await append(2)
      await rotate()
      await append(round % 2 === 0 ? 1 : 7)
    }
    await kept.holds(written)
    await reading.stop()
    expect([kept.lines.toSorted(byId), kept.warnings]).toEqual([all(), []])
  })

  it('is read on across a restart, though it was rotated twice meanwhile', async () => {
    const kept = new Kept()
    await append(3)
    await readOnce(kept)
    await append(2)
    await rotate()
    await append(9)
    await rotate()
    await append(1)
    await readOnce(kept)
    expect(kept.lines).toEqual(all())
    await append(1)
    await readOnce(kept)
    await readOnce(kept)
    expect(kept.lines).toEqual(all())
  })

  it('is told from the next one though both begin alike', async () => {
    const kept = new Kept()
    await writeFile(path, 'same\na\nb\n')
    const reading = start(kept)
    await kept.holds(3)
    await rotate()
    await appendFile(path, 'same\nc\nd\ne\n')
    await kept.holds(7)
    await rotate()
    await appendFile(path, 'same\n')
    await kept.holds(8)
    await reading.stop()
    expect(kept.lines).toEqual(['same', 'a', 'b', 'same', 'c', 'd', 'e', 'same'])
    await appendFile(path, 'f\n')
    await readOnce(kept)
    expect(kept.lines.slice(8)).toEqual(['f'])
  })

  it('keeps CSV apart by what stands behind the header', async () => {
    const kept = new Kept()
    const csv = { format: 'csv', schema: 'id STRING' }
    await writeFile(path, 'id\n1\n2\n')
    await readOnce(kept, csv)
    await appendFile(path, '3\n')
    await rotate()
    await writeFile(path, 'id\n4\n5\n6\n7\n')
    await readOnce(kept, csv)
    expect(kept.lines).toEqual(['1', '2', '3', '4', '5', '6', '7'])
  })
})

const byId = (a: string, b: string) => Number(a.slice(6, -1)) - Number(b.slice(6, -1))

it('what is written to a renamed file late is read, and a line without its end when the next one comes', async () => {
  const kept = new Kept()
  await append(1)
  const reading = start(kept)
  await kept.holds(1)
  await rename(path, `${path}.1`)
  await append(1)
  await kept.holds(2)
  await append(2, `${path}.1`)
  await kept.holds(4)
  await reading.stop()
  expect(kept.lines).toEqual(all())
})

it('the first start reads the file at the path and none that was rotated before', async () => {
  const kept = new Kept()
  await writeFile(`${path}.1`, 'old\n')
  await writeFile(path, 'new\n')
  await readOnce(kept)
  expect(kept.lines).toEqual(['new'])
})

it('a file that is cut short without a copy is warned of, and read from its beginning', async () => {
  const kept = new Kept()
  await append(2)
  const reading = start(kept)
  await kept.holds(2)
  await writeFile(path, '{"id":2}\n')
  await kept.holds(3)
  await reading.stop()
  expect([kept.lines, kept.warnings]).toEqual([
    ['{"id":0}', '{"id":1}', '{"id":2}'],
    [`${path} was cut short, and no copy of it was found beside it: what was appended behind byte 18 is lost`],
  ])
})

it('rotate without tail is refused', () => {
  const sources = [{ id: 's', type: 'file', path, schema: 'id BIGINT', rotate: true }]
  expect(() => parseWorkerConfig({ sources })).toThrow('names rotate without tail')
})
