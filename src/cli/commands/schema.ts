/** `bayou schema`: columns, types, nullability, comments; with `--json` the schema as the log has it. */
import type { Command } from 'commander'
import { formatType, printSchema, type StructField } from '../../schema/index.ts'
import type { CliCommand } from '../cli-command.ts'
import { isLakeAddress } from '../ducklake/lake-address.ts'
import { type Cell, printTable } from '../output/text-table.ts'
import { addReadPointOptions, addTableArgument, type ReadPointOptions, readPoint } from '../read-options.ts'

const EXAMPLES = `
Examples:
  $ bayou schema /lake/orders
  $ bayou schema /lake/orders --json | jq '.fields[].name'`

const COLUMNS = ['column', 'type', 'nullable', 'partition', 'comment'].map((name) => ({ name }))

export const schema: CliCommand<ReadPointOptions> = {
  define(command: Command) {
    addTableArgument(command)
    addReadPointOptions(command)
    command.addHelpText('after', EXAMPLES)
  },

  async run([location], options, context) {
    if (isLakeAddress(String(location))) {
      const { lakeSchema } = await import('../ducklake/lake-facts.ts')
      return await lakeSchema(String(location), options, context)
    }
    const table = (await context.table(String(location))).at(readPoint(options))
    const { schema: struct, partitionColumns, unreadableFeatures } = await table.describe({ signal: context.signal })
    if (context.globals.json) await context.output.line(printSchema(struct))
    else await printTable(context.output, COLUMNS, fieldRows(struct.fields, partitionColumns))
    if (unreadableFeatures.length > 0) {
      context.note(`rows of this table cannot be read: this version does not know ${unreadableFeatures.join(', ')}`)
    }
    return 0
  },
}

function fieldRows(fields: readonly StructField[], partitionColumns: readonly string[]): Cell[][] {
  return fields.map((f) => {
    const place = partitionColumns.indexOf(f.name)
    const comment = typeof f.metadata.comment === 'string' ? f.metadata.comment : ''
    return [f.name, formatType(f.type), f.nullable ? 'yes' : 'no', place < 0 ? '' : String(place + 1), comment]
  })
}
