/** The write command of a call: which rows, in which mode, with which options. */
import { deltaError } from '../errors/index.ts'
import {
  parseFileSize,
  type RecordInput,
  type TableRef,
  type WriteCommand,
  type WriteMode,
} from '../operations/index.ts'
import { propertyMap, schemaOf, type WriteOptions } from './options.ts'
import { type TableRows, typedRows } from './table-rows.ts'

const MODES: readonly string[] = ['append', 'overwrite', 'error', 'ignore'] satisfies WriteMode[]

interface WriteCall {
  readonly table: TableRef
  readonly rows: TableRows
  readonly options: WriteOptions
  /** true: a table that is not there is an error */
  readonly mustExist?: boolean
}

/** @throws DeltaError `LAKE_INVALID_OPTION` */
export function writeCommand({ table, rows, options, mustExist }: WriteCall): WriteCommand {
  const mode = options.mode ?? 'error'
  if (!MODES.includes(mode)) {
    throw deltaError('LAKE_INVALID_OPTION', {
      option: 'mode',
      value: mode,
      allowed: `it is one of ${MODES.join(', ')}`,
    })
  }
  const {
    partitionBy,
    mergeSchema,
    overwriteSchema,
    replaceWhere,
    txn,
    userMetadata,
    targetFileSize,
    maxRecordsPerFile,
  } = options
  const partitionOverwrite = overwriteModeOf(options.partitionOverwriteMode)
  return {
    kind: 'write',
    table,
    ...sourceOf(rows, options),
    mode,
    ...(mustExist && { mustExist }),
    ...(partitionBy && { partitionBy }),
    ...(mergeSchema && { mergeSchema }),
    ...(overwriteSchema && { overwriteSchema }),
    ...(replaceWhere !== undefined && { replaceWhere }),
    ...(partitionOverwrite === 'dynamic' && { partitionOverwrite }),
    ...(options.properties && { properties: propertyMap(options.properties) }),
    ...(txn && { transaction: { appId: txn.appId, version: transactionVersion(txn.version) } }),
    ...(userMetadata !== undefined && { userMetadata }),
    ...(targetFileSize !== undefined && { targetFileSize: fileSize(targetFileSize) }),
    ...(maxRecordsPerFile !== undefined && { maxRecordsPerFile }),
  }
}

/** Columns of typed rows are cast to the table's as INSERT BY NAME does; objects must fit as they are. */
function sourceOf(rows: TableRows, { schema }: WriteOptions): Pick<WriteCommand, 'source' | 'assignment'> {
  const typed = typedRows(rows)
  if (typed === undefined) {
    const records = { kind: 'records', form: 'js', records: rows as RecordInput } as const
    return { source: schema === undefined ? records : { ...records, schema: schemaOf(schema) } }
  }
  if (schema === undefined) return { source: typed, assignment: { by: 'name' } }
  const allowed = 'it goes with objects: these rows bring the types of their columns'
  throw deltaError('LAKE_INVALID_OPTION', { option: 'schema', value: schema, allowed })
}

function fileSize(size: number | string): number {
  const bytes = typeof size === 'number' ? size : parseFileSize(size)
  if (bytes !== undefined && Number.isSafeInteger(bytes) && bytes > 0) return bytes
  const allowed = 'it is a number of bytes from 1 on, or a text such as 64MB'
  throw deltaError('LAKE_INVALID_OPTION', { option: 'targetFileSize', value: size, allowed })
}

function overwriteModeOf(mode: string | undefined): 'static' | 'dynamic' {
  const known = mode?.toLowerCase() ?? 'static'
  if (known === 'static' || known === 'dynamic') return known
  throw deltaError('LAKE_INVALID_OPTION', {
    option: 'partitionOverwriteMode',
    value: mode,
    allowed: 'it is static or dynamic',
  })
}

function transactionVersion(version: number | bigint): bigint {
  if (typeof version === 'bigint' || Number.isSafeInteger(version)) return BigInt(version)
  throw deltaError('LAKE_INVALID_OPTION', { option: 'txn.version', value: version, allowed: 'it is a whole number' })
}
