/**
 * The columns a table is clustered by: a domain that holds physical names. Source: Delta protocol, "Clustered Table".
 */
import { deltaError } from '../errors/index.ts'
import {
  type ColumnMappingMode,
  type DomainMetadata,
  hasBounds,
  physicalName,
  type Snapshot,
  type TableLayout,
} from '../kernel/index.ts'
import { findField, formatType, isNested, type StructField, type StructType } from '../schema/index.ts'
import { isJsonObject, type JsonValue, parseJson, printJson } from '../support/index.ts'
import { columnPathText } from './values/index.ts'

export const CLUSTERING_DOMAIN = 'delta.clustering'
const MAX_COLUMNS = 4

/** Logical paths; the domain holds physical ones, as texts or as lists of path parts. */
export function clusteringPaths({ domains, layout }: Pick<Snapshot, 'domains' | 'layout'>): string[][] {
  const domain = domains.get(CLUSTERING_DOMAIN)
  return domain === undefined ? [] : physicalPaths(domain.configuration).map((path) => logicalPath(path, layout))
}

function physicalPaths(configuration: string): string[][] {
  let json: JsonValue
  try {
    json = parseJson(configuration)
  } catch {
    return []
  }
  const columns = isJsonObject(json) ? json.clusteringColumns : undefined
  if (!Array.isArray(columns)) return []
  return columns.map((column) => (Array.isArray(column) ? column.map(String) : [String(column)]))
}

function logicalPath(path: readonly string[], layout: TableLayout): string[] {
  let struct: StructType | undefined = layout.schema
  return path.map((part) => {
    const field = struct?.fields.find((candidate) => physicalName(candidate, layout) === part)
    struct = field?.type.kind === 'struct' ? field.type : undefined
    return field?.name ?? part
  })
}

/**
 * The domain of a table that is clustered by columns, by none where the list is empty.
 *
 * @param schema with the physical names the table will have
 * @throws DeltaError `DELTA_COLUMN_NOT_FOUND_IN_SCHEMA`, `DELTA_DUPLICATE_COLUMNS_FOUND.CLUSTER_BY`,
 * `DELTA_CLUSTERING_COLUMNS_DATATYPE_NOT_SUPPORTED`, `DELTA_CLUSTER_BY_INVALID_NUM_COLUMNS`
 */
export function clusteringDomain(
  columns: readonly (readonly string[])[],
  schema: StructType,
  columnMapping: ColumnMappingMode,
): DomainMetadata {
  if (columns.length > MAX_COLUMNS) {
    throw deltaError('DELTA_CLUSTER_BY_INVALID_NUM_COLUMNS', { count: columns.length, most: MAX_COLUMNS })
  }
  const paths = columns.map((path) => fieldsOf(path, schema).map((field) => physicalName(field, { columnMapping })))
  const twice = columns.find((_, i) => paths.slice(0, i).some((other) => printJson(other) === printJson(paths[i])))
  if (twice !== undefined)
    throw deltaError('DELTA_DUPLICATE_COLUMNS_FOUND.CLUSTER_BY', { columns: columnPathText(twice) })
  const configuration = printJson({ clusteringColumns: paths, domainName: CLUSTERING_DOMAIN })
  return { domain: CLUSTERING_DOMAIN, configuration, removed: false }
}

/** The fields along a path; the last one has bounds in statistics, which clustering lives by. */
function fieldsOf(path: readonly string[], schema: StructType): StructField[] {
  const fields: StructField[] = []
  let struct: StructType | undefined = schema
  for (const part of path) {
    const field: StructField | undefined = struct && findField(struct, part)
    if (field === undefined) {
      const known = schema.fields.map(({ name }) => name)
      throw deltaError('DELTA_COLUMN_NOT_FOUND_IN_SCHEMA', { column: columnPathText(path), columns: known })
    }
    fields.push(field)
    struct = field.type.kind === 'struct' ? field.type : undefined
  }
  const { type } = fields.at(-1)!
  if (!isNested(type) && hasBounds(type)) return fields
  const details = { column: columnPathText(path), type: formatType(type) }
  throw deltaError('DELTA_CLUSTERING_COLUMNS_DATATYPE_NOT_SUPPORTED', details)
}
