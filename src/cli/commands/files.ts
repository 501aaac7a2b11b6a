/** `bayou files`: live files with what the log says of each, and why a predicate reads or skips them. */
import type { Command } from 'commander'
import { deltaError } from '../../errors/index.ts'
import { isJsonObject, type JsonValue, parseJson, printJson } from '../../support/index.ts'
import type { FileRecord } from '../../table/index.ts'
import type { CliCommand } from '../cli-command.ts'
import { isLakeAddress } from '../ducklake/lake-address.ts'
import type { Output } from '../output/output.ts'
import { formatBytes, formatCount, plural } from '../output/sizes.ts'
import { type Cell, TablePrinter } from '../output/text-table.ts'
import { addReadPointOptions, addTableArgument, type ReadPointOptions, readPoint } from '../read-options.ts'

interface FilesOptions extends ReadPointOptions {
  readonly where?: string
  readonly explain?: boolean
}

const EXAMPLES = `
Examples:
  $ bayou files /lake/orders
  $ bayou files /lake/orders --where "country = 'DE'" --explain`

export const files: CliCommand<FilesOptions> = {
  define(command: Command) {
    addTableArgument(command)
    addReadPointOptions(command)
    command
      .option('--where <predicate>', 'only files a read with this predicate opens')
      .option('--explain', 'list all files, and say for each why it is read or skipped')
      .addHelpText('after', EXAMPLES)
  },

  async run([location], options, context) {
    const { where, explain = false } = options
    if (explain && where === undefined) {
      throw deltaError('LAKE_USAGE', { problem: '--explain explains a predicate', advice: 'add --where "…"' })
    }
    if (isLakeAddress(String(location))) {
      const { lakeFiles } = await import('../ducklake/lake-facts.ts')
      return await lakeFiles(String(location), options, context)
    }
    const table = (await context.table(String(location))).at(readPoint(options))
    const total = { files: 0, read: 0, bytes: 0 }
    const printer = context.globals.json ? jsonPrinter(context.output) : tablePrinter(context.output, explain)
    for await (const file of table.files({ ...(where !== undefined && { where }), explain, signal: context.signal })) {
      total.files++
      if (file.read) {
        total.read++
        total.bytes += file.size
      }
      await printer.file(file)
    }
    await printer.end()
    await context.output.flush()
    context.note(summary(total, explain))
    return 0
  },
}

function summary(total: { files: number; read: number; bytes: number }, explain: boolean): string {
  const read = `${plural(total.read, 'file')}, ${formatBytes(total.bytes)}`
  return explain ? `${read} of ${plural(total.files, 'file')} are read` : read
}

interface FilePrinter {
  file(record: FileRecord): Promise<void>
  end(): Promise<void>
}

function jsonPrinter(output: Output): FilePrinter {
  return { file: (record) => output.line(fileJson(record)), end: async () => {} }
}

/** Statistics are put in as they stand in the log; where they are not JSON, as text. */
function fileJson({ stats, ...record }: FileRecord): string {
  const text = JSON.stringify(record)
  return `${text.slice(0, -1)},"stats":${stats === null ? 'null' : asJson(stats)}}`
}

function asJson(stats: string): string {
  try {
    return printJson(parseJson(stats))
  } catch {
    return JSON.stringify(stats)
  }
}

function tablePrinter(output: Output, explain: boolean): FilePrinter {
  const columns = [
    ...(explain ? [{ name: 'read' }, { name: 'because' }] : []),
    { name: 'path' },
    { name: 'partition' },
    { name: 'size', align: 'right' as const },
    { name: 'rows', align: 'right' as const },
    { name: 'deleted', align: 'right' as const },
    { name: 'statistics' },
  ]
  const printer = new TablePrinter(output, columns)
  return { file: (record) => printer.add(fileCells(record, explain)), end: () => printer.end() }
}

function fileCells(record: FileRecord, explain: boolean): Cell[] {
  const partition = Object.entries(record.partitionValues).map(([name, value]) => `${name}=${value}`)
  return [
    ...(explain ? [record.read ? 'read' : 'skip', (record.reason ?? '').replace(/^kept: /, '')] : []),
    record.path,
    partition.join(' '),
    formatBytes(record.size),
    record.numRecords === null ? '?' : formatCount(record.numRecords),
    record.deletionVector === null ? '' : formatCount(record.deletionVector.cardinality),
    boundsText(record.stats),
  ]
}

/** `amount 3.50..99.00` for each top-level column with bounds. */
function boundsText(stats: string | null): string {
  const json = stats === null ? undefined : parseQuietly(stats)
  if (!isJsonObject(json) || !isJsonObject(json.minValues) || !isJsonObject(json.maxValues)) return ''
  const most = json.maxValues
  const bounds = Object.entries(json.minValues).map(([name, least]) => {
    return isJsonObject(least) ? undefined : `${name} ${bound(least)}..${bound(most[name])}`
  })
  return bounds.filter((text) => text !== undefined).join('  ')
}

function parseQuietly(stats: string): JsonValue | undefined {
  try {
    return parseJson(stats)
  } catch {
    return undefined
  }
}

function bound(value: JsonValue | undefined): string {
  if (value === undefined) return '?'
  return typeof value === 'string' ? value : printJson(value)
}
