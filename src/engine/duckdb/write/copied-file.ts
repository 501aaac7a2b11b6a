/** What COPY … RETURN_STATS says of a file, as `add.stats`. */
import type { DuckDBMapValue, DuckDBValue } from '@duckdb/node-api'
import { type ColumnStatistics, formatStats, type StatisticsLeaf } from '../../../kernel/index.ts'
import type { DataType, Value } from '../../../schema/index.ts'
import { parseDate, parseDecimal, parseTimestamp } from '../../../support/index.ts'
import type { WritePlan } from '../../index.ts'
import { quoteIdent } from '../sql-text.ts'

/** A row of the answer: filename, count, file_size_bytes, footer_size_bytes, column_statistics, partition_keys. */
export interface CopiedFile {
  readonly numRecords: number
  /** by quoted path: `"s"."x"` */
  readonly columns: ReadonlyMap<string, ReadonlyMap<string, string>>
}

export function copiedFile(row: readonly DuckDBValue[]): CopiedFile {
  return {
    numRecords: Number(row[1]),
    columns: new Map(
      (row[4] as DuckDBMapValue).entries.map(({ key, value }) => [
        key as string,
        new Map((value as DuckDBMapValue).entries.map((entry) => [entry.key as string, entry.value as string])),
      ]),
    ),
  }
}

/**
 * @param leaves the columns that get statistics
 * @param nestedNulls null counts of lists, maps and variants, by the path's quoted text: COPY tells only of what is in them
 */
export function statsOf(
  file: CopiedFile,
  leaves: readonly StatisticsLeaf[],
  nestedNulls: ReadonlyMap<string, number>,
  plan: WritePlan,
): string {
  return formatStats({
    numRecords: file.numRecords,
    stringPrefixLength: plan.statistics.stringPrefixLength,
    ...(plan.tightBounds === undefined ? {} : { tightBounds: plan.tightBounds }),
    columns: leaves.map((leaf) => columnStatistics(leaf, file.columns.get(leafKey(leaf)), nestedNulls)),
  })
}

export function leafKey(leaf: StatisticsLeaf): string {
  return leaf.path.map(quoteIdent).join('.')
}

function columnStatistics(
  leaf: StatisticsLeaf,
  found: ReadonlyMap<string, string> | undefined,
  nestedNulls: ReadonlyMap<string, number>,
): ColumnStatistics {
  const nullText = found?.get('null_count')
  const nullCount = nullText === undefined ? nestedNulls.get(leafKey(leaf)) : Number(nullText)
  const counted = { path: leaf.path, type: leaf.type, ...(nullCount === undefined ? {} : { nullCount }) }
  if (!leaf.hasBounds || found?.get('has_nan') === 'true') return counted
  return { ...counted, ...bound('min', found, leaf.type), ...bound('max', found, leaf.type) }
}

function bound(side: 'min' | 'max', found: ReadonlyMap<string, string> | undefined, type: DataType) {
  const text = found?.get(side)
  const value = text === undefined ? undefined : parseBound(text, type)
  return value === undefined ? {} : { [side]: value }
}

/** DuckDB's text of a value; undefined where it is not surely read back, and the bound is left out. */
function parseBound(text: string, type: DataType): Value | undefined {
  switch (type.kind) {
    case 'byte':
    case 'short':
    case 'integer':
      return Number(text)
    case 'long':
      return BigInt(text)
    case 'float':
    case 'double': {
      const value = Number(text.replace('inf', 'Infinity'))
      return Number.isNaN(value) ? undefined : value
    }
    case 'decimal':
      return parseDecimal(text)
    case 'date':
      return parseDate(text)
    case 'timestamp':
    case 'timestamp_ntz':
      return parseTimestamp(text)?.micros
    case 'string':
      return text
    default:
      return undefined
  }
}
