export { hilbertCells, hilbertPart, mostColumns, zOrderPart } from './curve.ts'
export { RANGE_BITS, rangeBounds, SAMPLE_ROWS, TEXT_CHARACTERS } from './ranges.ts'
