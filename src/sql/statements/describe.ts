/** DESCRIBE TABLE, DESCRIBE DETAIL and DESCRIBE HISTORY, with the reference's columns. */
import { deltaError } from '../../errors/index.ts'
import type { HistoryRow, TextMap } from '../../operations/index.ts'
import {
  arrayType,
  booleanType,
  field,
  findField,
  formatType,
  integerType,
  longType,
  mapType,
  type Row,
  type StructType,
  stringType,
  structType,
  timestampType,
  type Value,
} from '../../schema/index.ts'
import type { TableTarget } from '../parser/index.ts'
import { rowsResult, type SqlResult } from '../result.ts'
import type { Execute, StatementContext } from './statement-context.ts'
import { printedPath } from './table-path.ts'

const TEXT_MAP = mapType(stringType, stringType)
const COLUMNS = structType([
  field('col_name', stringType),
  field('data_type', stringType),
  field('comment', stringType),
])
const COLUMN_FACTS = structType([field('info_name', stringType), field('info_value', stringType)])

/** Columns, then the partition columns; of one column, its name, type and comment. */
export const executeDescribeTable: Execute<'describe table'> = async ({ table, column, extended }, context) => {
  const location = context.locate(table)
  const { schema, partitionColumns } = await context.backend.execute(
    { kind: 'describe', table: { location } },
    context.options,
  )
  const rowOf = (name: string): Row => {
    const found = findField(schema, name)
    if (found === undefined) throw deltaError('UNRESOLVED_COLUMN.WITHOUT_SUGGESTION', { name })
    const { comment, __CHAR_VARCHAR_TYPE_STRING: declared } = found.metadata
    return [
      found.name,
      typeof declared === 'string' ? declared : formatType(found.type),
      typeof comment === 'string' ? comment : null,
    ]
  }
  if (column !== undefined) return describedColumn(column, schema, rowOf)
  const partition: Row[] =
    partitionColumns.length === 0
      ? []
      : [['# Partition Information', '', ''], ['# col_name', 'data_type', 'comment'], ...partitionColumns.map(rowOf)]
  const more = extended ? await detailedRows(table, location, context) : []
  return rowsResult(COLUMNS, [...schema.fields.map(({ name }) => rowOf(name)), ...partition, ...more])
}

/** One column, its facts below each other. */
function describedColumn(path: readonly string[], schema: StructType, rowOf: (name: string) => Row): SqlResult {
  const column = path.join('.')
  const names = schema.fields.map(({ name }) => name)
  if (findField(schema, path[0]!) === undefined) {
    throw deltaError('UNRESOLVED_COLUMN.WITH_SUGGESTION', { name: column, names: 'the columns are', proposal: names })
  }
  if (path.length > 1) throw deltaError('_LEGACY_ERROR_TEMP_1060', { column })
  const facts = rowOf(column).map((value, i): Row => [COLUMNS.fields[i]!.name, value ?? 'NULL'])
  return rowsResult(COLUMN_FACTS, facts)
}

/** What DESCRIBE EXTENDED says behind the columns. */
async function detailedRows(target: TableTarget, location: string, context: StatementContext): Promise<Row[]> {
  const detail = await context.backend.execute({ kind: 'detail', table: { location } }, context.options)
  const named = 'parts' in target ? context.tables.find(target.parts.join('.')) : undefined
  const properties = [...detail.properties]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}=${value}`)
  const { clusteringColumns, description } = detail
  return [
    ['', '', ''],
    ['# Detailed Table Information', '', ''],
    ['Name', named?.name ?? `delta.\`${location}\``, ''],
    ['Type', named?.managed ? 'MANAGED' : 'EXTERNAL', ''],
    ...(description === null ? [] : [['Comment', description, '']]),
    ['Location', printedPath(detail.location), ''],
    ['Provider', 'delta', ''],
    ...(clusteringColumns.length === 0 ? [] : [['Clustering Columns', clusteringColumns.join(', '), '']]),
    ['Table Properties', `[${properties.join(',')}]`, ''],
  ]
}

const DETAIL = structType([
  field('format', stringType),
  field('id', stringType),
  field('name', stringType),
  field('description', stringType),
  field('location', stringType),
  field('createdAt', timestampType),
  field('lastModified', timestampType),
  field('partitionColumns', arrayType(stringType)),
  field('clusteringColumns', arrayType(stringType)),
  field('numFiles', longType),
  field('sizeInBytes', longType),
  field('properties', TEXT_MAP),
  field('minReaderVersion', integerType),
  field('minWriterVersion', integerType),
  field('tableFeatures', arrayType(stringType)),
])

export const executeDescribeDetail: Execute<'describe detail'> = async ({ table }, context) => {
  const detail = await context.backend.execute(
    { kind: 'detail', table: { location: context.locate(table) } },
    context.options,
  )
  const row: Row = [
    detail.format,
    detail.id,
    detail.name,
    detail.description,
    printedPath(detail.location),
    micros(detail.createdAt),
    micros(detail.lastModified),
    detail.partitionColumns,
    detail.clusteringColumns,
    whole(detail.numFiles),
    whole(detail.sizeInBytes),
    entries(detail.properties),
    detail.minReaderVersion,
    detail.minWriterVersion,
    detail.tableFeatures,
  ]
  return rowsResult(DETAIL, [row])
}

const JOB = structType(
  'jobId jobName jobRunId runId jobOwnerId triggerType'.split(' ').map((name) => field(name, stringType)),
)
const NOTEBOOK = structType([field('notebookId', stringType)])
const HISTORY = structType([
  field('version', longType),
  field('timestamp', timestampType),
  field('userId', stringType),
  field('userName', stringType),
  field('operation', stringType),
  field('operationParameters', TEXT_MAP),
  field('job', JOB),
  field('notebook', NOTEBOOK),
  field('clusterId', stringType),
  field('readVersion', longType),
  field('isolationLevel', stringType),
  field('isBlindAppend', booleanType),
  field('operationMetrics', TEXT_MAP),
  field('userMetadata', stringType),
  field('engineInfo', stringType),
])

/** Newest first. */
export const executeDescribeHistory: Execute<'describe history'> = async ({ table, limit }, context) => {
  const command = { kind: 'history', table: { location: context.locate(table) } } as const
  const rows = await context.backend.execute({ ...command, ...(limit !== undefined && { limit }) }, context.options)
  return rowsResult(HISTORY, rows.map(historyRow))
}

function historyRow(row: HistoryRow): Row {
  return [
    BigInt(row.version),
    micros(row.timestampMs),
    row.userId,
    row.userName,
    row.operation,
    entries(row.operationParameters),
    members(row.job, JOB),
    members(row.notebook, NOTEBOOK),
    row.clusterId,
    whole(row.readVersion),
    row.isolationLevel,
    row.isBlindAppend,
    entries(row.operationMetrics),
    row.userMetadata,
    row.engineInfo,
  ]
}

function micros(ms: number | null): bigint | null {
  return ms === null ? null : BigInt(ms) * 1000n
}

function whole(value: number | null): bigint | null {
  return value === null ? null : BigInt(value)
}

function entries(map: TextMap | null): Value {
  return map === null ? null : Array.from(map, ([key, value]) => ({ key, value }))
}

/** The texts of a map under the names of a struct. */
function members(map: TextMap | null, { fields }: StructType): Row | null {
  return map === null ? null : fields.map(({ name }) => map.get(name) ?? null)
}
