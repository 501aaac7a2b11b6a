/** Rows as texts, from the engine's batches. */
import {
  type AddFile,
  type BoundExpression,
  bindPredicate,
  type DataType,
  formatType,
  type Snapshot,
  type StructType,
  type Value,
  valueToText,
} from '../library.ts'
import type { Cell, ColumnHead } from '../messages.ts'
import type { TableContext } from './context.ts'

export interface ScannedRow {
  readonly cells: readonly Cell[]
  /** place of the file in the list given */
  readonly file: number
}

export function headsOf({ fields }: StructType): ColumnHead[] {
  return fields.map(({ name, type }) => ({ name, type: formatType(type) }))
}

export function predicateOf(where: string, { schema }: Snapshot): BoundExpression | undefined {
  return where === '' ? undefined : bindPredicate(where, schema)
}

export function cellOf(value: Value, type: DataType): Cell {
  return value === null ? null : valueToText(value, type)
}

/** The rows of files one after the other, whole files, until more than `limit` are there. */
export async function scanFiles(
  { store, engine }: TableContext,
  { layout, schema }: Snapshot,
  files: readonly AddFile[],
  options: { readonly filter?: BoundExpression | undefined; readonly limit: number },
): Promise<ScannedRow[]> {
  const { filter, limit } = options
  const columns = schema.fields.map((_, index) => index)
  const rows: ScannedRow[] = []
  for (const [place, file] of files.entries()) {
    const plan = { store, layout, files: [file], columns, ...(filter !== undefined && { filter }) }
    for await (const batch of engine.scan(plan)) {
      const read = schema.fields.map(({ type }, i) => batch.column(i).map((value) => cellOf(value ?? null, type)))
      for (let row = 0; row < batch.numRows; row++)
        rows.push({ cells: read.map((column) => column[row] ?? null), file: place })
    }
    if (rows.length > limit) break
  }
  return rows
}

/** One text a row, for telling equal rows. */
export function rowKey(cells: readonly Cell[]): string {
  return JSON.stringify(cells)
}
