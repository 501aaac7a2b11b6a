import { appendFile, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { decodeUtf8, encodeUtf8 } from '../../support/index.ts'
import { parseWorkerConfig, type SourceConfig } from '../config/config.ts'
import { openSource } from './open-source.ts'
import type { SourceBatch } from './source.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bayou-source-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const configOf = (settings: object): SourceConfig =>
  parseWorkerConfig({ sources: [{ id: 's', schema: 'id BIGINT', ...settings }] }).sources[0]!

const never = new AbortController().signal
const noInput: AsyncIterable<Uint8Array> = (async function* () {})()

interface ReadOptions {
  readonly positions?: Record<string, bigint>
  readonly once?: boolean
  readonly signal?: AbortSignal
  readonly input?: AsyncIterable<Uint8Array>
  readonly onBatch?: (batch: SourceBatch, count: number) => void
}

async function read(settings: object, options: ReadOptions = {}): Promise<SourceBatch[]> {
  const { positions = {}, once = false, signal = never, input = noInput, onBatch } = options
  const batches: SourceBatch[] = []
  const source = openSource(configOf(settings), { input, lookup: () => undefined })
  for await (const batch of source.open({ positionOf: (p) => positions[p] ?? 0n, once, signal })) {
    batches.push(batch)
    onBatch?.(batch, batches.length)
  }
  return batches
}

const textOf = (batches: readonly SourceBatch[]) => batches.map((batch) => decodeUtf8(batch.bytes)).join('')

describe('file', () => {
  it('gives all records, the last without a newline too, with their bytes as positions', async () => {
    const path = join(folder, 'in')
    await writeFile(path, '{"id":1}\n{"id":2}')
    const batches = await read({ type: 'file', path })
    expect(textOf(batches)).toBe('{"id":1}\n{"id":2}')
    expect(batches.map(({ start, end }) => [start, end])).toEqual([
      [0n, 9n],
      [9n, 17n],
    ])
  })

  it('goes on from any position', async () => {
    const path = join(folder, 'in')
    await writeFile(path, '{"id":1}\n{"id":2}\n')
    expect(textOf(await read({ type: 'file', path }, { positions: { 0: 9n } }))).toBe('{"id":2}\n')
    expect(await read({ type: 'file', path }, { positions: { 0: 18n } })).toEqual([])
  })

  it('cuts a file larger than its chunks at records', async () => {
    const path = join(folder, 'in')
    const lines = Array.from({ length: 60_000 }, (_, i) => `${JSON.stringify({ id: i, pad: 'x'.repeat(i % 100) })}\n`)
    await writeFile(path, lines.join(''))
    const batches = await read({ type: 'file', path })
    expect(batches.length).toBeGreaterThan(1)
    for (const batch of batches) expect(batch.bytes.at(-1)).toBe(0x0a)
    expect(textOf(batches)).toBe(lines.join(''))
  })

  it('fills no buffer again before the batch in it is committed', async () => {
    const path = join(folder, 'in')
    const text = Array.from({ length: 100_000 }, (_, i) => `${JSON.stringify({ id: i, pad: 'x'.repeat(80) })}\n`).join(
      '',
    )
    await writeFile(path, text)
    const outcomes = { kept: undefined, failed: { kind: 'failed', error: 0 } as const }
    for (const outcome of Object.values(outcomes)) {
      const batches = await read({ type: 'file', path }, { onBatch: (batch) => outcome && batch.settle?.(outcome) })
      expect(batches.length).toBeGreaterThan(3)
      expect(textOf(batches) === text).toBe(true)
    }
    let seen = ''
    const buffers = new Set<ArrayBufferLike>()
    await read(
      { type: 'file', path },
      {
        onBatch: (batch) => {
          seen += decodeUtf8(batch.bytes)
          if (batch.settle !== undefined) buffers.add(batch.bytes.buffer)
          batch.settle?.({ kind: 'committed', refused: 0 })
        },
      },
    )
    expect([seen === text, buffers.size]).toEqual([true, 1])
  })

  it('takes the header of CSV away, wherever it goes on', async () => {
    const path = join(folder, 'in')
    await writeFile(path, '\ufeff"id",name\n1,a\n2,b\n')
    const all = await read({ type: 'file', path, format: 'csv' })
    expect(textOf(all)).toBe('1,a\n2,b\n')
    expect(all[0]!.columns).toEqual(['id', 'name'])
    const rest = await read({ type: 'file', path, format: 'csv' }, { positions: { 0: all[0]!.start + 4n } })
    expect([textOf(rest), rest[0]!.columns]).toEqual(['2,b\n', ['id', 'name']])
  })

  it('tail waits for whole records and ends when it is stopped', async () => {
    const path = join(folder, 'in')
    await writeFile(path, '{"id":1}\n{"id":')
    const stop = new AbortController()
    setTimeout(() => appendFile(path, '2}\n{"id":3}'), 50)
    const batches = await read(
      { type: 'file', path, tail: true, pollMs: 10 },
      { signal: stop.signal, onBatch: (_, count) => count === 2 && stop.abort() },
    )
    expect(textOf(batches)).toBe('{"id":1}\n{"id":2}\n')
  })

  it('a tailed file that is not there yet is waited for', async () => {
    const path = join(folder, 'later')
    const stop = new AbortController()
    setTimeout(() => writeFile(path, '{"id":1}\n'), 50)
    const batches = await read(
      { type: 'file', path, tail: true, pollMs: 10 },
      { signal: stop.signal, onBatch: () => stop.abort() },
    )
    expect(textOf(batches)).toBe('{"id":1}\n')
  })

  it('once makes an end of a tail', async () => {
    const path = join(folder, 'in')
    await writeFile(path, '{"id":1}\n')
    expect(textOf(await read({ type: 'file', path, tail: true }, { once: true }))).toBe('{"id":1}\n')
  })

  it('a file that became shorter than the table’s position is refused, also while it is tailed', async () => {
    const path = join(folder, 'in')
    await writeFile(path, '{"id":1}\n{"id":2}\n')
    await expect(read({ type: 'file', path }, { positions: { 0: 99n } })).rejects.toMatchObject({
      code: 'WORKER_SOURCE_SHRANK',
      message: `the file ${path} has 18 bytes, and the table holds it up to byte 99`,
    })
    const shrink = () => void truncate(path, 3)
    await expect(read({ type: 'file', path, tail: true, pollMs: 20 }, { onBatch: shrink })).rejects.toMatchObject({
      code: 'WORKER_SOURCE_SHRANK',
    })
  })

  it('a file that is not there, or no file, is WORKER_SOURCE_FAILED', async () => {
    await expect(read({ type: 'file', path: join(folder, 'none') })).rejects.toMatchObject({
      code: 'WORKER_SOURCE_FAILED',
    })
    await expect(read({ type: 'file', path: folder })).rejects.toMatchObject({ code: 'WORKER_SOURCE_FAILED' })
  })
})

describe('folder', () => {
  it('reads files by name in order, each from its own position', async () => {
    for (const name of ['b.ndjson', 'a.ndjson', 'c.txt', '.hidden.ndjson']) {
      await writeFile(join(folder, name), `{"in":"${name}"}\n`)
    }
    const settings = { type: 'folder', path: folder, pattern: '*.ndjson' }
    const batches = await read(settings)
    expect(batches.map(({ partition }) => partition)).toEqual(['a.ndjson', 'b.ndjson'])
    const rest = await read(settings, { positions: { 'a.ndjson': batches[0]!.end } })
    expect(rest.map(({ partition }) => partition)).toEqual(['b.ndjson'])
  })

  it('followed: takes files that are added and lines that are finished, each once', async () => {
    await writeFile(join(folder, 'a'), '1\n2')
    const stop = new AbortController()
    const changes = [
      () => writeFile(join(folder, 'b'), '9\n'),
      () => appendFile(join(folder, 'a'), '2\n'),
      () => stop.abort(),
    ]
    const batches = await read(
      { type: 'folder', path: folder, follow: true, pollMs: 10 },
      { signal: stop.signal, onBatch: (_, count) => void changes[count - 1]?.() },
    )
    expect(batches.map((batch) => [batch.partition, decodeUtf8(batch.bytes)])).toEqual([
      ['a', '1\n'],
      ['b', '9\n'],
      ['a', '22\n'],
    ])
  })

  it('a folder that is not there is WORKER_SOURCE_FAILED', async () => {
    await expect(read({ type: 'folder', path: join(folder, 'none') })).rejects.toMatchObject({
      code: 'WORKER_SOURCE_FAILED',
    })
  })
})

describe('stdin', () => {
  async function* chunks(...texts: string[]) {
    for (const text of texts) yield encodeUtf8(text)
  }

  it('puts records together again that came in pieces', async () => {
    const batches = await read({ type: 'stdin' }, { input: chunks('{"id"', ':1}\n{"id":2}\n{', '"id":3}') })
    expect(batches.map((batch) => decodeUtf8(batch.bytes))).toEqual(['{"id":1}\n{"id":2}\n', '{"id":3}'])
  })

  it('knows a CSV header', async () => {
    const batches = await read({ type: 'stdin', format: 'csv' }, { input: chunks('id\n1', '\n2\n') })
    expect([textOf(batches), batches[0]!.columns]).toEqual(['1\n2\n', ['id']])
  })

  it('a stop does not wait for input', async () => {
    const stop = new AbortController()
    const input = (async function* () {
      yield encodeUtf8('{"id":1}\n')
      await new Promise(() => undefined)
    })()
    expect(textOf(await read({ type: 'stdin' }, { input, signal: stop.signal, onBatch: () => stop.abort() }))).toBe(
      '{"id":1}\n',
    )
  })
})

describe('generator', () => {
  const settings = {
    type: 'generator',
    count: 25,
    batchRecords: 10,
    schema:
      'id BIGINT, a u8, b DECIMAL(4,2), c STRING, d DATE, e TIMESTAMP, f STRUCT<x LIST<UUID>>, g MAP<STRING, IP>, h JSON',
  }

  it('makes the same records from any position on', async () => {
    const all = textOf(await read(settings)).split('\n')
    expect(all).toHaveLength(26)
    const rest = await read(settings, { positions: { 0: 13n } })
    expect(textOf(rest).split('\n')).toEqual(all.slice(13))
    expect(rest[0]).toMatchObject({ start: 13n, end: 23n, unit: 'record' })
  })

  it('makes bad records at the places asked for', async () => {
    const lines = textOf(await read({ ...settings, badEvery: 10 })).split('\n')
    const bad = lines.flatMap((line, i) => (line.includes('bad') ? [i] : []))
    expect(bad).toEqual([9, 19])
  })
})
