import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isDeltaError } from '../../errors/index.ts'
import type { ObjectStore } from '../../storage/index.ts'
import { concatBytes, crc32 } from '../../support/index.ts'
import type { DeletionVectorDescriptor } from '../actions/actions.ts'
import { deletionVectorKey, loadDeletionVector } from './load.ts'
import { decodeZ85, encodeZ85 } from './z85.ts'

const noStore = { location: '/t' } as ObjectStore
const ORDINARY: DeletionVectorDescriptor = {
  storageType: 'i',
  pathOrInlineDv: '^Bg9^0rr910000000000iXQKl0rr91000935c8Xg000311onP9',
  sizeInBytes: 40,
  cardinality: 4,
}
const AS_PRINTED: DeletionVectorDescriptor = {
  storageType: 'i',
  pathOrInlineDv: 'wi5b=000010000siXQKl0rr91000f55c8Xg0@@D72lkbi5=-{L',
  sizeInBytes: 40,
  cardinality: 6,
}

/** A store of one object. */
function oneFile(key: string, bytes: Uint8Array): ObjectStore {
  return {
    location: '/t',
    getRange: async (wanted: string, range: { start: number; end: number }) => {
      expect(wanted).toBe(key)
      return bytes.slice(range.start, range.end)
    },
  } as unknown as ObjectStore
}

function uint16s(...values: number[]): Uint8Array {
  return new Uint8Array(Uint16Array.from(values).buffer)
}
function uint32s(...values: number[]): Uint8Array {
  return new Uint8Array(Uint32Array.from(values).buffer)
}

/** The ordinary form around one 32-bit bitmap with one container of array form. */
function arrayPayload(...values: number[]): Uint8Array {
  const header = concatBytes([uint32s(1681511377, 1, 0, 0, 12346, 1), uint16s(0, values.length - 1), uint32s(16)])
  return concatBytes([header, uint16s(...values)])
}

function storedFile(payload: Uint8Array): Uint8Array {
  const head = new DataView(new ArrayBuffer(5))
  head.setUint8(0, 1)
  head.setInt32(1, payload.length)
  const tail = new DataView(new ArrayBuffer(4))
  tail.setUint32(0, crc32(payload))
  return concatBytes([new Uint8Array(head.buffer), payload, new Uint8Array(tail.buffer)])
}

const KEY = 'deletion_vector_61d16c75-6994-46b7-a15b-8b538852e50e.bin'
function descriptorOf(payload: Uint8Array, cardinality: number): DeletionVectorDescriptor {
  return {
    storageType: 'u',
    pathOrInlineDv: 'vBn[lx{q8@P<9BNH/isA',
    offset: 1,
    sizeInBytes: payload.length,
    cardinality,
  }
}

function codeOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => 'no error',
    (error: unknown) => (isDeltaError(error) ? error.code : String(error)),
  )
}

describe('z85', () => {
  it('refuses a group above 2^32 - 1, a foreign character and a cut group', () => {
    expect(decodeZ85('##093')).toBeUndefined()
    expect(decodeZ85('ab"cd')).toBeUndefined()
    expect(decodeZ85('abcd')).toBeUndefined()
  })

  it('gives back what it encoded', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 10 }), (raw) => {
        const bytes = new Uint8Array(raw.length * 4).fill(7)
        bytes.set(raw)
        expect(decodeZ85(encodeZ85(bytes))).toEqual(bytes)
      }),
    )
  })
})

describe('loadDeletionVector', () => {
  it('reads the ordinary inline form', async () => {
    expect([...(await loadDeletionVector(noStore, ORDINARY))]).toEqual([0n, 1n, 4n, 5n])
  })

  it('reads the form printed in the protocol', async () => {
    expect([...(await loadDeletionVector(noStore, AS_PRINTED))]).toEqual([3n, 4n, 7n, 11n, 18n, 29n])
  })

  it('names files by the uuid at the end of the text, below the prefix before it', () => {
    const { pathOrInlineDv } = descriptorOf(new Uint8Array(), 0)
    expect(deletionVectorKey(pathOrInlineDv)).toBe(KEY)
    expect(deletionVectorKey(`ab${pathOrInlineDv}`)).toBe(`ab/${KEY}`)
  })

  it('reads a vector by its absolute path, in the table and elsewhere', async () => {
    const payload = arrayPayload(3)
    const absolute = (path: string): DeletionVectorDescriptor => {
      return { ...descriptorOf(payload, 1), storageType: 'p', pathOrInlineDv: path }
    }
    const inside = oneFile('a b.bin', storedFile(payload))
    expect([...(await loadDeletionVector(inside, absolute('file:///t/a%20b.bin')))]).toEqual([3n])
    expect(await codeOf(loadDeletionVector(inside, absolute('/else/x.bin')))).toBe('FAILED_READ_FILE.NO_HINT')
    const outside = {
      ...inside,
      elsewhere: (path: string) => ({ store: oneFile(path, storedFile(payload)), key: path }),
    }
    expect([...(await loadDeletionVector(outside, absolute('/else/x.bin')))]).toEqual([3n])
  })

  it('reads a vector from its file', async () => {
    const payload = arrayPayload(3, 500, 65535)
    const rows = await loadDeletionVector(oneFile(KEY, storedFile(payload)), descriptorOf(payload, 3))
    expect([...rows]).toEqual([3n, 500n, 65535n])
  })

  it('reads runs, bitmaps and high words', async () => {
    const bitmap = new Uint8Array(8192).fill(0xff)
    bitmap[8191] = 0x7f
    const payload = concatBytes([
      uint32s(1681511377, 1, 0, 5, 12347 | (1 << 16)),
      new Uint8Array([0b01]),
      uint16s(0, 2, 1, 65534),
      uint16s(1, 7, 2),
      bitmap,
    ])
    const rows = await loadDeletionVector(oneFile(KEY, storedFile(payload)), descriptorOf(payload, 3 + 65535))
    const high = 5n << 32n
    expect([...rows.subarray(0, 4)]).toEqual([high + 7n, high + 8n, high + 9n, high + 65536n])
    expect(rows.at(-1)).toBe(high + 65536n + 65534n)
  })

  it('gives four distinct errors for four kinds of damage, and no rows', async () => {
    const payload = arrayPayload(3, 500)
    const file = storedFile(payload)
    const flipped = Uint8Array.from(file)
    flipped[file.length - 1]! ^= 1
    const resized = Uint8Array.from(file)
    resized[4]! += 1
    const good = descriptorOf(payload, 2)
    const load = (bytes: Uint8Array, descriptor = good, numRecords = 501) =>
      codeOf(loadDeletionVector(oneFile(KEY, bytes), descriptor, { numRecords }))
    expect(await load(file)).toBe('no error')
    expect(await load(flipped)).toBe('DELTA_DELETION_VECTOR_CHECKSUM_MISMATCH')
    expect(await load(resized)).toBe('DELTA_DELETION_VECTOR_SIZE_MISMATCH')
    expect(await load(file.subarray(0, 20))).toBe('DELTA_DELETION_VECTOR_SIZE_MISMATCH')
    expect(await load(file, { ...good, cardinality: 3 })).toBe('DELTA_DELETION_VECTOR_CARDINALITY_MISMATCH')
    expect(await load(file, good, 500)).toBe('DELTA_DELETION_VECTOR_INVALID_ROW_INDEX')
  })

  it('refuses rows out of order', async () => {
    const payload = arrayPayload(9, 9)
    const file = oneFile(KEY, storedFile(payload))
    expect(await codeOf(loadDeletionVector(file, descriptorOf(payload, 2)))).toBe(
      'DELTA_DELETION_VECTOR_INVALID_ROW_INDEX',
    )
  })

  it('answers damaged payloads with an error that has a code', async () => {
    const payload = arrayPayload(1, 2, 3, 4)
    await fc.assert(
      fc.asyncProperty(fc.nat(payload.length - 1), fc.nat(255), async (at, byte) => {
        const damaged = Uint8Array.from(payload)
        damaged[at] = byte
        const outcome = codeOf(loadDeletionVector(oneFile(KEY, storedFile(damaged)), descriptorOf(payload, 4)))
        expect(await outcome).toMatch(/^(no error|DELTA_DELETION_VECTOR_\w+)$/)
      }),
      { numRuns: 300 },
    )
  })
})
