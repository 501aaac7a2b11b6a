import { describe, expect, test } from 'vitest'
import { CELL_SHIFT, curvePart, hilbertPlaces, rangeBounds } from './index.ts'

const isSame = (a: number, b: number) => a === b

describe('ranges', () => {
  test('cut many values into equal parts', () => {
    const bounds = rangeBounds(
      Array.from({ length: 25_600 }, (_, i) => i),
      isSame,
    )
    expect(bounds).toHaveLength(255)
    expect(bounds.slice(0, 3)).toEqual([100, 200, 300])
  })

  test('leave out bounds that are equal, and the least value', () => {
    expect(rangeBounds([1, 1, 1, 2, 2, 2, 3], isSame)).toEqual([2, 3])
    expect(rangeBounds([5, 5], isSame)).toEqual([])
    expect(rangeBounds([], isSame)).toEqual([])
  })
})

describe('the Z-order curve', () => {
  const place = (...ranges: number[]) =>
    ranges.reduce((at, range, column) => at | curvePart('z-order', range, { column, of: ranges.length }), 0n)

  test('interleaves bits, those of the first column first', () => {
    expect(place(0b11, 0b00)).toBe(0b1010n)
    expect(place(0b01, 0b10)).toBe(0b0110n)
    expect(place(255, 255)).toBe(0xffffn)
  })

  test('keeps the higher bits where there are many columns, in 62 bits at most', () => {
    const many = Array.from({ length: 20 }, () => 255)
    expect(place(...many)).toBe((1n << 60n) - 1n)
    const few = [...many.keys()].map((i) => (i === 0 ? 0b0001_1111 : 0))
    expect(place(...few)).toBe(0n)
  })
})

describe('the Hilbert curve', () => {
  test.each([2, 3, 4])('through %i columns goes through every cell once, each beside the one before', (columns) => {
    const places = hilbertPlaces(columns)
    const bits = 12 / columns
    const cells = new Array<number>(places.length)
    for (const [cell, place] of places.entries()) cells[place] = cell
    expect(new Set(places).size).toBe(1 << 12)
    const at = (cell: number, i: number) => (cell >> (bits * i)) & ((1 << bits) - 1)
    for (let i = 1; i < cells.length; i++) {
      let distance = 0
      for (let axis = 0; axis < columns; axis++) distance += Math.abs(at(cells[i]!, axis) - at(cells[i - 1]!, axis))
      expect(distance).toBe(1)
    }
  })

  test('tells cells apart by the higher bits of ranges', () => {
    const part = (range: number) => curvePart('hilbert', range, { column: 0, of: 2 }) >> BigInt(CELL_SHIFT)
    expect([part(3), part(4), part(255)]).toEqual([0n, 64n, 63n * 64n])
  })
})
