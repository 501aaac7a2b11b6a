/**
 * The order of rows along a curve, as SQL.
 *
 * A look at some of the rows cuts each column into ranges; a tree of comparisons finds a value's range in a few steps
 * and gives what the range adds to the row's place. No row leaves the engine.
 */
import type { DataType, Value } from '../../../schema/index.ts'
import {
  CELL_SHIFT,
  curvePart,
  hilbertPlaces,
  mostColumns,
  RANGE_BITS,
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

/** @param relation SELECT list → the rows, or some of them, without a word about order */
export async function curveOrder(
  { kind }: Pick<RowCurve, 'kind'>,
  {
    columns,
    sample,
  }: { readonly columns: readonly CurveColumn[]; readonly sample: (outputs: string) => Promise<string> },
  { session, options }: { readonly session: DuckSession; readonly options: QueryOptions },
): Promise<string> {
  const used = columns.slice(0, mostColumns(kind))
  const keys = used.map(
    ({ sql, type }, i) => `${type.kind === 'string' ? `left(${sql}, ${TEXT_CHARACTERS})` : sql} AS k${i}`,
  )
  await session.run(
    `CREATE OR REPLACE TEMP TABLE sampled AS
      SELECT * FROM (${await sample(keys.join(', '))}) USING SAMPLE reservoir(${SAMPLE_ROWS} ROWS)`,
    options,
  )
  const parts: string[] = []
  for (const [i, { sql, type }] of used.entries()) {
    const bounds = await readBounds(`k${i}`, type, { session, options })
    const part = (range: number) => String(curvePart(kind, range, { column: i, of: used.length }))
    parts.push(`(${rangeTree(sql, bounds, part)})::BIGINT`)
  }
  await session.run('DROP TABLE sampled', options)
  const place = parts.join(' | ')
  return kind === 'z-order' || used.length === 1 ? place : await alongHilbert(place, used.length, { session, options })
}

/** The bounds of a sampled column as SQL: see `rangeBounds`. */
async function readBounds(
  key: string,
  type: DataType,
  { session, options }: { readonly session: DuckSession; readonly options: QueryOptions },
): Promise<readonly string[]> {
  const ranges = 1 << RANGE_BITS
  const sql = `SELECT DISTINCT k FROM (
      SELECT ${key} AS k, row_number() OVER (ORDER BY ${key}) - 1 AS r, count(*) OVER () AS n,
        min(${key}) OVER () AS least
      FROM sampled WHERE ${key} IS NOT NULL)
    WHERE r > 0 AND (r * ${ranges}) // n > ((r - 1) * ${ranges}) // n AND k > least ORDER BY k`
  const bounds: Value[] = []
  for await (const chunk of session.stream(sql, options)) bounds.push(...readVector(chunk.getColumnVector(0), type))
  return bounds.map((bound) => literal(bound, type))
}

/** A search by halves; null goes to the first range, for it is not at or above any bound. */
function rangeTree(value: string, bounds: readonly string[], part: (range: number) => string): string {
  const search = (from: number, to: number): string => {
    if (from === to) return part(from)
    const middle = (from + to) >> 1
    return `CASE WHEN ${value} >= ${bounds[middle]} THEN ${search(middle + 1, to)} ELSE ${search(from, middle)} END`
  }
  return search(0, bounds.length)
}

/** The cell of a place gives way to the cell's own place on the curve. */
async function alongHilbert(
  place: string,
  columns: number,
  { session, options }: { readonly session: DuckSession; readonly options: QueryOptions },
): Promise<string> {
  // one text to split is read much faster than a list of constants
  const places = `string_split('${hilbertPlaces(columns).join(',')}', ',')::BIGINT[]`
  await session.run(`SET VARIABLE hilbert_places = ${places}`, options)
  const cell = `getvariable('hilbert_places')[((${place}) >> ${CELL_SHIFT}) + 1]`
  return `(${cell} << ${CELL_SHIFT}) | ((${place}) & ${(1n << BigInt(CELL_SHIFT)) - 1n})`
}
