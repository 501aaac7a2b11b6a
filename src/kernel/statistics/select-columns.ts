/**
 * Which leaves of a table have statistics, and what they are called in files.
 *
 * Statistics mirror the schema by physical name, without partition columns; an array, a map or a variant is one leaf
 * with a null count of its own; void has none. Source: Delta protocol, "Per-file Statistics".
 */
import type { DataType, StructType } from '../../schema/index.ts'
import { physicalName } from '../column-mapping/index.ts'
import type { TableLayout } from '../snapshot/layout.ts'

/** The first `limit` leaf columns (-1: all), or the named ones, by physical path. */
export type StatisticsColumns =
  | { readonly kind: 'first'; readonly limit: number; readonly stringPrefixLength: number }
  | { readonly kind: 'named'; readonly paths: readonly (readonly string[])[]; readonly stringPrefixLength: number }

/** A leaf with statistics. */
export interface StatisticsLeaf {
  /** physical names from the top level down */
  readonly path: readonly string[]
  /** ordinals in the layout's schema from the top level down */
  readonly ordinals: readonly number[]
  readonly type: DataType
  /** whether it gets minimum and maximum; every leaf has a null count */
  readonly hasBounds: boolean
}

const BOUNDED: ReadonlySet<DataType['kind']> = new Set<DataType['kind']>([
  'byte',
  'short',
  'integer',
  'long',
  'float',
  'double',
  'decimal',
  'date',
  'timestamp',
  'timestamp_ntz',
  'string',
])

/** Whether statistics hold a minimum and a maximum of the type. */
export function hasBounds(type: DataType): boolean {
  return BOUNDED.has(type.kind)
}

/** The leaves that get statistics, in schema order. */
export function statisticsLeaves(layout: TableLayout, columns: StatisticsColumns): StatisticsLeaf[] {
  const leaves = allLeaves(layout)
  if (columns.kind === 'first') return columns.limit < 0 ? leaves : leaves.slice(0, columns.limit)
  return leaves.filter((leaf) => columns.paths.some((path) => isPrefix(path, leaf.path)))
}

function isPrefix(prefix: readonly string[], path: readonly string[]): boolean {
  return prefix.length <= path.length && prefix.every((name, i) => name === path[i])
}

function allLeaves(layout: TableLayout): StatisticsLeaf[] {
  const partition = new Set(layout.partitionColumns)
  // ids that moved rows bring along stand behind the table's own columns
  const keptIds = new Set(Object.values(layout.rowTracking ?? {}))
  const leaves: StatisticsLeaf[] = []
  const visit = (struct: StructType, path: readonly string[], ordinals: readonly number[]) => {
    struct.fields.forEach((field, i) => {
      if (path.length === 0 && (partition.has(field.name) || keptIds.has(field.name))) return
      const at = { path: [...path, physicalName(field, layout)], ordinals: [...ordinals, i] }
      if (field.type.kind === 'struct') visit(field.type, at.path, at.ordinals)
      else if (field.type.kind !== 'void') leaves.push({ ...at, type: field.type, hasBounds: hasBounds(field.type) })
    })
  }
  visit(layout.schema, [], [])
  return leaves
}
