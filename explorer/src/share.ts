/** A playground as a link: its start and its calls, packed behind the `#` of the address, which no server sees. */
import type { Call } from './calls/call.ts'
import type { PlayStart } from './messages.ts'

export interface Shared {
  readonly start: PlayStart
  readonly calls: readonly Call[]
}

const KEY = 'calls='
/** A link longer than this is cut by some programs. */
export const LONGEST_LINK = 30_000

export async function packShared(shared: Shared): Promise<string> {
  const packed = await pumped(new TextEncoder().encode(JSON.stringify(shared)), new CompressionStream('deflate-raw'))
  let text = ''
  for (const byte of packed) text += String.fromCharCode(byte)
  return KEY + btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

/** @returns undefined where the address holds none, or one that is broken */
export async function unpackShared(hash: string): Promise<Shared | undefined> {
  const at = hash.indexOf(KEY)
  if (at < 0) return undefined
  try {
    const text = atob(
      hash
        .slice(at + KEY.length)
        .replaceAll('-', '+')
        .replaceAll('_', '/'),
    )
    const bytes = Uint8Array.from(text, (char) => char.charCodeAt(0))
    const value: unknown = JSON.parse(
      new TextDecoder().decode(await pumped(bytes, new DecompressionStream('deflate-raw'))),
    )
    return isShared(value) ? value : undefined
  } catch {
    return undefined
  }
}

function isShared(value: unknown): value is Shared {
  return (
    typeof value === 'object' && value !== null && 'start' in value && 'calls' in value && Array.isArray(value.calls)
  )
}

async function pumped(
  bytes: Uint8Array<ArrayBuffer>,
  through: CompressionStream | DecompressionStream,
): Promise<Uint8Array> {
  const stream = new Blob([bytes]).stream().pipeThrough(through)
  return new Uint8Array(await new Response(stream).arrayBuffer())
}
