/** Rows of a read to a terminal, a pipe or a file. */
import { arrowBytes, toArrow } from '../../arrow/index.ts'
import type { Batch } from '../../engine/index.ts'
import { rowsOf } from '../../engine/index.ts'
import type { StructType } from '../../schema/index.ts'
import type { CliContext } from '../cli-command.ts'
import type { Output } from './output.ts'
import { type RowFormat, rowWriter } from './row-format.ts'
import { plural } from './sizes.ts'
import { writeWholeFile } from './whole-file.ts'

/** What a table is read through: versions, changes. */
export interface RowsRead {
  open(): Promise<{ readonly schema: StructType; batches(): AsyncIterable<Batch> }>
}

/** Arrow's formats: a stream for what reads as it comes, a file with an index of its batches. */
export async function printArrow(read: RowsRead, form: 'file' | 'stream', output: Output): Promise<number> {
  const { schema, batches } = await read.open()
  let count = 0
  const counted = (async function* () {
    for await (const batch of batches()) {
      count += batch.numRows
      yield batch
    }
  })()
  for await (const piece of arrowBytes(await toArrow(schema, counted), form)) await output.bytes(piece)
  return count
}

/** Prints all rows to the standard output; a person is told how many. */
export async function showRows(read: RowsRead, format: RowFormat, context: CliContext): Promise<void> {
  const count = await printRows(read, format, context.output)
  await context.output.flush()
  if (format === 'table' && context.output.isTerminal) context.note(`(${plural(count, 'row')})`)
}

/** The same into a file, which appears whole. */
export async function printRowsToFile(
  read: RowsRead,
  { format, file, context }: { format: RowFormat; file: string; context: CliContext },
): Promise<void> {
  let count = 0
  await writeWholeFile(file, context.terminal, async (output) => {
    count = await printRows(read, format, output)
  })
  context.note(`${plural(count, 'row')} written to ${file}`)
}

async function printRows(read: RowsRead, format: RowFormat, output: Output): Promise<number> {
  const { schema, batches } = await read.open()
  const writer = rowWriter(format, schema, output)
  let count = 0
  for await (const batch of batches()) {
    for (const row of rowsOf(batch)) await writer.row(row)
    count += batch.numRows
  }
  await writer.end()
  return count
}
