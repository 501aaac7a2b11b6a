/** `VACUUM name|'path' [FULL|LITE] [USING INVENTORY table|(query)] [RETAIN n HOURS] [DRY RUN]`, options in any order. */

import type { QueryText, Statement, TableTarget } from '../statement.ts'
import type { StatementReader } from '../statement-reader.ts'

interface Options {
  type?: 'full' | 'lite'
  retainHours?: number
  inventory?: TableTarget | QueryText
  dryRun?: boolean
}

/** The word VACUUM taken. */
export function readVacuum(reader: StatementReader): Statement {
  const table = reader.table({ text: true })
  const { type, retainHours, inventory, dryRun = false } = readOptions(reader)
  return {
    kind: 'vacuum',
    table,
    type,
    dryRun,
    ...(retainHours !== undefined && { retainHours }),
    ...(inventory !== undefined && { inventory }),
  }
}

function readOptions(reader: StatementReader): Options {
  const { tokens } = reader
  const options: Options = {}
  for (;;) {
    const { start } = tokens.peek()
    const once = <K extends keyof Options>(key: K, clause: string, value: Options[K]): void => {
      if (options[key] !== undefined) throw reader.error(start, 'DUPLICATE_CLAUSES', { clause })
      options[key] = value
    }
    if (tokens.takeWord('FULL')) once('type', 'LITE/FULL', 'full')
    else if (tokens.takeWord('LITE')) once('type', 'LITE/FULL', 'lite')
    else if (tokens.takeWords('DRY', 'RUN')) once('dryRun', 'DRY RUN', true)
    else if (tokens.takeWord('RETAIN')) once('retainHours', 'RETAIN', readHours(reader))
    else if (tokens.takeWords('USING', 'INVENTORY')) once('inventory', 'USING INVENTORY', readInventory(reader))
    else return options
    if (options.type !== undefined && options.inventory !== undefined) {
      throw reader.error(start, '_LEGACY_ERROR_TEMP_0035', { what: 'an inventory beside LITE or FULL' })
    }
  }
}

function readHours({ tokens }: StatementReader): number {
  const negative = tokens.takeOperator('-')
  const token = tokens.peek()
  if (token.kind !== 'number' || !/^[\d.]+$/.test(token.text)) throw tokens.unexpected('a number of hours')
  tokens.next()
  tokens.expectWord('HOURS')
  return Number(token.text) * (negative ? -1 : 1)
}

function readInventory(reader: StatementReader): TableTarget | QueryText {
  return reader.tokens.atOperator('(') ? reader.bracketedQuery() : reader.table()
}
