/**
 * What the footer tells of the values in a row group: null counts, least and greatest value.
 *
 * A bound is given only where the footer's order is the order of the type: whole numbers, dates, INT64 timestamps,
 * decimals held in integers, texts, floating-point numbers. These last leave NaN out, and text may be cut, which moves
 * the bound outwards. Source: Parquet format, "Statistics", "Column Orders".
 */
import type { DataType, Value } from '../schema/index.ts'
import { decodeUtf8Strict } from '../support/index.ts'
import { converterFor } from './convert.ts'
import { type RowGroup, viewOf } from './footer.ts'
import type { ParquetReader } from './reader.ts'
import type { SchemaNode } from './schema-tree.ts'

/** Columns are named by the path of their names in the file, from the top level down. */
export interface GroupStatistics {
  readonly numRecords: bigint
  /** rows without a value; undefined where the footer does not say, or the path leads into a list or map */
  nullCount(path: readonly string[]): bigint | undefined
  /** a value that none but NaN is outside of on that side; undefined where there is no proof */
  bound(side: 'min' | 'max', path: readonly string[], type: DataType): Exclude<Value, null> | undefined
}

export function groupStatistics(reader: ParquetReader, group: RowGroup): GroupStatistics {
  return {
    numRecords: BigInt(group.numRows),
    nullCount(path) {
      const leaf = leafAt(reader, path)
      const count = leaf && group.chunks[leaf.firstLeaf]!.statistics.nullCount
      return count === undefined ? undefined : BigInt(count)
    },
    bound(side, path, type) {
      const leaf = leafAt(reader, path)
      if (leaf === undefined || !isOrdered(leaf, type, reader)) return undefined
      const bytes = group.chunks[leaf.firstLeaf]!.statistics[side]
      return bytes === undefined ? undefined : boundValue(bytes, leaf, type, reader)
    },
  }
}

/** @returns undefined for a group, and for what stands in a list or map */
function leafAt(reader: ParquetReader, path: readonly string[]): SchemaNode | undefined {
  let node: SchemaNode | undefined = reader.footer.root
  for (const name of path) node = node?.children.find((child) => child.name === name)
  return node?.physical === undefined || node.repeats > 0 ? undefined : node
}

const WHOLE: ReadonlySet<DataType['kind']> = new Set<DataType['kind']>([
  'byte',
  'short',
  'integer',
  'long',
  'date',
  'timestamp',
  'timestamp_ntz',
  'decimal',
])
const TIMES: ReadonlySet<DataType['kind']> = new Set<DataType['kind']>(['date', 'timestamp', 'timestamp_ntz'])

function isOrdered(leaf: SchemaNode, type: DataType, reader: ParquetReader): boolean {
  if (leaf.annotation?.kind === 'integer' && !leaf.annotation.signed) return false
  if (reader.isLegacyCalendar && TIMES.has(type.kind)) return false
  switch (leaf.physical) {
    case 'INT32':
    case 'INT64':
      return WHOLE.has(type.kind)
    case 'FLOAT':
    case 'DOUBLE':
      return type.kind === 'float' || type.kind === 'double'
    case 'BYTE_ARRAY':
      return type.kind === 'string'
    default:
      return false
  }
}

const MODERN = { legacyDateTime: false, legacyInt96: false }

function boundValue(
  bytes: Uint8Array,
  leaf: SchemaNode,
  type: DataType,
  reader: ParquetReader,
): Exclude<Value, null> | undefined {
  if (type.kind === 'string') return decodeUtf8Strict(bytes)
  try {
    const convert = converterFor(leaf, type, { calendar: MODERN, file: reader.file.name })
    const value = convert(readBound(bytes, leaf)) ?? undefined
    return Number.isNaN(value) ? undefined : value
  } catch {
    // a bound that is no value of the type proves nothing; reading the chunk will tell
    return undefined
  }
}

function readBound(bytes: Uint8Array, leaf: SchemaNode): number | bigint {
  const view = viewOf(bytes)
  switch (leaf.physical) {
    case 'INT32':
      return view.getInt32(0, true)
    case 'FLOAT':
      return view.getFloat32(0, true)
    case 'DOUBLE':
      return view.getFloat64(0, true)
    default:
      return view.getBigInt64(0, true)
  }
}
