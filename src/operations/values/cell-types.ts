/**
 * Types for the columns of CSV, from their cells.
 *
 * A column is long, double, boolean, date or timestamp only when every cell is one; a number with a leading zero is a
 * code, not a number. Everything else is string.
 */
import {
  booleanType,
  type DataType,
  dateType,
  doubleType,
  field,
  foldCase,
  longType,
  type StructType,
  stringType,
  structType,
  timestampType,
} from '../../schema/index.ts'
import { keysAsWritten, parseDate, parseTimestamp } from '../../support/index.ts'

/** Collects the cells of records and says which schema holds them all. */
export class CellGuess {
  private readonly known: StructType
  private readonly columns = new Map<string, { readonly name: string; type: DataType | undefined }>()

  /** @param known columns that have a type already; they stay first */
  constructor(known: StructType = structType([])) {
    this.known = known
  }

  add(record: Readonly<Record<string, unknown>>): void {
    for (const name of keysAsWritten(record)) {
      const cell = record[name]
      const folded = foldCase(name)
      const column = this.columns.get(folded) ?? { name, type: undefined }
      this.columns.set(folded, column)
      if (typeof cell === 'string') column.type = common(column.type, cellType(cell))
    }
  }

  /** A column without a single cell has no type and is left out. */
  schema(): StructType {
    const known = new Set(this.known.fields.map((f) => foldCase(f.name)))
    const added = [...this.columns].flatMap(([folded, { name, type }]) => {
      return type === undefined || known.has(folded) ? [] : [field(name, type)]
    })
    return structType([...this.known.fields, ...added])
  }
}

function cellType(cell: string): DataType {
  const text = cell.trim()
  if (/^-?(0|[1-9]\d*)$/.test(text)) return fitsLong(text) ? longType : stringType
  if (/^-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?$/.test(text)) return doubleType
  if (/^(true|false)$/i.test(text)) return booleanType
  if (parseDate(text) !== undefined) return dateType
  return parseTimestamp(text) === undefined ? stringType : timestampType
}

function fitsLong(text: string): boolean {
  return BigInt.asIntN(64, BigInt(text)) === BigInt(text)
}

function common(a: DataType | undefined, b: DataType): DataType {
  if (a === undefined || a.kind === b.kind) return b
  const kinds = new Set([a.kind, b.kind])
  if (kinds.has('long') && kinds.has('double')) return doubleType
  return kinds.has('date') && kinds.has('timestamp') ? timestampType : stringType
}
