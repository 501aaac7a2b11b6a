/** `bayou history`: what was done to a table, newest first, with the columns of DESCRIBE HISTORY. */
import type { Command } from 'commander'
import type { HistoryRecord } from '../../table/index.ts'
import type { CliCommand } from '../cli-command.ts'
import { isLakeAddress } from '../ducklake/lake-address.ts'
import { parsePositiveInteger } from '../globals.ts'
import { type Cell, printTable } from '../output/text-table.ts'
import { addDataPathOption, addTableArgument } from '../read-options.ts'
import { noteOfNoCommit } from './log.ts'

interface HistoryOptions {
  readonly limit?: number
  readonly dataPath?: string
}

const EXAMPLES = `
Examples:
  $ bayou history /lake/orders --limit 10
  $ bayou history /lake/orders --json | jq -r 'select(.operation == "MERGE") | .version'`

const COLUMNS = [
  { name: 'version', align: 'right' },
  { name: 'timestamp' },
  { name: 'operation' },
  { name: 'parameters' },
  { name: 'metrics' },
  { name: 'engine' },
] as const

export const history: CliCommand<HistoryOptions> = {
  define(command: Command) {
    addTableArgument(command)
    addDataPathOption(command)
    command.option('--limit <n>', 'the newest so many versions', parsePositiveInteger).addHelpText('after', EXAMPLES)
  },

  async run([location], { limit, dataPath }, context) {
    if (isLakeAddress(String(location))) {
      const { lakeHistory } = await import('../ducklake/lake-facts.ts')
      const options = { ...(limit !== undefined && { limit }), ...(dataPath !== undefined && { dataPath }) }
      return await lakeHistory(String(location), options, context)
    }
    const table = await context.table(String(location))
    const records = await table.history(limit)
    if (records.length === 0) await noteOfNoCommit(table, context)
    if (context.globals.json) {
      for (const record of records) await context.output.line(JSON.stringify(record))
      return 0
    }
    await printTable(context.output, COLUMNS, records.map(historyCells))
    return 0
  },
}

function historyCells(record: HistoryRecord): Cell[] {
  return [
    String(record.version),
    record.timestamp,
    record.operation,
    pairs(record.operationParameters),
    pairs(record.operationMetrics),
    record.engineInfo,
  ]
}

/** What says nothing (empty lists, zeros) is left out. */
function pairs(record: Readonly<Record<string, string | null>> | null): string {
  const said = Object.entries(record ?? {}).filter(([, value]) => !['', '[]', '{}', '0'].includes(value ?? ''))
  return said.map(([key, value]) => `${key}=${value}`).join(' ')
}
