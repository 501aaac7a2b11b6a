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
  stringType,
  structType,
  timestampType,
  type Value,
} from '../../schema/index.ts'
import { rowsResult } from '../result.ts'
import type { Execute } from './statement-context.ts'

const TEXT_MAP = mapType(stringType, stringType)
const COLUMNS = structType([
  field('col_name', stringType),
  field('data_type', stringType),
  field('comment', stringType),
])

/** Columns, then the partition columns; of one column, its name, type and comment. */
export const executeDescribeTable: Execute<'describe table'> = async ({ table, column, extended }, context) => {
  if (extended) throw deltaError('LAKE_STATEMENT_UNSUPPORTED', { statement: 'DESCRIBE EXTENDED' })
  const location = context.locate(table)
  const { schema, partitionColumns } = await context.backend.execute(
    { kind: 'describe', table: { location } },
    context.options,
  )
  const rowOf = (name: string): Row => {
    const found = findField(schema, name)
    if (found === undefined) throw deltaError('UNRESOLVED_COLUMN.WITHOUT_SUGGESTION', { name })
    const { comment } = found.metadata
    return [found.name, formatType(found.type), typeof comment === 'string' ? comment : null]
  }
  if (column !== undefined) return rowsResult(COLUMNS, [rowOf(column.join('.'))])
  const partition: Row[] =
    partitionColumns.length === 0
      ? []
      : [['# Partition Information', '', ''], ['# col_name', 'data_type', 'comment'], ...partitionColumns.map(rowOf)]
  return rowsResult(COLUMNS, [...schema.fields.map(({ name }) => rowOf(name)), ...partition])
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
    detail.location,
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

const HISTORY = structType([
  field('version', longType),
  field('timestamp', timestampType),
  field('userId', stringType),
  field('userName', stringType),
  field('operation', stringType),
  field('operationParameters', TEXT_MAP),
  field('job', TEXT_MAP),
  field('notebook', TEXT_MAP),
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
    entries(row.job),
    entries(row.notebook),
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
