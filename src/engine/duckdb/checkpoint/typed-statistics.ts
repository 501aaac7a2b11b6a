/**
 * Typed statistics on their way into a checkpoint: the type of the column, and lines in which every value has a spelling
 * that DuckDB takes without loss (it reads bare decimals through doubles).
 */
import {
  type Action,
  type AddFile,
  type CheckpointStatistics,
  partitionValuesRow,
  printAction,
  statisticsRow,
} from '../../../kernel/index.ts'
import {
  type DataType,
  type Row,
  type StructType,
  type Value,
  valueToJson,
  valueToText,
} from '../../../schema/index.ts'
import { quoteIdent } from '../sql-text.ts'
import { LOGICAL, sqlType } from '../values/sql-type.ts'
import { actionColumns } from './action-columns.ts'

/** The SQL type of the column `add`. */
export function addType({ text, typed }: CheckpointStatistics): string {
  const plain = actionColumns.add.filter(([name]) => text || name !== 'stats')
  const members = [
    ...plain.map(([name, type]) => `${quoteIdent(name)} ${type}`),
    ...(typed?.partitionValues ? [`"partitionValues_parsed" ${sqlType(typed.partitionValues, LOGICAL)}`] : []),
    ...(typed ? [`"stats_parsed" ${sqlType(typed.statistics, LOGICAL)}`] : []),
  ]
  return `STRUCT(${members.join(', ')})`
}

/** How an action becomes a line. Members that the column does not have are passed over by whoever reads it. */
export function printer({ typed }: CheckpointStatistics): (action: Action) => string {
  if (typed === undefined) return printAction
  return (action) => {
    const line = printAction(action)
    if (!('add' in action)) return line
    const parts = [structMember('stats_parsed', statisticsRow(action.add, typed.statistics), typed.statistics)]
    if (typed.partitionValues) parts.push(partitionMember(action.add, typed.partitionValues))
    return `${line.slice(0, -2)},${parts.join(',')}}}`
  }
}

function partitionMember(add: AddFile, type: StructType): string {
  return structMember('partitionValues_parsed', partitionValuesRow(add, type), type)
}

function structMember(name: string, row: Row | null, type: StructType): string {
  return `${JSON.stringify(name)}:${row === null ? 'null' : exactJson(row, type)}`
}

function exactJson(value: Value, type: DataType): string {
  if (value === null) return 'null'
  if (type.kind === 'struct') {
    const row = value as Row
    return `{${type.fields.map((f, i) => `${JSON.stringify(f.name)}:${exactJson(row[i] ?? null, f.type)}`).join(',')}}`
  }
  if (type.kind === 'binary') return JSON.stringify(blobText(value as Uint8Array))
  return type.kind === 'decimal' ? JSON.stringify(valueToText(value, type)) : valueToJson(value, type)
}

/** Bytes as DuckDB reads them from text. */
function blobText(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => `\\x${byte.toString(16).padStart(2, '0').toUpperCase()}`).join('')
}
