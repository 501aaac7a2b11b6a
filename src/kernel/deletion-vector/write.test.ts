import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { memoryStore } from '../../storage/index.ts'
import { encodePositions } from './encode.ts'
import { loadDeletionVector } from './load.ts'
import { RowSet } from './row-set.ts'
import { writeDeletionVectors } from './write.ts'

async function readBack(sets: readonly RowSet[], prefix?: string) {
  const store = memoryStore()
  const written = await writeDeletionVectors(store, sets, prefix === undefined ? {} : { prefix })
  const vectors = await Promise.all(written.descriptors.map((descriptor) => loadDeletionVector(store, descriptor)))
  return { store, written, vectors }
}

/** Positions of every shape a container takes: few, many, runs, above 2^32. */
const positions = fc.oneof(
  fc.uniqueArray(fc.integer({ min: 0, max: 300_000 }), { minLength: 1, maxLength: 50 }),
  fc
    .tuple(fc.integer({ min: 0, max: 200_000 }), fc.integer({ min: 1, max: 70_000 }))
    .map(([first, length]) => Array.from({ length }, (_, i) => first + i)),
  fc
    .tuple(fc.integer({ min: 0, max: 100_000 }), fc.integer({ min: 4_000, max: 9_000 }), fc.integer({ min: 2, max: 9 }))
    .map(([first, length, step]) => Array.from({ length }, (_, i) => first + i * step)),
  fc.constant([0, 2 ** 32 - 1, 2 ** 32, 2 ** 33 + 65_536]),
)

describe('written deletion vectors', () => {
  it('are read back, several from one file', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(positions, { minLength: 1, maxLength: 4 }), async (lists) => {
        const sets = lists.map((list) => RowSet.of(list))
        const { written, vectors } = await readBack(sets)
        for (const [i, vector] of vectors.entries()) {
          const expected = [...lists[i]!].sort((a, b) => a - b)
          expect(written.descriptors[i]!.cardinality).toBe(expected.length)
          expect(Array.from(vector, Number)).toEqual(expected)
          expect([...RowSet.ofWords(vector).positions()]).toEqual(expected)
        }
      }),
      { numRuns: 40 },
    )
  })

  it('have the bytes of the form other readers take', () => {
    // the vector of the protocol's own test data: rows 0, 1, 4 and 5
    const hex = Buffer.from(encodePositions(RowSet.of([0, 1, 4, 5]))).toString('hex')
    expect(hex).toBe('d1d33964010000000000000000000000' + '3a3000000100000000000300' + '10000000' + '0000010004000500')
  })

  it('write a run where that is shorter', () => {
    const bytes = encodePositions(RowSet.of(Array.from({ length: 60_000 }, (_, i) => i)))
    expect(bytes.length).toBe(12 + 4 + 4 + 1 + 4 + 2 + 4)
  })

  it('lie one behind the other, below the prefix asked for', async () => {
    const { written } = await readBack([RowSet.of([1]), RowSet.of([2, 3])], 'aB')
    const [first, second] = written.descriptors
    expect(written.key).toMatch(/^aB\/deletion_vector_[0-9a-f-]{36}\.bin$/)
    expect(first).toMatchObject({ storageType: 'u', offset: 1, cardinality: 1 })
    expect(second!.offset).toBe(1 + first!.sizeInBytes + 8)
    expect(second!.pathOrInlineDv).toBe(first!.pathOrInlineDv)
  })
})

describe('RowSet', () => {
  it('joins two sets and finds what is in them', () => {
    fc.assert(
      fc.property(positions, positions, (a, b) => {
        const both = RowSet.of(a).union(RowSet.of(b))
        const expected = [...new Set([...a, ...b])].sort((x, y) => x - y)
        expect([...both.positions()]).toEqual(expected)
        expect(both.size).toBe(expected.length)
        expect(expected.slice(0, 50).every((position) => both.has(position))).toBe(true)
        expect(both.has(expected.at(-1)! + 1)).toBe(false)
      }),
      { numRuns: 40 },
    )
  })
})
