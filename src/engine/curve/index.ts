export { CELL_SHIFT, type CurveKind, curvePart, hilbertPlaces, mostColumns } from './curve.ts'
export { RANGE_BITS, rangeBounds, rangeNumber, SAMPLE_ROWS, TEXT_CHARACTERS } from './ranges.ts'
