/** Rows of a table sorted along a curve; all of them are held. */
import type { BoundExpression } from '../../expressions/index.ts'
import { compareValues } from '../../kernel/index.ts'
import type { DataType, Row, Value } from '../../schema/index.ts'
import {
  CELL_SHIFT,
  curvePart,
  hilbertPlaces,
  mostColumns,
  rangeBounds,
  SAMPLE_ROWS,
  TEXT_CHARACTERS,
} from '../curve/index.ts'
import type { EngineOptions, RowCurve, ScanSource } from '../index.ts'
import { copiedRows } from './copy.ts'

type Present = Exclude<Value, null>

const PAGE_ROWS = 8192

export async function* sortedRows(
  curve: RowCurve,
  source: ScanSource,
  options: EngineOptions,
): AsyncGenerator<readonly Row[]> {
  const rows: Row[] = []
  for await (const page of copiedRows(source, options)) for (const row of page) rows.push(row)
  const place = placeOf(curve, source, rows)
  const placed = rows.map((row) => ({ row, place: place(row) }))
  placed.sort((a, b) => (a.place < b.place ? -1 : a.place > b.place ? 1 : 0))
  for (let start = 0; start < placed.length; start += PAGE_ROWS) {
    yield placed.slice(start, start + PAGE_ROWS).map(({ row }) => row)
  }
}

function placeOf({ kind, columns }: RowCurve, { plan }: ScanSource, rows: readonly Row[]): (row: Row) => bigint {
  const used = columns.slice(0, mostColumns(kind))
  const ranges = used.map((column) => rangeOf(column, plan.columns, rows))
  const cornerOf = (row: Row) =>
    ranges.reduce((place, range, i) => place | curvePart(kind, range(row), { column: i, of: used.length }), 0n)
  if (kind === 'z-order' || used.length === 1) return cornerOf
  const places = hilbertPlaces(used.length)
  const shift = BigInt(CELL_SHIFT)
  return (row) => {
    const place = cornerOf(row)
    return (BigInt(places[Number(place >> shift)]!) << shift) | (place & ((1n << shift) - 1n))
  }
}

/** The range of a row's value among those of all rows. */
function rangeOf(
  { ordinals, type }: Extract<BoundExpression, { kind: 'column' }>,
  outputs: readonly number[],
  rows: readonly Row[],
): (row: Row) => number {
  const [top, ...members] = ordinals
  const at = outputs.indexOf(top!)
  const read = (row: Row) => members.reduce<Value>((value, i) => (value as Row | null)?.[i] ?? null, row[at]!)
  const compare = (a: Present, b: Present) => compareValues(a, b, type as DataType) ?? 0
  const sample = rows.slice(0, SAMPLE_ROWS).map(read).map(shortened)
  const known = sample.filter((value) => value !== null).sort(compare)
  const bounds = rangeBounds(known, (a, b) => compare(a, b) === 0)
  return (row) => {
    const value = read(row)
    return value === null ? 0 : countAtOrBelow(bounds, value, compare)
  }
}

function shortened(value: Value): Value {
  return typeof value === 'string'
    ? Array.from(value.slice(0, 2 * TEXT_CHARACTERS))
        .slice(0, TEXT_CHARACTERS)
        .join('')
    : value
}

function countAtOrBelow<V>(bounds: readonly V[], value: V, compare: (a: V, b: V) => number): number {
  let from = 0
  let to = bounds.length
  while (from < to) {
    const middle = (from + to) >> 1
    if (compare(value, bounds[middle]!) >= 0) from = middle + 1
    else to = middle
  }
  return from
}
