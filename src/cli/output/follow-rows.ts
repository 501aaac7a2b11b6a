/** Rows of a table as they come, one JSON object a line. */

import { rowsOf } from '../../engine/index.ts'
import { deltaError } from '../../errors/index.ts'
import { rowToJson } from '../../schema/index.ts'
import type { DeltaTable, FollowOptions } from '../../table/index.ts'
import type { Output } from './output.ts'

/** What `--follow` does not go with: it says where rows end, and these do not end, or what a feed does not have. */
const UNENDING = ['version', 'timestamp', 'limit', 'output', 'rowIds'] as const

/** @throws DeltaError `LAKE_USAGE` for an option that does not go with `--follow` */
export function refuseEnds(options: Readonly<Partial<Record<(typeof UNENDING)[number] | 'format', unknown>>>): void {
  const given = UNENDING.find((name) => options[name] !== undefined)
  const format = options.format !== undefined && options.format !== 'ndjson'
  if (given === undefined && !format) return
  const option = (given ?? 'format').replace('rowIds', 'row-ids')
  const problem = `--${option} does not go with --follow, which prints NDJSON until it is interrupted`
  throw deltaError('LAKE_USAGE', { problem, advice: `leave out --${option}` })
}

/** Prints what the table holds, then what it gains; each batch is out before the next is looked for. */
export async function followRows(table: DeltaTable, options: FollowOptions, output: Output): Promise<void> {
  for await (const micro of table.follow(options)) {
    for await (const batch of micro.batches()) {
      for (const row of rowsOf(batch)) await output.line(rowToJson(row, batch.schema))
    }
    await output.flush()
  }
}
