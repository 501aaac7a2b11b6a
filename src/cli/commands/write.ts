/** `bayou write`: NDJSON, CSV or Parquet files, or standard input, into a table. */

import { stat } from 'node:fs/promises'
import { dirname, extname } from 'node:path'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { causeText, deltaError } from '../../errors/index.ts'
import {
  parseFileSize,
  type WriteCommand,
  type WriteCommandResult,
  type WriteMode,
  type WriteSource,
} from '../../operations/index.ts'
import type { CliCommand, CliContext } from '../cli-command.ts'
import { type RecordFormat, RecordPlaces, readRecords } from '../input/record-file.ts'
import { rememberFolders } from '../made-folders.ts'
import type { ProgressLine } from '../output/progress.ts'
import { formatBytes, plural } from '../output/sizes.ts'
import { parseProperty } from '../property-option.ts'
import { addTableArgument, parseNameList } from '../read-options.ts'

type InputFormat = RecordFormat | 'parquet'

interface WriteOptions {
  readonly mode: WriteMode
  readonly format?: InputFormat
  readonly partitionBy?: readonly string[]
  readonly mergeSchema?: boolean
  readonly overwriteSchema?: boolean
  readonly replaceWhere?: string
  readonly dynamicPartitionOverwrite?: boolean
  readonly property?: ReadonlyMap<string, string>
  readonly txn?: { readonly appId: string; readonly version: bigint }
  readonly userMetadata?: string
  readonly targetFileSize?: number
}

const EXAMPLES = `
Examples:
  $ bayou write /lake/orders orders.ndjson --partition-by country
  $ bayou write /lake/orders more.csv --merge-schema
  $ generate | bayou write /lake/orders - --txn loader:42
  $ bayou write /lake/orders all.parquet --mode overwrite`

export const write: CliCommand<WriteOptions> = { define, run }

function define(command: Command): void {
  addTableArgument(command)
  const modes = new Option('--mode <mode>', 'what happens to a table that is there')
  const formats = new Option('--format <format>', 'of the files; by their names when absent, ndjson for -')
  command
    .argument('<files...>', 'NDJSON, CSV or Parquet files; - is standard input')
    .addOption(modes.choices(['append', 'overwrite', 'error', 'ignore']).default('append'))
    .addOption(formats.choices(['ndjson', 'csv', 'parquet']))
    .option('--partition-by <columns>', 'partition columns of a new table, such as country,day', parseNameList)
    .option('--merge-schema', 'add columns the table lacks')
    .option('--overwrite-schema', 'with --mode overwrite: replace schema and partitioning')
    .option('--replace-where <predicate>', 'with --mode overwrite: replace only the rows of a predicate')
    .option('--dynamic-partition-overwrite', 'with --mode overwrite: replace only the partitions written')
    .option('--property <key=value>', 'property of a new table; may be repeated', parseProperty, new Map())
    .option('--txn <app:version>', 'write at most once for this application and version', parseTransaction)
    .option('--user-metadata <text>', 'text kept with the commit')
    .option('--target-file-size <size>', 'size of a data file, about, such as 64MB', parseSize)
    .addHelpText('after', EXAMPLES)
}

async function run([location, files]: readonly unknown[], options: WriteOptions, context: CliContext): Promise<number> {
  const names = files as string[]
  const format = inputFormat(names, options.format)
  const progress = context.progress('writing')
  const source = await sourceOf(names, format, context, progress)
  const command = writeCommand(String(location), source, options)
  const result = await execute(command, context, progress)
  progress.clear()
  await context.output.line(context.globals.json ? resultJson(result) : resultText(result))
  return 0
}

/** A write that fails takes the folders with it that it made for a new table. */
async function execute(command: WriteCommand, context: CliContext, progress: ProgressLine) {
  const { backend, openStore } = await context.session()
  const { localPath } = await openStore(command.table.location)
  const removeFolders = localPath ? rememberFolders(dirname(localPath('x'))) : async () => undefined
  try {
    return await backend.execute(command, { signal: context.signal, onProgress: progress.update })
  } catch (error) {
    await removeFolders()
    throw error
  }
}

function parseTransaction(text: string): WriteOptions['txn'] {
  const match = /^(.+):(\d+)$/s.exec(text)
  if (match === null) throw new InvalidArgumentError('It is APP:VERSION, the version a whole number.')
  return { appId: match[1]!, version: BigInt(match[2]!) }
}

function parseSize(text: string): number {
  const size = parseFileSize(text)
  if (size === undefined) throw new InvalidArgumentError('It is a number of bytes, or a text such as 64MB.')
  return size
}

const FORMATS: Readonly<Record<string, InputFormat>> = {
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
  '.json': 'ndjson',
  '.csv': 'csv',
  '.parquet': 'parquet',
}

/** @throws DeltaError `LAKE_USAGE` when files are of several formats, or of none that is known */
function inputFormat(files: readonly string[], given: InputFormat | undefined): InputFormat {
  if (given !== undefined) return given
  const formats = new Set(files.map((file) => (file === '-' ? 'ndjson' : FORMATS[extname(file).toLowerCase()])))
  const [format, ...more] = formats
  if (format !== undefined && more.length === 0) return format
  const problem =
    more.length > 0 ? 'the files are of several formats' : `the format of ${files[0]} is not known by its name`
  throw deltaError('LAKE_USAGE', { problem, advice: 'say --format ndjson, csv or parquet' })
}

async function sourceOf(
  files: readonly string[],
  format: InputFormat,
  context: CliContext,
  progress: ProgressLine,
): Promise<WriteSource> {
  if (format === 'parquet') {
    const { parquetSource } = await import('../input/parquet-source.ts')
    return await parquetSource(files, context.terminal.cwd)
  }
  const total = await totalBytes(files)
  if (total !== undefined) progress.expect(total)
  const places = new RecordPlaces()
  const records = (async function* () {
    for (const file of files) {
      yield* readRecords({ file, format }, { terminal: context.terminal, places, signal: context.signal })
    }
  })()
  return { kind: 'records', form: format === 'csv' ? 'text' : 'json', records, placeName: places.name }
}

/** Every file is looked at before anything is written. */
async function totalBytes(files: readonly string[]): Promise<number | undefined> {
  let total = 0
  for (const file of files.filter((name) => name !== '-')) {
    try {
      total += (await stat(file)).size
    } catch (cause) {
      throw deltaError('LAKE_FILE_NOT_READABLE', { file, cause: causeText(cause) }, { cause })
    }
  }
  return files.includes('-') ? undefined : total
}

function writeCommand(location: string, source: WriteSource, options: WriteOptions): WriteCommand {
  const { mode, partitionBy, mergeSchema, overwriteSchema, replaceWhere, property, txn, userMetadata, targetFileSize } =
    options
  return {
    kind: 'write',
    table: { location },
    source,
    mode,
    ...(partitionBy && { partitionBy }),
    ...(mergeSchema && { mergeSchema }),
    ...(overwriteSchema && { overwriteSchema }),
    ...(replaceWhere !== undefined && { replaceWhere }),
    ...(options.dynamicPartitionOverwrite && { partitionOverwrite: 'dynamic' }),
    ...(property && property.size > 0 && { properties: property }),
    ...(txn && { transaction: txn }),
    ...(userMetadata !== undefined && { userMetadata }),
    ...(targetFileSize !== undefined && { targetFileSize }),
  }
}

function resultJson({ skipped, ...result }: WriteCommandResult): string {
  return JSON.stringify({ ...result, skipped: skipped ?? null })
}

function resultText(result: WriteCommandResult): string {
  const { version, numOutputRows, numFiles, numOutputBytes, numRemovedFiles, skipped } = result
  if (version === null) return `nothing written: ${skipped ?? 'no rows'}`
  const written = `version ${version}: ${plural(numOutputRows, 'row')} in ${plural(numFiles, 'file')}, ${formatBytes(numOutputBytes)}`
  return numRemovedFiles === 0 ? written : `${written}; ${plural(numRemovedFiles, 'file')} removed`
}
