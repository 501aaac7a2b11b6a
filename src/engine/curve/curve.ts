/**
 * Where a row lies on a curve through the space of some columns.
 *
 * A row's coordinates are the numbers of the ranges its values lie in. Each coordinate adds a part to the row's place, a
 * number of 62 bits; parts are joined by a bitwise or. On the Z-order curve that is the place. On the Hilbert curve it is
 * a cell of a coarse grid, in the bits from `CELL_SHIFT` on, which `hilbertPlaces` gives its place, and below it the
 * place on the Z-order curve, which orders the rows of a cell.
 */
import { RANGE_BITS } from './ranges.ts'

export type CurveKind = 'z-order' | 'hilbert'

const PLACE_BITS = 62
/** Cells are looked up in a list, which a short list makes cheap. */
const CELL_BITS = 12
/** The lowest bit of a cell's number. */
export const CELL_SHIFT = 40

/** The number of columns a curve can go through; what lies behind them does not count. */
export function mostColumns(kind: CurveKind): number {
  return kind === 'z-order' ? PLACE_BITS : CELL_BITS
}

/** What the coordinate of a column adds to a row's place. */
export function curvePart(
  kind: CurveKind,
  range: number,
  at: { readonly column: number; readonly of: number },
): bigint {
  const interleaved = spreadBits(range, at, zOrderBits(kind, at.of))
  return kind === 'z-order' ? interleaved : interleaved | (BigInt(cellPart(range, at)) << BigInt(CELL_SHIFT))
}

/** The higher bits of a coordinate, a column's width apart; the first column has the highest. */
function spreadBits(range: number, { column, of }: { column: number; of: number }, bits: number): bigint {
  const value = range >> (RANGE_BITS - bits)
  let spread = 0n
  for (let i = 0; i < bits; i++) if ((value >> i) & 1) spread |= 1n << BigInt(i * of + of - 1 - column)
  return spread
}

function zOrderBits(kind: CurveKind, columns: number): number {
  return bitsOfEach(kind === 'z-order' ? PLACE_BITS : CELL_SHIFT, columns)
}

function bitsOfEach(all: number, columns: number): number {
  return Math.min(RANGE_BITS, Math.max(1, Math.floor(all / columns)))
}

function cellPart(range: number, { column, of }: { column: number; of: number }): number {
  const bits = bitsOfEach(CELL_BITS, of)
  return (range >> (RANGE_BITS - bits)) << (bits * (of - 1 - column))
}

/** The place on the Hilbert curve of each cell of the grid: neighbours there are neighbours in the grid. */
export function hilbertPlaces(columns: number): Uint32Array {
  const bits = bitsOfEach(CELL_BITS, columns)
  const mask = (1 << bits) - 1
  return Uint32Array.from({ length: 1 << (bits * columns) }, (_, cell) => {
    const coordinates = Array.from({ length: columns }, (_, i) => (cell >> (bits * (columns - 1 - i))) & mask)
    return hilbertPlace(coordinates, bits)
  })
}

/**
 * The place of a cell on the Hilbert curve.
 *
 * Source: J. Skilling, "Programming the Hilbert curve", 2004
 */
function hilbertPlace(cell: readonly number[], bits: number): number {
  const x = [...cell]
  const top = 1 << (bits - 1)
  for (let level = top; level > 1; level >>= 1) untwist(x, level)
  for (let i = 1; i < x.length; i++) x[i]! ^= x[i - 1]!
  let gray = 0
  for (let level = top; level > 1; level >>= 1) if (x.at(-1)! & level) gray ^= level - 1
  let place = 0
  for (let bit = bits - 1; bit >= 0; bit--) for (const value of x) place = place * 2 + (((value ^ gray) >> bit) & 1)
  return place
}

/** Undoes the reflections and swaps of one level. */
function untwist(x: number[], level: number): void {
  const below = level - 1
  for (let i = 0; i < x.length; i++) {
    const swapped = (x[0]! ^ x[i]!) & below
    if (x[i]! & level) x[0]! ^= below
    else {
      x[0]! ^= swapped
      x[i]! ^= swapped
    }
  }
}
