/**
 * Statistics and partition values of files as typed structs, as checkpoints keep them beside or instead of their texts.
 *
 * A member that the text lacks, or that is no value of its type, is null: it proves nothing. Source: Delta protocol,
 * "Checkpoint Schema".
 */
import {
  booleanType,
  type DataType,
  field,
  longType,
  type Row,
  type StructField,
  type StructType,
  structType,
  type Value,
} from '../../schema/index.ts'
import { Decimal, rescale } from '../../support/index.ts'
import type { AddFile } from '../actions/actions.ts'
import { physicalName } from '../column-mapping/index.ts'
import { parsePartitionValue } from '../partition/partition-value.ts'
import type { TableLayout } from '../snapshot/layout.ts'
import { type ParsedStats, parseStats } from './parse-stats.ts'
import { type StatisticsColumns, type StatisticsLeaf, statisticsLeaves } from './select-columns.ts'

/** The types of the structs, members by physical name. */
export interface TypedStatistics {
  /** of `add.stats_parsed` */
  readonly statistics: StructType
  /** of `add.partitionValues_parsed`; absent where a table has no partition columns */
  readonly partitionValues?: StructType
}

/** @param withTightBounds whether the table's statistics tell how tight their bounds are */
export function typedStatistics(
  layout: TableLayout,
  columns: StatisticsColumns,
  withTightBounds: boolean,
): TypedStatistics {
  const leaves = statisticsLeaves(layout, columns)
  const bounded = leaves.filter((leaf) => leaf.hasBounds)
  const members = [
    field('numRecords', longType),
    ...nested('minValues', bounded, (leaf) => leaf.type),
    ...nested('maxValues', bounded, (leaf) => leaf.type),
    ...nested('nullCount', leaves, () => longType),
    ...(withTightBounds ? [field('tightBounds', booleanType)] : []),
  ]
  const partition = layout.partitionColumns.flatMap((name) => layout.schema.fields.filter((f) => f.name === name))
  const partitionValues = structType(partition.map((f) => field(physicalName(f, layout), f.type)))
  return { statistics: structType(members), ...(partition.length > 0 && { partitionValues }) }
}

/** Leaves as a tree of structs by their paths; nothing where there are none: a struct without members is no column. */
function nested(
  name: string,
  leaves: readonly StatisticsLeaf[],
  typeOf: (leaf: StatisticsLeaf) => DataType,
): StructField[] {
  return leaves.length === 0 ? [] : [field(name, treeOf(leaves, 0, typeOf))]
}

function treeOf(
  leaves: readonly StatisticsLeaf[],
  depth: number,
  typeOf: (leaf: StatisticsLeaf) => DataType,
): StructType {
  const groups = new Map<string, StatisticsLeaf[]>()
  for (const leaf of leaves) {
    const name = leaf.path[depth]!
    groups.set(name, [...(groups.get(name) ?? []), leaf])
  }
  return structType(
    Array.from(groups, ([name, group]) => {
      const isLeaf = group.length === 1 && group[0]!.path.length === depth + 1
      return field(name, isLeaf ? typeOf(group[0]!) : treeOf(group, depth + 1, typeOf))
    }),
  )
}

/** The statistics of a file in the members of a struct that `typedStatistics` made; null where it has none. */
export function statisticsRow(add: AddFile, type: StructType): Row | null {
  if (add.stats === undefined) return null
  const stats = parseStats(add.stats)
  return type.fields.map((member) => memberOf(stats, member))
}

function memberOf(stats: ParsedStats, { name, type }: StructField): Value {
  if (name === 'numRecords') return stats.numRecords ?? null
  if (name === 'tightBounds') return stats.tightBounds
  const read = (path: readonly string[], leaf: DataType): Value => {
    if (name === 'nullCount') return stats.nullCount(path) ?? null
    return fitted(stats.stored(name === 'minValues' ? 'min' : 'max', path, leaf), leaf)
  }
  return readTree(type, [], read)
}

function readTree(
  type: DataType,
  path: readonly string[],
  read: (path: readonly string[], leaf: DataType) => Value,
): Value {
  if (type.kind !== 'struct') return read(path, type)
  return type.fields.map((member) => readTree(member.type, [...path, member.name], read))
}

/** Bounds of files that a type change left behind have fewer digits behind the point. */
function fitted(value: Value | undefined, type: DataType): Value {
  if (value === undefined) return null
  if (!(value instanceof Decimal) || type.kind !== 'decimal') return value
  return value.scale > type.scale ? null : rescale(value, type.scale)
}

/** The partition values of a file in the members of a struct that `typedStatistics` made. */
export function partitionValuesRow(add: AddFile, type: StructType): Row {
  return type.fields.map((f) => parsePartitionValue(add.partitionValues.get(f.name), f.type, { column: f.name }))
}
