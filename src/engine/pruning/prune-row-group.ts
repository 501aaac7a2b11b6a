/**
 * Whether a row group can hold a row that a filter keeps, by the bounds in its footer.
 *
 * Only conjuncts of the form `column op literal` are looked at, only where file and table agree on how values compare;
 * everything else keeps the row group.
 */
import type { BoundExpression } from '../../expressions/index.ts'
import { compareValues, physicalName, type TableLayout } from '../../kernel/index.ts'
import { chunkBounds, type ParquetReader, type RowGroup } from '../../parquet/index.ts'
import type { DataType, Value } from '../../schema/index.ts'

/** @returns false only on proof */
export function mayMatch(
  filter: BoundExpression,
  reader: ParquetReader,
  group: RowGroup,
  layout: TableLayout,
): boolean {
  if (filter.kind !== 'call') return true
  if (filter.name === 'and') return filter.args.every((arg) => mayMatch(arg, reader, group, layout))
  const [left, right] = filter.args
  if (left?.kind === 'column' && right?.kind === 'literal') {
    return comparisonMayHold(filter.name, left, right.value, { reader, group, layout })
  }
  const turned = TURNED.get(filter.name)
  if (left?.kind === 'literal' && right?.kind === 'column' && turned !== undefined) {
    return comparisonMayHold(turned, right, left.value, { reader, group, layout })
  }
  return true
}

/** `5 < x` is `x > 5`. */
const TURNED: ReadonlyMap<string, string> = new Map([
  ['=', '='],
  ['<', '>'],
  ['<=', '>='],
  ['>', '<'],
  ['>=', '<='],
])

interface PruneContext {
  readonly reader: ParquetReader
  readonly group: RowGroup
  readonly layout: TableLayout
}

function comparisonMayHold(
  op: string,
  column: BoundExpression & { kind: 'column' },
  value: Value,
  { reader, group, layout }: PruneContext,
): boolean {
  if (!TURNED.has(op) || column.ordinals.length !== 1 || value === null) return true
  const ordinal = column.ordinals[0]!
  if (layout.hidden?.has(ordinal)) return true
  const field = layout.schema.fields[ordinal]!
  if (layout.columnMapping === 'id' || layout.partitionColumns.includes(field.name)) return true
  const bounds = chunkBounds(reader, group, physicalName(field, layout), field.type)
  if (bounds === undefined) return true
  const below = compare(bounds.min, value, field.type)
  const above = compare(bounds.max, value, field.type)
  if (below === undefined || above === undefined) return true
  if (op === '=') return below <= 0 && above >= 0
  if (op === '<') return below < 0
  if (op === '<=') return below <= 0
  return op === '>' ? above > 0 : above >= 0
}

function compare(bound: Value, value: Value, type: DataType): number | undefined {
  return bound === null || value === null ? undefined : compareValues(bound, value, type)
}
