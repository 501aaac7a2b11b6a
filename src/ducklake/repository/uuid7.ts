/** Ids of versions and names of files: UUIDs that begin with the time, so that they sort as they were made. */

let last = { ms: 0, counter: 0 }

/** Of one process, each is greater than the one before. Source: RFC 9562, "UUID Version 7". */
export function uuid7(nowMs: number): string {
  const ms = Math.max(nowMs, last.ms)
  const counter = ms === last.ms ? last.counter + 1 : 0
  last = counter > 0xfff ? { ms: ms + 1, counter: 0 } : { ms, counter }
  const random = crypto.getRandomValues(new Uint8Array(8))
  random[0] = (random[0]! & 0x3f) | 0x80
  const tail = [...random].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  const time = last.ms.toString(16).padStart(12, '0')
  const middle = `7${last.counter.toString(16).padStart(3, '0')}`
  return `${time.slice(0, 8)}-${time.slice(8)}-${middle}-${tail.slice(0, 4)}-${tail.slice(4)}`
}

export function isVersionId(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(text)
}
