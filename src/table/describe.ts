/** History and detail of a table as plain objects, with the columns of DESCRIBE HISTORY and DESCRIBE DETAIL. */
import type { HistoryRow, TableDetail } from '../operations/index.ts'
import { isoTime, type TextRecord, textRecord } from './records.ts'

export interface HistoryRecord
  extends Omit<HistoryRow, 'timestampMs' | 'operationParameters' | 'job' | 'notebook' | 'operationMetrics'> {
  /** ISO text */
  readonly timestamp: string
  readonly operationParameters: TextRecord | null
  readonly job: TextRecord | null
  readonly notebook: TextRecord | null
  readonly operationMetrics: TextRecord | null
}

export function historyRecord(row: HistoryRow): HistoryRecord {
  return {
    version: row.version,
    timestamp: isoTime(row.timestampMs),
    userId: row.userId,
    userName: row.userName,
    operation: row.operation,
    operationParameters: row.operationParameters && textRecord(row.operationParameters),
    job: row.job && textRecord(row.job),
    notebook: row.notebook && textRecord(row.notebook),
    clusterId: row.clusterId,
    readVersion: row.readVersion,
    isolationLevel: row.isolationLevel,
    isBlindAppend: row.isBlindAppend,
    operationMetrics: row.operationMetrics && textRecord(row.operationMetrics),
    userMetadata: row.userMetadata,
    engineInfo: row.engineInfo,
  }
}

export interface DetailRecord extends Omit<TableDetail, 'createdAt' | 'lastModified' | 'properties' | 'version'> {
  readonly createdAt: string | null
  readonly lastModified: string
  readonly properties: TextRecord
}

export function detailRecord(detail: TableDetail): DetailRecord {
  return {
    format: detail.format,
    id: detail.id,
    name: detail.name,
    description: detail.description,
    location: detail.location,
    createdAt: isoTime(detail.createdAt),
    lastModified: isoTime(detail.lastModified),
    partitionColumns: detail.partitionColumns,
    clusteringColumns: detail.clusteringColumns,
    numFiles: detail.numFiles,
    sizeInBytes: detail.sizeInBytes,
    properties: textRecord(detail.properties),
    minReaderVersion: detail.minReaderVersion,
    minWriterVersion: detail.minWriterVersion,
    tableFeatures: detail.tableFeatures,
    unwritableFeatures: detail.unwritableFeatures,
    unreadableFeatures: detail.unreadableFeatures,
  }
}
