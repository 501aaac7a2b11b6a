/** The bytes of a range out of whatever a server answers to it: a part, the whole object, or that nothing is there. */
import { deltaError } from '../../errors/index.ts'
import type { HttpAnswer } from './http-call.ts'

export interface RangeAnswer {
  readonly bytes: Uint8Array
  /** bytes of the whole object, where the answer tells */
  readonly totalSize: number | undefined
}

/**
 * @throws DeltaError `LAKE_STORAGE_UNAVAILABLE` when the part is not the one asked for, or is shorter than it says: bytes
 * of another place must never pass for these
 */
export async function readRangeAnswer(
  answer: HttpAnswer,
  range: { readonly start: number; readonly end: number },
  location: string,
  key: string,
): Promise<RangeAnswer> {
  const fault = (cause: string) =>
    deltaError('LAKE_STORAGE_UNAVAILABLE', { operation: 'getRange', key, location, cause })
  if (answer.status === 416) return { bytes: new Uint8Array(0), totalSize: sizeAfterSlash(answer.headers) }
  if (answer.status !== 206) {
    const bytes = await answer.readFirst(range.end)
    return { bytes: bytes.slice(range.start), totalSize: plainLength(answer.headers) }
  }
  const part = /^bytes (\d+)-(\d+)\/(\d+|\*)$/.exec(answer.headers.get('content-range') ?? '')
  if (part === null) throw fault('the server answered 206 without a Content-Range')
  const [first, last] = [Number(part[1]), Number(part[2])]
  if (first !== range.start || last >= range.end) throw fault(`the server answered bytes ${first}-${last} instead`)
  const bytes = await answer.readAll()
  if (bytes.length !== last - first + 1) throw fault(`the server sent ${bytes.length} bytes of ${last - first + 1}`)
  return { bytes, totalSize: part[3] === '*' ? undefined : Number(part[3]) }
}

function sizeAfterSlash(headers: Headers): number | undefined {
  const match = /\/(\d+)$/.exec(headers.get('content-range') ?? '')
  return match === null ? undefined : Number(match[1])
}

function plainLength(headers: Headers): number | undefined {
  const encoding = headers.get('content-encoding') ?? 'identity'
  const length = headers.get('content-length')
  return encoding === 'identity' && length !== null ? Number(length) : undefined
}
