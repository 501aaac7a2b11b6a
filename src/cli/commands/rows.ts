/** `bayou rows`: the rows of a table, as a table for people, NDJSON, CSV, Arrow or a Parquet file. */
import { extname } from 'node:path'
import { type Command, Option } from 'commander'
import { deltaError } from '../../errors/index.ts'
import type { ScanOptions, TableScan } from '../../table/index.ts'
import type { CliCommand, CliContext } from '../cli-command.ts'
import { isLakeAddress } from '../ducklake/lake-address.ts'
import { parseWholeNumber } from '../globals.ts'
import { followRows, refuseEnds } from '../output/follow-rows.ts'
import { printArrow, printRowsToFile, showRows } from '../output/print-rows.ts'
import { ROW_FORMATS, type RowFormat } from '../output/row-format.ts'
import { plural } from '../output/sizes.ts'
import { writeWholeFile } from '../output/whole-file.ts'
import {
  addReadPointOptions,
  addTableArgument,
  parseNameList,
  type ReadPointOptions,
  readPoint,
} from '../read-options.ts'

/** What rows can be written as: texts, and two forms for other programs. */
type FileFormat = RowFormat | 'parquet' | 'arrow'

interface RowsOptions extends ReadPointOptions {
  readonly where?: string
  readonly select?: readonly string[]
  readonly rowIds?: boolean
  readonly limit?: number
  readonly format?: FileFormat
  readonly output?: string
  readonly follow?: boolean
}

const EXAMPLES = `
Examples:
  $ bayou rows /lake/orders --limit 5
  $ bayou rows /lake/orders --where "country = 'DE' AND amount > 100" --select order_id,amount
  $ bayou rows /lake/orders --version 4 --format ndjson | jq .amount
  $ bayou rows /lake/orders --select order_id,_metadata.file_name
  $ bayou rows /lake/orders -o orders.parquet
  $ bayou rows /lake/orders --format arrow | python -c "import pyarrow as pa, sys; print(pa.ipc.open_stream(sys.stdin.buffer).read_all())"
  $ bayou rows /lake/orders --follow | jq .amount`

export const rows: CliCommand<RowsOptions> = {
  define(command: Command) {
    addTableArgument(command)
    addReadPointOptions(command)
    const format = new Option(
      '--format <format>',
      'how rows are printed; as the name of the file ends, else table, or ndjson with --json',
    )
    command
      .option('--where <predicate>', 'only rows for which the predicate is true')
      .option('--select <columns>', 'only these columns, such as order_id,amount', parseNameList)
      .option('--row-ids', 'with the id of each row and the version that last wrote it, where the table tracks rows')
      .option('--limit <n>', 'at most so many rows', parseWholeNumber)
      .addOption(format.choices([...ROW_FORMATS, 'parquet', 'arrow']))
      .option('-o, --output <file>', 'write into a file, which appears whole')
      .option('--follow', 'then go on with rows that are added, as NDJSON, until interrupted')
      .addHelpText('after', EXAMPLES)
  },

  async run([location], options, context) {
    const { where, select, limit, output: file } = options
    const chosen = { ...(where !== undefined && { where }), ...(select !== undefined && { select }) }
    if (options.follow && !isLakeAddress(String(location))) {
      refuseEnds(options)
      await followRows(await context.table(String(location)), { ...chosen, signal: context.signal }, context.output)
      return 0
    }
    const format = options.format ?? (context.globals.json ? 'ndjson' : formatByName(file))
    if (isLakeAddress(String(location))) {
      const { lakeRows } = await import('../ducklake/lake-rows.ts')
      return await lakeRows(String(location), format, options, context)
    }
    const scanOptions: ScanOptions = {
      ...readPoint(options),
      ...chosen,
      ...(options.rowIds && { rowIds: true }),
      ...(limit !== undefined && { limit }),
      signal: context.signal,
      ...(showsProgress(file, context) && { onProgress: context.progress('reading').update }),
    }
    if (format === 'parquet') return await writeParquet({ location: String(location), scanOptions, file, context })
    const scan = (await context.table(String(location))).scan(scanOptions)
    if (format === 'arrow') return await writeArrow(scan, file, context)
    if (file === undefined) await showRows(scan, format, context)
    else await printRowsToFile(scan, { format, file, context })
    return 0
  },
}

/** Not where rows come out on the same terminal. */
function showsProgress(file: string | undefined, { output }: CliContext): boolean {
  return file !== undefined || !output.isTerminal
}

const FORMATS_BY_NAME: ReadonlyMap<string, FileFormat> = new Map([
  ['.csv', 'csv'],
  ['.ndjson', 'ndjson'],
  ['.jsonl', 'ndjson'],
  ['.parquet', 'parquet'],
  ['.arrow', 'arrow'],
  ['.feather', 'arrow'],
])

/** A file is what its name says it is. */
function formatByName(file: string | undefined): FileFormat {
  return (file === undefined ? undefined : FORMATS_BY_NAME.get(extname(file).toLowerCase())) ?? 'table'
}

/** The file format into a file, the stream format into a pipe; a terminal is spared the bytes. */
async function writeArrow(scan: TableScan, file: string | undefined, context: CliContext): Promise<number> {
  if (file === undefined) {
    if (context.output.isTerminal) throw needsFile('Arrow')
    await printArrow(scan, 'stream', context.output)
    return 0
  }
  let count = 0
  await writeWholeFile(file, context.terminal, async (output) => {
    count = await printArrow(scan, 'file', output)
  })
  context.note(`${plural(count, 'row')} written to ${file}`)
  return 0
}

function needsFile(form: string) {
  return deltaError('LAKE_USAGE', { problem: `rows as ${form} need a file to go to`, advice: 'add -o FILE' })
}

interface ParquetTask {
  readonly location: string
  readonly scanOptions: ScanOptions
  readonly file: string | undefined
  readonly context: CliContext
}

async function writeParquet({ location, scanOptions, file, context }: ParquetTask): Promise<number> {
  if (file === undefined) throw needsFile('Parquet')
  const { exportParquet } = await import('../export-parquet.ts')
  const count = await exportParquet({ location, scanOptions, file, context })
  context.note(`${plural(count, 'row')} written to ${file}`)
  return 0
}
