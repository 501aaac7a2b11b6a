/** The columns of a scan: which of them files hold, which are values of a file, which are counted out. */
import type { BoundExpression } from '../../expressions/index.ts'
import {
  type AddFile,
  fileConstant,
  type HiddenSource,
  hiddenSource,
  openDataFile,
  parsePartitionValue,
  physicalName,
  type TableLayout,
} from '../../kernel/index.ts'
import { field, longType, type StructField, structType, type Value } from '../../schema/index.ts'
import type { ObjectStore } from '../../storage/index.ts'
import type { ScanPlan } from '../index.ts'
import { charPadding } from './pad-char.ts'
import { physicalField } from './physical-schema.ts'

/** Values of a row group by ordinal of the table's schema. */
export type Columns = ReadonlyMap<number, readonly Value[]>

/** Which columns a scan needs, and where each comes from. */
export class ScanColumns {
  readonly schema: ReturnType<typeof structType>
  /** ordinals the filter reads */
  readonly filtered: readonly number[]
  /** what is read from files, as files name it */
  readonly stored: readonly StructField[]
  private readonly storedOrdinals: readonly number[]
  private readonly partitionOrdinals: readonly number[]
  private readonly hidden: readonly (HiddenSource & { readonly ordinal: number })[]
  private readonly layout: TableLayout

  constructor({ layout, columns, filter }: ScanPlan) {
    const { fields } = layout.schema
    this.layout = layout
    this.schema = structType(columns.map((ordinal) => fields[ordinal]!))
    this.filtered = filter === undefined ? [] : [...columnOrdinals(filter)]
    const needed = [...new Set([...columns, ...this.filtered])]
    const isHidden = (ordinal: number) => layout.hidden?.has(ordinal) === true
    const isPartition = (ordinal: number) => layout.partitionColumns.includes(fields[ordinal]!.name)
    this.partitionOrdinals = needed.filter((ordinal) => !isHidden(ordinal) && isPartition(ordinal))
    this.storedOrdinals = needed.filter((ordinal) => !isHidden(ordinal) && !isPartition(ordinal))
    this.hidden = needed.filter(isHidden).map((ordinal) => ({ ordinal, ...hiddenSource(ordinal, layout) }))
    const kept = this.hidden.flatMap(({ stored }) => (stored === undefined ? [] : [field(stored, longType)]))
    this.stored = [...this.storedOrdinals.map((ordinal) => physicalField(fields[ordinal]!, layout)), ...kept]
  }

  /** The values of columns that are the same in every row of a file. */
  constantsOf(store: ObjectStore, file: AddFile, index: number): ReadonlyMap<number, Value> {
    const constants = new Map<number, Value>()
    for (const ordinal of this.partitionOrdinals) {
      const field = this.layout.schema.fields[ordinal]!
      const text = file.partitionValues.get(physicalName(field, this.layout))
      const value = parsePartitionValue(text, field.type, { column: field.name })
      constants.set(ordinal, charPadding(field)?.(value) ?? value)
    }
    if (this.hidden.length === 0) return constants
    const place = openDataFile(store, file.path)
    const placed = { add: file, index, address: `${place.store.location}/${place.key}` }
    for (const { ordinal, base } of this.hidden) {
      if (base !== undefined) constants.set(ordinal, fileConstant(base, placed))
    }
    return constants
  }

  /** The columns of a row group, by ordinal. */
  assemble(
    values: readonly (readonly Value[])[],
    constants: ReadonlyMap<number, Value>,
    { firstRow, numRows }: { readonly firstRow: number; readonly numRows: number },
  ): Columns {
    const columns = new Map<number, readonly Value[]>()
    for (const [i, ordinal] of this.storedOrdinals.entries()) {
      const field = this.layout.schema.fields[ordinal]!
      const pad = charPadding(field)
      columns.set(ordinal, pad === undefined ? values[i]! : values[i]!.map(pad))
    }
    for (const [ordinal, value] of constants) columns.set(ordinal, new Array<Value>(numRows).fill(value))
    let at = this.storedOrdinals.length
    for (const source of this.hidden) {
      const kept = source.stored === undefined ? undefined : values[at++]!
      if (kept === undefined && !source.addsRowIndex) continue
      const base = source.base === undefined ? 0n : (constants.get(source.ordinal) as bigint | null)
      const own = (row: number) => (base !== null && source.addsRowIndex ? base + BigInt(firstRow + row) : base)
      columns.set(
        source.ordinal,
        Array.from({ length: numRows }, (_, row) => kept?.[row] ?? own(row)),
      )
    }
    return columns
  }
}

/** The top-level columns an expression reads. */
export function columnOrdinals(expression: BoundExpression, into = new Set<number>()): Set<number> {
  switch (expression.kind) {
    case 'column':
      into.add(expression.ordinals[0]!)
      break
    case 'call':
      for (const arg of expression.args) columnOrdinals(arg, into)
      break
    case 'cast':
      columnOrdinals(expression.child, into)
      break
    case 'case':
      for (const { when, then } of expression.branches) {
        columnOrdinals(when, into)
        columnOrdinals(then, into)
      }
      columnOrdinals(expression.otherwise, into)
      break
    case 'lambda':
      columnOrdinals(expression.body, into)
      break
    default:
  }
  return into
}
