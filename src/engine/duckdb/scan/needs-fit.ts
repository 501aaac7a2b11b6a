/**
 * Whether files hold other types than their table has.
 *
 * A least value that is spelt as only a column of the table's type has it shows that the file was written for the table;
 * of other files the footers are read.
 */
import { physicalName, type TableLayout } from '../../../kernel/index.ts'
import type { DataType, StructField } from '../../../schema/index.ts'
import type { DuckSession, QueryOptions } from '../instance.ts'
import { readShapes } from './file-shape.ts'
import { findChild, fitColumn } from './fit-shape.ts'
import type { LocalFile } from './local-files.ts'

/**
 * True when some column must be made from what a file holds, as text from bytes without a mark that they are text.
 *
 * @throws DeltaError `FAILED_READ_FILE.PARQUET_COLUMN_DATA_TYPE_MISMATCH`, `FAILED_READ_FILE.NO_HINT`
 */
export async function needsFit(
  session: DuckSession,
  { layout, files, ordinals }: { layout: TableLayout; files: readonly LocalFile[]; ordinals: readonly number[] },
  options: QueryOptions,
): Promise<boolean> {
  const columns = ordinals
    .filter((i) => !layout.hidden?.has(i))
    .map((i) => layout.schema.fields[i]!)
    .filter(({ name, type }) => !layout.partitionColumns.includes(name) && type.kind !== 'void')
  if (columns.length === 0) return false
  const vouch = voucherOf(columns, layout)
  const doubtful = files.filter(({ add }) => !vouch(add.stats))
  if (doubtful.length === 0) return false
  const paths = new Map(doubtful.map((file) => [file.path, file.add.path]))
  const seen = new Set<unknown>()
  let needed = false
  for (const [path, shape] of await readShapes(session, [...paths.keys()], options)) {
    if (seen.has(shape)) continue
    seen.add(shape)
    const context = { layout, file: paths.get(path) ?? path, decodesVariants: false }
    for (const column of columns) {
      const child = findChild(column, shape, context)
      if (child !== undefined && !fitColumn(column, child, context).plain) needed = true
    }
  }
  return needed
}

const INTEGER = /^-?\d+[,}\s]/
const MOMENT = /^"[+-]?\d+-\d\d-\d\d[T ]/
/** How a least value begins that only a column of such a type has; the bounds of other types do not tell. */
const BOUNDS: Partial<Readonly<Record<DataType['kind'], RegExp>>> = {
  byte: INTEGER,
  short: INTEGER,
  integer: INTEGER,
  long: INTEGER,
  double: /^(?:-?\d+(?:\.|[eE])|"(?:NaN|-?Infinity)")/,
  string: /^"(?!\d+-\d\d-\d\d["T ])/,
  date: /^"[+-]?\d+-\d\d-\d\d"/,
  timestamp: MOMENT,
  timestamp_ntz: MOMENT,
}

/** Whether statistics have a least value of each column, spelt as only its type is. */
export function voucherOf(
  columns: readonly StructField[],
  layout: TableLayout,
): (stats: string | undefined) => boolean {
  const marks = columns.map((column) => ({
    mark: new RegExp(`${escapePattern(JSON.stringify(physicalName(column, layout)))}\\s*:\\s*`),
    bound: BOUNDS[column.type.kind],
  }))
  if (marks.some(({ bound }) => bound === undefined)) return () => false
  return (stats) => {
    const start = stats?.indexOf('"minValues"') ?? -1
    if (stats === undefined || start < 0) return false
    const end = stats.indexOf('"maxValues"', start)
    const least = stats.slice(start, end < 0 ? stats.length : end)
    return marks.every(({ mark, bound }) => {
      const found = mark.exec(least)
      return found !== null && bound!.test(least.slice(found.index + found[0].length))
    })
  }
}

function escapePattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}
