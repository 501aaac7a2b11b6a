/**
 * Whether this destination can append to a table, and why not.
 *
 * It computes no column, checks no constraint and writes no feature it does not know; a table that asks for any of it is
 * refused before a byte is written.
 */
import { type DeltaError, deltaError } from '../../../errors/index.ts'
import type { Metadata, Protocol } from '../../../kernel/index.ts'
import { deltaTypeName, findField, foldCase, type StructField, type StructType } from '../../../schema/index.ts'
import { isPartitionType } from '../../config/check-delta.ts'
import { childrenOf } from './nested-fields.ts'

/** Writer features a table may name. */
const KNOWN_FEATURES: ReadonlySet<string> = new Set([
  'appendOnly',
  'invariants',
  'checkConstraints',
  'changeDataFeed',
  'columnMapping',
  'v2Checkpoint',
  'domainMetadata',
  'deletionVectors',
  'vacuumProtocolCheck',
  'timestampNtz',
])

const COLUMN_RULES: readonly (readonly [key: string, rule: string])[] = [
  ['delta.generationExpression', 'a generation expression'],
  ['delta.identity.start', 'an identity'],
  ['delta.identity.step', 'an identity'],
  ['CURRENT_DEFAULT', 'a default'],
  ['delta.invariants', 'an invariant'],
  ['__CHAR_VARCHAR_TYPE_STRING', 'a length'],
]

export interface CheckedTable {
  readonly protocol: Protocol
  readonly metadata: Metadata
  readonly schema: StructType
}

/** All reasons to refuse the table, in the order they are looked for; none: it can be appended to. */
export function faultsOfTable(table: CheckedTable): DeltaError[] {
  const faults = [
    faultOfProtocol(table.protocol),
    ...faultsOfMetadata(table.metadata),
    ...faultsOfFields(table.schema.fields, ''),
    faultOfEmptiness(table.schema),
    faultOfStatistics(table.metadata),
    ...faultsOfPartitioning(table),
    ...faultsOfCase(table.schema, ''),
  ]
  return faults.filter((fault) => fault !== undefined)
}

/** @returns why the protocol asks for more than this destination does */
export function faultOfProtocol(protocol: Protocol): DeltaError | undefined {
  const { minReaderVersion: reader, minWriterVersion: writer, readerFeatures = [], writerFeatures = [] } = protocol
  const unknown = [...new Set([...readerFeatures, ...writerFeatures])].filter((name) => !KNOWN_FEATURES.has(name))
  if (reader <= 3 && writer <= 7 && unknown.length === 0) return undefined
  return deltaError('WORKER_TABLE_PROTOCOL', { reader, writer, features: unknown.length === 0 ? 'none' : unknown })
}

function faultsOfMetadata(metadata: Metadata): DeltaError[] {
  const faults: DeltaError[] = []
  const { provider } = metadata.format
  if (provider.toLowerCase() !== 'parquet') faults.push(deltaError('WORKER_TABLE_FORMAT', { format: provider }))
  const mode = setting(metadata, 'delta.columnMapping.mode') ?? 'none'
  const isNamed = mode === 'name' && setting(metadata, 'delta.columnMapping.maxColumnId') !== undefined
  if (mode !== 'none' && !isNamed) faults.push(deltaError('WORKER_TABLE_MAPPING', { mode }))
  for (const [key] of metadata.configuration) {
    const constraint = /^delta\.constraints\.(.+)$/i.exec(key)?.[1]
    if (constraint !== undefined) faults.push(deltaError('WORKER_TABLE_CONSTRAINT', { constraint }))
  }
  return faults
}

function faultsOfFields(fields: readonly StructField[], path: string): DeltaError[] {
  return fields.flatMap((field) => {
    const column = path + field.name
    const rule = COLUMN_RULES.find(([key]) => Object.hasOwn(field.metadata, key))?.[1]
    const own: DeltaError[] = rule === undefined ? [] : [deltaError('WORKER_TABLE_COLUMN_RULE', { column, rule })]
    if (!field.nullable) own.push(deltaError('WORKER_TABLE_NOT_NULLABLE', { column }))
    return [...own, ...faultsOfFields(childrenOf(field.type), `${column}.`)]
  })
}

function faultOfEmptiness(schema: StructType): DeltaError | undefined {
  return schema.fields.some((field) => field.type.kind !== 'void') ? undefined : deltaError('WORKER_TABLE_NO_COLUMN')
}

function faultOfStatistics(metadata: Metadata): DeltaError | undefined {
  const asJson = setting(metadata, 'delta.checkpoint.writeStatsAsJson')
  const asStruct = setting(metadata, 'delta.checkpoint.writeStatsAsStruct')
  const isKept = asJson?.toLowerCase() !== 'false' && asStruct?.toLowerCase() !== 'true'
  return isKept ? undefined : deltaError('WORKER_TABLE_STATISTICS')
}

function faultsOfPartitioning({ metadata, schema }: CheckedTable): DeltaError[] {
  return metadata.partitionColumns.flatMap((column) => {
    const type = findField(schema, column)?.type
    if (type === undefined || isPartitionType(type.kind)) return []
    return [deltaError('WORKER_TABLE_PARTITION_TYPE', { column, type: deltaTypeName(type) })]
  })
}

/** Two columns of one struct that differ only in case: a record's field would mean either. */
function faultsOfCase(schema: StructType, path: string): DeltaError[] {
  const seen = new Map<string, string>()
  return schema.fields.flatMap((field) => {
    const first = seen.get(foldCase(field.name))
    seen.set(foldCase(field.name), path + field.name)
    const inner = faultsOfCase({ kind: 'struct', fields: childrenOf(field.type) }, `${path}${field.name}.`)
    return first === undefined
      ? inner
      : [deltaError('WORKER_TABLE_CASE', { first, second: path + field.name }), ...inner]
  })
}

function setting(metadata: Metadata, name: string): string | undefined {
  const folded = name.toLowerCase()
  for (const [key, value] of metadata.configuration) if (key.toLowerCase() === folded) return value
  return undefined
}
