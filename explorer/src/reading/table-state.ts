/** What a table is at a version: columns, protocol, features, properties, and the log files it is read from. */

import { formatType, type Snapshot, type StructField } from '../library.ts'
import type { ColumnLine, TableState } from '../messages.ts'
import type { TableContext } from './context.ts'
import { deltaFeatureLines } from './feature-lines.ts'
import { listLog, markUsed } from './log-files.ts'

const CONSTRAINT = 'delta.constraints.'

export async function tableState(context: TableContext, version: number): Promise<TableState> {
  const snapshot = await context.snapshot(version)
  const { protocol, schema, partitionColumns, configuration, files, warnings, segment } = snapshot
  const { numFiles, sizeInBytes } = await files.totals()
  const properties = [...configuration]
  return {
    version,
    columns: schema.fields.map((field) => columnLine(field, snapshot)),
    minReaderVersion: protocol.minReaderVersion,
    minWriterVersion: protocol.minWriterVersion,
    features: deltaFeatureLines(snapshot),
    properties: properties.filter(([key]) => !key.startsWith(CONSTRAINT)),
    constraints: properties
      .filter(([key]) => key.startsWith(CONSTRAINT))
      .map(([key, text]) => [key.slice(CONSTRAINT.length), text]),
    partitionColumns,
    numFiles,
    sizeInBytes,
    warnings,
    checkpointVersion: segment.checkpointVersion ?? null,
    commitsSince: segment.commits.length,
    log: markUsed((await listLog(context.store)) ?? [], snapshot),
  }
}

function columnLine(field: StructField, { partitionColumns }: Snapshot): ColumnLine {
  const { name, type, nullable, metadata } = field
  const comment = metadata.comment
  const physical = metadata['delta.columnMapping.physicalName']
  return {
    name,
    type: formatType(type),
    nullable,
    partition: partitionColumns.includes(name),
    comment: typeof comment === 'string' ? comment : null,
    physicalName: typeof physical === 'string' && physical !== name ? physical : null,
    rule: ruleOf(metadata),
  }
}

function ruleOf(metadata: StructField['metadata']): string | null {
  const generated = metadata['delta.generationExpression']
  if (typeof generated === 'string') return `generated: ${generated}`
  const value = metadata.CURRENT_DEFAULT
  if (typeof value === 'string') return `default ${value}`
  return metadata['delta.identity.start'] === undefined ? null : 'identity'
}
