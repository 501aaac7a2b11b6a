/**
 * Which columns of a table get statistics, by its properties and its clustering.
 *
 * Source: Delta protocol, "Per-file Statistics", "Clustered Table": clustering columns have statistics in every file.
 */
import { findField, type StructField, type StructType } from '../../schema/index.ts'
import { isJsonObject, type JsonValue, parseJson } from '../../support/index.ts'
import type { DomainMetadata } from '../actions/actions.ts'
import { physicalName } from '../column-mapping/index.ts'
import { property } from '../properties/index.ts'
import type { TableLayout } from '../snapshot/layout.ts'
import { type StatisticsColumns, statisticsLeaves } from './select-columns.ts'

/** What decides; a `Snapshot` is one. */
export interface StatisticsTable {
  readonly layout: TableLayout
  readonly configuration: ReadonlyMap<string, string>
  readonly domains: ReadonlyMap<string, DomainMetadata>
}

/**
 * The columns that files written now get statistics for.
 *
 * Names of `delta.dataSkippingStatsColumns` that the table does not have are passed over.
 *
 * @throws DeltaError `DELTA_VIOLATE_TABLE_PROPERTY_VALIDATION_FAILED`
 */
export function statisticsColumns({ layout, configuration, domains }: StatisticsTable): StatisticsColumns {
  const stringPrefixLength = property(configuration, 'dataSkippingStringPrefixLength')
  const limit = property(configuration, 'dataSkippingNumIndexedCols')
  const named = property(configuration, 'dataSkippingStatsColumns')
  const first = { kind: 'first', limit, stringPrefixLength } as const
  const clustering = clusteringPaths(domains)
  if (named === undefined && clustering.length === 0) return first
  const chosen =
    named === undefined
      ? statisticsLeaves(layout, first).map((leaf) => leaf.path)
      : parseColumnList(named).flatMap((path) => physicalPath(path, layout))
  return { kind: 'named', paths: [...chosen, ...clustering], stringPrefixLength }
}

/**
 * A comma list of column names, parts between dots, a part in backticks where it holds either.
 *
 * An opened backtick that is not closed runs to the end.
 */
export function parseColumnList(text: string): string[][] {
  const parts = text.matchAll(/`((?:[^`]|``)*)`?|([.,])|([^`.,]+)/g)
  const paths: string[][] = [['']]
  for (const [, quoted, separator, plain] of parts) {
    const path = paths.at(-1)!
    if (separator === ',') paths.push([''])
    else if (separator === '.') path.push('')
    else path.push(`${path.pop()}${quoted === undefined ? plain!.trim() : quoted.replaceAll('``', '`')}`)
  }
  return paths.filter((path) => path.every((part) => part !== ''))
}

/** @returns the physical path in a list, or an empty list where the table has no such column */
function physicalPath(path: readonly string[], layout: TableLayout): string[][] {
  const names: string[] = []
  let struct: StructType | undefined = layout.schema
  for (const part of path) {
    const field: StructField | undefined = struct && findField(struct, part)
    if (field === undefined) return []
    names.push(physicalName(field, layout))
    struct = field.type.kind === 'struct' ? field.type : undefined
  }
  return [names]
}

/** Physical names; flat texts and lists of path parts both occur. */
function clusteringPaths(domains: ReadonlyMap<string, DomainMetadata>): string[][] {
  const domain = domains.get('delta.clustering')
  if (domain === undefined) return []
  const json = parseJson(domain.configuration)
  const columns = isJsonObject(json) ? json.clusteringColumns : undefined
  return Array.isArray(columns) ? (columns as readonly JsonValue[]).map(partsOf).filter((path) => path.length > 0) : []
}

function partsOf(column: JsonValue): string[] {
  if (typeof column === 'string') return [column]
  return Array.isArray(column) ? column.filter((part): part is string => typeof part === 'string') : []
}
