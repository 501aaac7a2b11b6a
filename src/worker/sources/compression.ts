/** Compressed bytes, known by their first ones and never by a name, as the bytes they hold. */
import { Readable } from 'node:stream'
import zlib from 'node:zlib'
import { causeText, deltaError } from '../../errors/index.ts'
import { concatBytes } from '../../support/index.ts'

export type Compression = 'gzip' | 'zstd'

/** Bytes to look at. */
export const MAGIC_BYTES = 4
const OUTPUT_BYTES = 256 * 1024

/** What the first bytes say; no text begins with them, for they are not UTF-8 or hold a control character. */
export function compressionOf(bytes: Uint8Array): Compression | undefined {
  const [a, b, c, d] = bytes
  if (a === 0x1f && b === 0x8b) return 'gzip'
  const isFrame = a === 0x28 && b === 0xb5 && c === 0x2f && d === 0xfd
  // a frame to be passed over: parallel compressors begin with one
  const isSkippable = a !== undefined && a >> 4 === 5 && b === 0x2a && c === 0x4d && d === 0x18
  return isFrame || isSkippable ? 'zstd' : undefined
}

export interface CompressedInput {
  /** whose bytes they are, for errors */
  readonly source: string
  readonly path: string
}

/**
 * The bytes that compressed bytes hold, one member or frame behind the other, in memory that does not grow with them.
 *
 * @throws DeltaError `WORKER_SOURCE_CUT` behind what a stream that ends too early holds; `WORKER_SOURCE_COMPRESSED` where
 * it is damaged, or this Node has no decoder for it
 */
export async function* decompress(
  bytes: AsyncIterable<Uint8Array>,
  compression: Compression,
  input: CompressedInput,
): AsyncGenerator<Uint8Array> {
  const decoder = decoderOf(compression, input)
  const feed = Readable.from(bytes)
  feed.once('error', (error) => decoder.destroy(error))
  try {
    for await (const chunk of feed.pipe(decoder))
      yield new Uint8Array((chunk as Buffer).buffer, (chunk as Buffer).byteOffset, (chunk as Buffer).length)
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
    if (code === 'Z_BUF_ERROR') throw deltaError('WORKER_SOURCE_CUT', { ...input, compression }, { cause })
    if (!/^(Z_|ZSTD_)/.test(code)) throw cause
    throw deltaError('WORKER_SOURCE_COMPRESSED', { ...input, compression, reason: causeText(cause) }, { cause })
  } finally {
    feed.destroy()
    decoder.destroy()
  }
}

/** Bytes as they are, or what they hold where they are compressed. */
export async function* plainBytes(
  bytes: AsyncIterable<Uint8Array>,
  input: CompressedInput,
): AsyncGenerator<Uint8Array> {
  const chunks = bytes[Symbol.asyncIterator]()
  const known: Uint8Array[] = []
  let isEnd = false
  while (!isEnd && known.reduce((sum, { length }) => sum + length, 0) < MAGIC_BYTES) {
    const next = await chunks.next()
    if (next.done === true) isEnd = true
    else known.push(next.value)
  }
  const all = (async function* () {
    yield* known
    if (!isEnd) yield* { [Symbol.asyncIterator]: () => chunks }
  })()
  const compression = compressionOf(concatBytes(known))
  yield* compression === undefined ? all : decompress(all, compression, input)
}

function decoderOf(compression: Compression, input: CompressedInput) {
  if (compression === 'gzip') return zlib.createGunzip({ chunkSize: OUTPUT_BYTES })
  if (typeof zlib.createZstdDecompress === 'function') return zlib.createZstdDecompress({ chunkSize: OUTPUT_BYTES })
  const reason = 'Node reads zstd from version 22.15 on'
  throw deltaError('WORKER_SOURCE_COMPRESSED', { ...input, compression, reason })
}
