/**
 * Least and greatest value of a column chunk, as its footer tells.
 *
 * Given only where the footer's order is the order of the type: whole numbers, dates, INT64 timestamps and decimals held
 * in integers. Floating-point bounds leave out NaN and signed zeros are not told apart; text and binary bounds may be cut;
 * none of these is given.
 */
import type { DataType, Value } from '../schema/index.ts'
import { converterFor } from './convert.ts'
import { type RowGroup, viewOf } from './footer.ts'
import type { ParquetReader } from './reader.ts'
import type { SchemaNode } from './schema-tree.ts'

export interface ChunkBounds {
  readonly min: Exclude<Value, null>
  readonly max: Exclude<Value, null>
}

const ORDERED: ReadonlySet<DataType['kind']> = new Set<DataType['kind']>([
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

/**
 * The bounds of a top-level column in a row group.
 *
 * @param name as the file has it
 * @returns undefined where there is no proof: no such column, no bounds, a type whose order they do not follow
 */
export function chunkBounds(
  reader: ParquetReader,
  group: RowGroup,
  name: string,
  type: DataType,
): ChunkBounds | undefined {
  const leaf = reader.footer.root.children.find((child) => child.name === name)
  if (leaf === undefined || !ORDERED.has(type.kind)) return undefined
  if (reader.isLegacyCalendar && TIMES.has(type.kind)) return undefined
  if (leaf.physical !== 'INT32' && leaf.physical !== 'INT64') return undefined
  if (leaf.repetition === 'REPEATED' || (leaf.annotation?.kind === 'integer' && !leaf.annotation.signed))
    return undefined
  const { min, max } = group.chunks[leaf.firstLeaf]!.statistics
  if (min === undefined || max === undefined) return undefined
  try {
    const convert = converterFor(leaf, type, { calendar: MODERN, file: reader.file.name })
    return { min: convert(readBound(min, leaf))!, max: convert(readBound(max, leaf))! }
  } catch {
    // a bound that is no value of the type proves nothing; reading the chunk will tell
    return undefined
  }
}

const MODERN = { legacyDateTime: false, legacyInt96: false }

function readBound(bytes: Uint8Array, leaf: SchemaNode): number | bigint {
  const view = viewOf(bytes)
  return leaf.physical === 'INT32' ? view.getInt32(0, true) : view.getBigInt64(0, true)
}
