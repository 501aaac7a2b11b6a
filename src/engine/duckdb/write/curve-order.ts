/**
 * The order of rows along a curve, as SQL. No row leaves the engine.
 *
 * A look at some of the rows cuts each column into ranges. The range of a number is found by a few comparisons and a step
 * of arithmetic into a list of what each small stretch of numbers adds to a row's place; that of a text by comparisons
 * alone, of which each costs, so that texts are cut into fewer ranges.
 */
import type { DataType, Value } from '../../../schema/index.ts'
import {
  CELL_SHIFT,
  curvePart,
  hilbertPlaces,
  mostColumns,
  RANGE_BITS,
  rangeNumber,
  SAMPLE_ROWS,
  TEXT_CHARACTERS,
} from '../../curve/index.ts'
import type { RowCurve } from '../../index.ts'
import type { DuckSession, QueryOptions } from '../instance.ts'
import { literal } from '../values/literal.ts'
import { readVector } from '../values/read-vector.ts'

export interface CurveColumn {
  /** SQL over the relation */
  readonly sql: string
  readonly type: DataType
}

export interface CurveOrder {
  /** columns that `place` stands on, to be computed beside the relation's own */
  readonly keys: string
  /** what to order by, over the keys */
  readonly place: string
}

interface Session {
  readonly session: DuckSession
  readonly options: QueryOptions
}

/** Cells of the list of a column of numbers. */
const CELLS = 1024
/** Segments told apart by comparison, each cut into cells of equal width: the fewest that tell most ranges apart. */
const SEGMENTS = [1, 2, 4, 8] as const
const MOST = 0.75
/** Texts are told apart by as many bounds. */
const TEXT_BOUNDS = 31

/** @param sample SELECT list → some of the rows */
export async function curveOrder(
  { kind }: Pick<RowCurve, 'kind'>,
  columns: readonly CurveColumn[],
  { sample, ...session }: Session & { readonly sample: (outputs: string) => Promise<string> },
): Promise<CurveOrder> {
  const used = columns.slice(0, mostColumns(kind))
  const keys = used.map((column, i) => `${keySql(column)} AS k${i}`).join(', ')
  await session.session.run(
    `CREATE OR REPLACE TEMP TABLE sampled AS
      SELECT * FROM (${await sample(keys)}) USING SAMPLE reservoir(${SAMPLE_ROWS} ROWS)`,
    session.options,
  )
  const parts: string[] = []
  for (const [i, { type }] of used.entries()) {
    const part = (range: number) => curvePart(kind, range, { column: i, of: used.length })
    parts.push(await (type.kind === 'string' ? textPart(i, part, session) : numberPart(i, part, session)))
  }
  await session.session.run('DROP TABLE sampled', session.options)
  const place = parts.join(' | ')
  return {
    keys,
    place: kind === 'z-order' || used.length === 1 ? place : await alongHilbert(place, used.length, session),
  }
}

/** A value as a number of the same order, or the beginning of a text. */
function keySql({ sql, type }: CurveColumn): string {
  switch (type.kind) {
    case 'string':
      return `left(${sql}, ${TEXT_CHARACTERS})`
    case 'date':
      return `(${sql} - '1970-01-01'::DATE)::DOUBLE`
    case 'timestamp':
    case 'timestamp_ntz':
      return `epoch_us(${sql})::DOUBLE`
    default:
      return `${sql}::DOUBLE`
  }
}

/** The bounds of a sampled key's ranges: see `rangeBounds`. */
async function readBounds(key: string, type: DataType, { session, options }: Session): Promise<Value[]> {
  const ranges = 1 << RANGE_BITS
  const sql = `SELECT DISTINCT k FROM (
      SELECT ${key} AS k, row_number() OVER (ORDER BY ${key}) - 1 AS r, count(*) OVER () AS n,
        min(${key}) OVER () AS least
      FROM sampled WHERE ${key} IS NOT NULL)
    WHERE r > 0 AND (r * ${ranges}) // n > ((r - 1) * ${ranges}) // n AND k > least ORDER BY k`
  const bounds: Value[] = []
  for await (const chunk of session.stream(sql, options)) bounds.push(...readVector(chunk.getColumnVector(0), type))
  return bounds
}

/** What a text adds to a row's place; null is not at or above any bound. */
async function textPart(column: number, part: (range: number) => bigint, session: Session): Promise<string> {
  const all = await readBounds(`k${column}`, { kind: 'string' }, session)
  const step = Math.ceil((all.length + 1) / (TEXT_BOUNDS + 1))
  const chosen = [...all.keys()].filter((i) => (i + 1) % step === 0)
  const tree = halves(chosen.length, {
    bound: (i) => `k${column} >= ${literal(all[chosen[i]!]!, { kind: 'string' })}`,
    leaf: (i) => String(part(i === 0 ? 0 : chosen[i - 1]! + 1)),
  })
  return `(${tree})::BIGINT`
}

/** What a number adds to a row's place. */
async function numberPart(column: number, part: (range: number) => bigint, session: Session): Promise<string> {
  const key = `k${column}`
  // what is infinite or NaN goes to the cells at the ends
  const bounds = ((await readBounds(key, { kind: 'double' }, session)) as number[]).filter(Number.isFinite)
  const ends = `SELECT min(${key}), max(${key}) FROM sampled WHERE isfinite(${key})`
  const [least, most] = (await session.session.query(ends, session.options))[0] as (number | null)[]
  const span = { least: least ?? 0, most: most ?? 0 }
  const grids = SEGMENTS.map((count) => gridOf(bounds, span, count))
  const grid = grids.find(({ ranges }) => new Set(ranges).size > bounds.length * MOST) ?? grids.at(-1)!
  await setList(`curve_parts${column}`, grid.ranges.map(part).join(','), session)
  const cells = halves(grid.edges.length, {
    bound: (i) => `${key} >= ${grid.edges[i]}::DOUBLE`,
    leaf: (i) => cellSql(key, grid.segments[i]!),
  })
  return `coalesce(getvariable('curve_parts${column}')[(${cells})::INTEGER + 1], ${part(0)})`
}

/** Numbers in cells. */
interface Grid {
  /** where segments but the first begin */
  readonly edges: readonly number[]
  readonly segments: readonly Segment[]
  /** of each cell */
  readonly ranges: readonly number[]
}

interface Segment {
  readonly from: number
  /** of a cell */
  readonly width: number
  /** the number of the first cell, and how many there are */
  readonly first: number
  readonly cells: number
}

/** Segments with about as many of the bounds each. */
function gridOf(bounds: readonly number[], { least, most }: { least: number; most: number }, count: number): Grid {
  const step = Math.ceil((bounds.length + 1) / count)
  const edges = bounds.filter((_, i) => (i + 1) % step === 0)
  const cells = Math.floor(CELLS / count)
  const segments = Array.from({ length: edges.length + 1 }, (_, i): Segment => {
    const from = edges[i - 1] ?? least
    return { from, width: ((edges[i] ?? most) - from) / cells, first: i * cells, cells }
  })
  // a cell's range is that of the greatest value in it: whole numbers of a narrow segment have cells of their own
  const ranges = segments.flatMap(({ from, width }, i) =>
    Array.from({ length: cells }, (_, cell) => {
      const isLast = cell === cells - 1
      return rangeNumber(bounds, isLast ? (edges[i] ?? Number.POSITIVE_INFINITY) : from + (cell + 1) * width)
    }),
  )
  return { edges, segments, ranges }
}

/** The cell of a number; null stays null. */
function cellSql(key: string, { from, width, first, cells }: Segment): string {
  if (!(width > 0 && Number.isFinite(1 / width))) return `CASE WHEN ${key} IS NOT NULL THEN ${first} END`
  return `(${first} + least(${cells - 1}, greatest(0, floor((${key} - ${from}::DOUBLE) * ${1 / width}::DOUBLE))))`
}

/** A search by halves through bounds in order: the leaf of how many of them are met. */
function halves(
  count: number,
  { bound, leaf }: { readonly bound: (i: number) => string; readonly leaf: (met: number) => string },
): string {
  const search = (from: number, to: number): string => {
    if (from === to) return leaf(from)
    const middle = (from + to) >> 1
    return `CASE WHEN ${bound(middle)} THEN ${search(middle + 1, to)} ELSE ${search(from, middle)} END`
  }
  return search(0, count)
}

/** The cell of a place gives way to the cell's own place on the curve. */
async function alongHilbert(place: string, columns: number, session: Session): Promise<string> {
  await setList('hilbert_places', hilbertPlaces(columns).join(','), session)
  const cell = `getvariable('hilbert_places')[((${place}) >> ${CELL_SHIFT}) + 1]`
  return `(${cell} << ${CELL_SHIFT}) | ((${place}) & ${(1n << BigInt(CELL_SHIFT)) - 1n})`
}

/** One text to split is read much faster than a list of constants. */
async function setList(name: string, numbers: string, { session, options }: Session): Promise<void> {
  await session.run(`SET VARIABLE ${name} = string_split('${numbers}', ',')::BIGINT[]`, options)
}
