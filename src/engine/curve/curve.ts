/**
 * Where a cell of a grid lies on a curve through it.
 *
 * Coordinates are numbers of ranges, of which a curve through many columns uses the higher bits only.
 */
import { RANGE_BITS } from './ranges.ts'

/** A place on the Z-order curve is a positive 64-bit number. */
const Z_ORDER_BITS = 62
/** A place on the Hilbert curve is looked up in a table of its cells. */
const HILBERT_BITS = 16

/** Bits of each coordinate that a Z-order curve through so many columns uses. */
export function zOrderBits(columns: number): number {
  return Math.min(RANGE_BITS, Math.max(1, Math.floor(Z_ORDER_BITS / columns)))
}

/** Bits of each coordinate that a Hilbert curve through so many columns uses. */
export function hilbertBits(columns: number): number {
  return Math.min(RANGE_BITS, Math.max(1, Math.floor(HILBERT_BITS / columns)))
}

/** The number of columns a curve can go through; what lies behind them does not count. */
export function mostColumns(curve: 'z-order' | 'hilbert'): number {
  return curve === 'z-order' ? Z_ORDER_BITS : HILBERT_BITS
}

/**
 * What the coordinate of a column adds to a cell's place on the Z-order curve: its bits, a column's width apart. The
 * first column has the highest bits.
 */
export function zOrderPart(range: number, column: number, columns: number): bigint {
  const bits = zOrderBits(columns)
  const value = range >> (RANGE_BITS - bits)
  let part = 0n
  for (let i = 0; i < bits; i++) if ((value >> i) & 1) part |= 1n << BigInt(i * columns + columns - 1 - column)
  return part
}

/** What the coordinate of a column adds to the number of a cell of the Hilbert curve's grid. */
export function hilbertPart(range: number, column: number, columns: number): number {
  const bits = hilbertBits(columns)
  return (range >> (RANGE_BITS - bits)) << (bits * (columns - 1 - column))
}

/** The numbers of all cells of a Hilbert curve's grid, in the curve's order: neighbours there are neighbours in the grid. */
export function hilbertCells(columns: number): Uint32Array {
  const bits = hilbertBits(columns)
  const cells = new Uint32Array(1 << (bits * columns))
  const mask = (1 << bits) - 1
  for (let cell = 0; cell < cells.length; cell++) {
    const coordinates = Array.from({ length: columns }, (_, i) => (cell >> (bits * (columns - 1 - i))) & mask)
    cells[hilbertPlace(coordinates, bits)] = cell
  }
  return cells
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
  return interleaved(
    x.map((value) => value ^ gray),
    bits,
  )
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

function interleaved(x: readonly number[], bits: number): number {
  let place = 0
  for (let bit = bits - 1; bit >= 0; bit--) for (const value of x) place = place * 2 + ((value >> bit) & 1)
  return place
}
