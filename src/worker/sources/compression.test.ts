import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import zlib, { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { concatBytes, decodeUtf8, encodeUtf8 } from '../../support/index.ts'
import { parseWorkerConfig } from '../config/config.ts'
import { plainBytes } from './compression.ts'
import { openSource } from './open-source.ts'
import type { SourceBatch } from './source.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bayou-compressed-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

interface ReadOptions {
  readonly positions?: Record<string, bigint>
  readonly signal?: AbortSignal
  readonly onBatch?: (batch: SourceBatch, count: number) => void
  readonly onWarning?: (text: string) => void
}

async function read(settings: object, options: ReadOptions = {}): Promise<SourceBatch[]> {
  const { positions = {}, signal = new AbortController().signal, onBatch, onWarning = () => undefined } = options
  const config = parseWorkerConfig({ sources: [{ id: 's', schema: 'id BIGINT', ...settings }] }).sources[0]!
  const source = openSource(config, { input: (async function* () {})(), lookup: () => undefined })
  const batches: SourceBatch[] = []
  for await (const batch of source.open({ positionOf: (p) => positions[p] ?? 0n, once: false, signal, onWarning })) {
    batches.push(batch)
    onBatch?.(batch, batches.length)
  }
  return batches
}

const textOf = (batches: readonly SourceBatch[]) => batches.map((batch) => decodeUtf8(batch.bytes)).join('')
const lines = (count: number) =>
  Array.from({ length: count }, (_, i) => `${JSON.stringify({ id: i, pad: 'x'.repeat(i % 90) })}\n`).join('')

describe('a gzip file', () => {
  it('is known by its bytes, and positions count what it holds', async () => {
    const path = join(folder, 'named-as-text.ndjson')
    await writeFile(path, gzipSync('{"id":1}\n{"id":2}'))
    const batches = await read({ type: 'file', path })
    expect(batches.map(({ start, end }) => [start, end])).toEqual([[0n, 17n]])
    expect(textOf(batches)).toBe('{"id":1}\n{"id":2}')
    expect(textOf(await read({ type: 'file', path }, { positions: { 0: 9n } }))).toBe('{"id":2}')
    expect(await read({ type: 'file', path }, { positions: { 0: 17n } })).toEqual([])
    await expect(read({ type: 'file', path }, { positions: { 0: 18n } })).rejects.toMatchObject({
      code: 'WORKER_SOURCE_SHRANK',
      message: `the file ${path} has 17 bytes, and the table holds it up to byte 18`,
    })
  })

  it('of many members and megabytes is cut at records, each in its place', async () => {
    const path = join(folder, 'in')
    const text = lines(60_000)
    const half = text.length / 2
    await writeFile(path, concatBytes([gzipSync(text.slice(0, half)), gzipSync(text.slice(half))]))
    const batches = await read({ type: 'file', path })
    expect(batches.length).toBeGreaterThan(1)
    expect(textOf(batches) === text).toBe(true)
    for (const { start, end, bytes } of batches) {
      expect(bytes.at(-1)).toBe(0x0a)
      expect(decodeUtf8(bytes) === text.slice(Number(start), Number(end))).toBe(true)
    }
    const middle = batches[0]!.end - 40n
    const rest = await read({ type: 'file', path }, { positions: { 0: middle } })
    expect([rest[0]!.start, textOf(rest) === text.slice(Number(middle))]).toEqual([middle, true])
  })

  it('of CSV has its header taken away', async () => {
    const path = join(folder, 'in')
    await writeFile(path, gzipSync('id,name\n1,a\n2,b\n'))
    const [all] = await read({ type: 'file', path, format: 'csv' })
    expect(all).toMatchObject({ columns: ['id', 'name'], start: 8n, end: 16n })
    const [rest] = await read({ type: 'file', path, format: 'csv' }, { positions: { 0: 12n } })
    expect([decodeUtf8(rest!.bytes), rest!.columns]).toEqual(['2,b\n', ['id', 'name']])
  })

  it('that is cut gives what it holds before it is WORKER_SOURCE_CUT', async () => {
    const path = join(folder, 'in')
    const text = lines(100_000)
    const whole = gzipSync(text)
    await writeFile(path, whole.subarray(0, whole.length - 9))
    const seen: SourceBatch[] = []
    await expect(read({ type: 'file', path }, { onBatch: (batch) => seen.push(batch) })).rejects.toMatchObject({
      code: 'WORKER_SOURCE_CUT',
      message: `${path} ends inside of its gzip stream`,
    })
    expect(seen.length).toBeGreaterThan(0)
    await writeFile(path, whole)
    const rest = await read({ type: 'file', path }, { positions: { 0: seen.at(-1)!.end } })
    expect(textOf(seen) + textOf(rest) === text).toBe(true)
  })

  it('that is damaged, or tailed, is WORKER_SOURCE_COMPRESSED', async () => {
    const path = join(folder, 'in')
    const damaged = gzipSync('{"id":1}\n')
    damaged[damaged.length - 6]! ^= 0xff
    await writeFile(path, damaged)
    await expect(read({ type: 'file', path })).rejects.toMatchObject({
      code: 'WORKER_SOURCE_COMPRESSED',
      message: `${path}, which is compressed with gzip, cannot be read: incorrect data check`,
    })
    await expect(read({ type: 'file', path, tail: true })).rejects.toMatchObject({
      code: 'WORKER_SOURCE_COMPRESSED',
      details: { reason: 'a compressed file is not tailed: read it without tail, or follow its folder' },
    })
  })
})

describe('a followed folder', () => {
  it('reads a compressed file on that was cut when it was read first, each record once', async () => {
    const whole = gzipSync('{"id":1}\n{"id":2}\n', { level: 0 })
    const path = join(folder, 'a.gz')
    const tell: string[] = []
    await writeFile(path, whole.subarray(0, 26))
    await writeFile(join(folder, 'b'), '{"id":3}\n')
    const stop = new AbortController()
    const batches = await read(
      { type: 'folder', path: folder, follow: true, pollMs: 10 },
      {
        signal: stop.signal,
        onWarning: (text) => tell.push(text),
        onBatch: (batch) => {
          if (batch.partition === 'b')
            void writeFile(join(folder, '.new'), whole).then(() => rename(join(folder, '.new'), path))
          if (batch.end === 18n) stop.abort()
        },
      },
    )
    const ids = textOf(batches).trimEnd().split('\n')
    expect(ids.sort()).toEqual(['{"id":1}', '{"id":2}', '{"id":3}'])
    expect(tell).toEqual([`${path} ends inside of its gzip stream; it is read on when it changes`])
  })
})

const ZSTD_LINE = 'KLUv/SQJSQAAeyJpZCI6MX0KQqEQ5g=='

async function* once(bytes: Uint8Array) {
  for (const byte of bytes) yield Uint8Array.of(byte)
}

async function plain(bytes: Uint8Array): Promise<string> {
  const parts: Uint8Array[] = []
  for await (const part of plainBytes(once(bytes), { source: 's', path: 'p' })) parts.push(part)
  return decodeUtf8(concatBytes(parts))
}

const hasZstd = typeof zlib.createZstdDecompress === 'function'

describe('bytes that come one by one', () => {
  it.each(['', 'a', 'abc', 'abcdef'])('%j stays what it is', async (text) => {
    expect(await plain(encodeUtf8(text))).toBe(text)
    expect(await plain(gzipSync(text))).toBe(text)
  })

  it.skipIf(!hasZstd)('of zstd, which Node reads from 22.15 on, are read, frame by frame', async () => {
    const frame = Buffer.from(ZSTD_LINE, 'base64')
    const skippable = Uint8Array.of(0x50, 0x2a, 0x4d, 0x18, 1, 0, 0, 0, 9)
    expect(await plain(concatBytes([frame, frame]))).toBe('{"id":1}\n{"id":1}\n')
    expect(await plain(concatBytes([skippable, frame]))).toBe('{"id":1}\n')
    await expect(plain(frame.subarray(0, 15))).rejects.toMatchObject({ code: 'WORKER_SOURCE_CUT' })
  })

  it.skipIf(hasZstd)('of zstd are refused by a Node before 22.15, which has no decoder for them', async () => {
    await expect(plain(Buffer.from(ZSTD_LINE, 'base64'))).rejects.toMatchObject({
      code: 'WORKER_SOURCE_COMPRESSED',
      message: 'p, which is compressed with zstd, cannot be read: Node reads zstd from version 22.15 on',
    })
  })
})
