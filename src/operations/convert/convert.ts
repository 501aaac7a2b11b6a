/**
 * CONVERT TO DELTA: a folder of Parquet files becomes a table where it lies.
 *
 * Columns are those of all footers together, partition values those of the folders. No file is moved or written again; the
 * log is all that comes. Source: the reference's CONVERT.
 */
import type { FileFooter } from '../../engine/index.ts'
import { deltaError, isDeltaError } from '../../errors/index.ts'
import {
  type AddFile,
  beginCreate,
  encodePath,
  property,
  requireCommitted,
  statisticsColumns,
  statisticsLeaves,
  type Transaction,
} from '../../kernel/index.ts'
import { findField, printSchema, type StructField, type StructType, structType } from '../../schema/index.ts'
import { mapParallel, throwIfAborted } from '../../support/index.ts'
import { signed, tryCommit } from '../commit.ts'
import type { OperationContext } from '../context.ts'
import { fileStats } from '../file-stats.ts'
import type { ConvertCommand, ConvertResult } from '../upkeep-command.ts'
import { mergeSchemas } from '../write/merge-schema.ts'
import { type FoundFile, findFiles } from './find-files.ts'

const PARALLEL = 8

/**
 * Where a table is already nothing is done.
 *
 * @throws DeltaError `DELTA_EMPTY_DIRECTORY`, `DELTA_CONVERSION_UNSUPPORTED_COLUMN_MAPPING`,
 * `DELTA_UNEXPECTED_NUM_PARTITION_COLUMNS_FROM_FILE_NAME`, `DELTA_UNEXPECTED_PARTITION_COLUMN_FROM_FILE_NAME`,
 * `DELTA_FAILED_CAST_PARTITION_VALUE`, `DELTA_FAILED_MERGE_SCHEMA_FILE`, those of `Engine.readFooter` and `planNewTable`
 */
export async function executeConvert(command: ConvertCommand, context: OperationContext): Promise<ConvertResult> {
  if (await context.exists()) return { version: null, numConvertedFiles: 0, sizeInBytes: 0 }
  const { partitionBy = [], properties = new Map<string, string>() } = command
  const mode = property(properties, 'columnMapping.mode')
  if (mode !== 'none') throw deltaError('DELTA_CONVERSION_UNSUPPORTED_COLUMN_MAPPING', { mode })
  const files = await findFiles(partitionBy, context)
  if (files.length === 0) throw deltaError('DELTA_EMPTY_DIRECTORY', { path: context.location })
  const footers = await readFooters(files, context)
  const schema = withPartitions(mergeAll(files, footers), partitionBy)
  const sizeInBytes = files.reduce((sum, { size }) => sum + size, 0)
  const result = { numConvertedFiles: files.length, sizeInBytes, schema }
  if (command.dryRun === true) return { version: null, ...result }
  const transaction = begin({ command, schema, numFiles: files.length, context })
  const adds = await addFiles({ command, transaction, files, footers, context })
  const full = transaction.addFiles(adds).setMetrics({ numConvertedFiles: files.length }).readsTable()
  return { version: requireCommitted(await tryCommit(full, context)), ...result }
}

async function readFooters(
  files: readonly FoundFile[],
  { store, engine, options }: OperationContext,
): Promise<readonly FileFooter[]> {
  let read = 0
  return await mapParallel(files, PARALLEL, async (file) => {
    throwIfAborted(options.signal, 'CONVERT')
    const footer = await engine.readFooter(store, file, options)
    options.onProgress?.({ rows: 0, bytes: 0, files: ++read })
    return footer
  })
}

function mergeAll(files: readonly FoundFile[], footers: readonly FileFooter[]): StructType {
  return footers.reduce<StructType>((schema, footer, i) => {
    const details = { file: files[i]!.key, schema: printSchema(footer.schema) }
    try {
      const merged = mergeSchemas(schema, footer.schema).schema
      const other = otherSpelling(merged, footer.schema)
      if (other === undefined) return merged
      throw deltaError('DELTA_FAILED_MERGE_SCHEMA_FILE', { ...details, cause: `${other} is written otherwise there` })
    } catch (error) {
      if (!isDeltaError(error, 'DELTA_FAILED_TO_MERGE_FIELDS')) throw error
      throw deltaError('DELTA_FAILED_MERGE_SCHEMA_FILE', { ...details, cause: error.message }, { cause: error })
    }
  }, structType([]))
}

/** A column that a file spells in another case, which readers by exact names would take for one that is missing. */
function otherSpelling(merged: StructType, data: StructType): string | undefined {
  for (const { name, type } of data.fields) {
    const known = merged.fields.find((candidate) => candidate.name === name)
    if (known === undefined) return name
    const inner = known.type.kind === 'struct' && type.kind === 'struct' && otherSpelling(known.type, type)
    if (inner) return `${name}.${inner}`
  }
  return undefined
}

/** Folders have the last word about a column that files hold too; one that files lack comes last. */
function withPartitions(data: StructType, partitionBy: readonly StructField[]): StructType {
  const partitions = structType(partitionBy)
  const own = data.fields.map((field) => findField(partitions, field.name) ?? field)
  return structType([...own, ...partitionBy.filter(({ name }) => findField(data, name) === undefined)])
}

interface TableToBe {
  readonly command: ConvertCommand
  readonly schema: StructType
  readonly numFiles: number
  readonly context: OperationContext
}

function begin({ command, schema, numFiles, context }: TableToBe): Transaction {
  const { partitionBy = [], collectStatistics = true, properties, userMetadata } = command
  const names = partitionBy.map(({ name }) => name)
  const spec = { schema, partitionColumns: names, ...(properties && { configuration: properties }) }
  const options = signed(context, {
    operation: 'CONVERT',
    operationParameters: {
      numFiles,
      partitionedBy: JSON.stringify(names),
      collectStats: collectStatistics,
      sourceFormat: 'parquet',
    },
    ...(userMetadata !== undefined && { userMetadata }),
  })
  return beginCreate(context.store, context.engine, spec, { ...options, clock: context.clock })
}

interface FilesToAdd {
  readonly command: ConvertCommand
  readonly transaction: Transaction
  readonly files: readonly FoundFile[]
  readonly footers: readonly FileFooter[]
  readonly context: OperationContext
}

async function addFiles(task: FilesToAdd): Promise<readonly AddFile[]> {
  const { command, transaction, files, footers } = task
  const { layout, metadata, domains } = transaction
  const columns = statisticsColumns({ layout, configuration: metadata.configuration, domains })
  const leaves = statisticsLeaves(layout, columns)
  return await mapParallel(files, PARALLEL, async (file, i): Promise<AddFile> => {
    const add = {
      path: encodePath(file.key),
      partitionValues: file.partitionValues,
      size: file.size,
      modificationTime: file.modifiedMs,
      dataChange: true,
    }
    if (command.collectStatistics === false) return add
    const footer = footers[i]!
    const ground = { layout, leaves, stringPrefixLength: columns.stringPrefixLength, context: task.context }
    return { ...add, stats: await fileStats(add, footer, ground) }
  })
}
