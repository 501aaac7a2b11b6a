/** The body of a request, unpacked, never larger than is taken. */
import { promisify } from 'node:util'
import zlib from 'node:zlib'
import { causeText } from '../../errors/index.ts'

/** Why a body is not taken, as an answer. */
export interface BodyRefusal {
  readonly status: 400 | 413 | 415
  readonly error: string
  readonly headers?: Readonly<Record<string, string>>
}

type Unpack = (bytes: Uint8Array, options: { maxOutputLength: number }) => Promise<Buffer>

const UNPACKERS: Readonly<Record<string, Unpack>> = {
  gzip: promisify(zlib.gunzip) as Unpack,
  deflate: (bytes, options) => (isZlib(bytes) ? inflate(bytes, options) : inflateRaw(bytes, options)),
  br: promisify(zlib.brotliDecompress) as Unpack,
  // Node has it from 22.15 on
  ...(typeof zlib.zstdDecompress === 'function' && { zstd: promisify(zlib.zstdDecompress) as Unpack }),
}
const inflate = promisify(zlib.inflate) as Unpack
const inflateRaw = promisify(zlib.inflateRaw) as Unpack

/**
 * @param limit bytes at most, as they come and as they are unpacked; what is beyond is neither read nor unpacked
 * @returns why it is refused: too large, packed in a way that is not known, damaged
 */
export async function readBody(request: Request, limit: number): Promise<Uint8Array | BodyRefusal> {
  const encoding = (request.headers.get('content-encoding') ?? 'identity').trim().toLowerCase()
  const unpack = Object.hasOwn(UNPACKERS, encoding) ? UNPACKERS[encoding] : undefined
  if (unpack === undefined && encoding !== 'identity') {
    const known = Object.keys(UNPACKERS).join(', ')
    const error = `a content-encoding of ${JSON.stringify(encoding)} is not taken; it is one of ${known}`
    return { status: 415, error, headers: { 'accept-encoding': known } }
  }
  const bytes = await readBytes(request, limit)
  if (bytes === undefined) return tooLarge(limit)
  if (unpack === undefined) return bytes
  try {
    return new Uint8Array(await unpack(bytes, { maxOutputLength: limit }))
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE') return tooLarge(limit)
    return { status: 400, error: `the body is not ${encoding}: ${causeText(error)}` }
  }
}

export function tooLarge(limit: number): BodyRefusal {
  return { status: 413, error: `a batch holds ${limit} bytes at most` }
}

/** @returns undefined when there is more than `limit`; the rest is not read */
async function readBytes(request: Request, limit: number): Promise<Uint8Array | undefined> {
  const parts: Uint8Array[] = []
  let length = 0
  for await (const part of request.body ?? []) {
    length += part.length
    if (length > limit) return undefined
    parts.push(part)
  }
  return new Uint8Array(Buffer.concat(parts))
}

/** Some senders leave the header of zlib away that `deflate` stands for. */
function isZlib([first = 0, second = 0]: Uint8Array): boolean {
  return (first & 0x0f) === 8 && ((first << 8) | second) % 31 === 0
}
