/** `rows`, `count` and `changes` of a table in a lake. */
import { deltaError } from '../../errors/index.ts'
import type { CliContext } from '../cli-command.ts'
import { printRowsToFile, showRows } from '../output/print-rows.ts'
import type { RowFormat } from '../output/row-format.ts'
import { type LakeReadOptions, withLake, withLakeTable } from './open-lake.ts'

export interface LakeRowsOptions extends LakeReadOptions {
  readonly where?: string
  readonly select?: readonly string[]
  readonly rowIds?: boolean
  readonly limit?: number
  readonly output?: string
}

export async function lakeRows(
  location: string,
  format: RowFormat | 'parquet' | 'arrow',
  { output: file, where, select, limit, rowIds, ...options }: LakeRowsOptions,
  context: CliContext,
): Promise<number> {
  return await withLakeTable(location, options, context, async ({ lake, snapshot, table }) => {
    const scan = lake.scan(snapshot, table, {
      form: 'text',
      signal: context.signal,
      ...(where !== undefined && { where }),
      ...(select !== undefined && { select }),
      ...(limit !== undefined && { limit }),
      ...(rowIds && { rowIds }),
    })
    if (format === 'arrow') {
      throw deltaError('LAKE_USAGE', {
        problem: 'rows of a lake are not given in Arrow form',
        advice: 'write --format parquet -o FILE',
      })
    }
    if (format === 'parquet') {
      if (file === undefined) {
        throw deltaError('LAKE_USAGE', { problem: 'rows as Parquet need a file to go to', advice: 'add -o FILE' })
      }
      await scan.writeParquet(file)
    } else if (file === undefined) await showRows(scan, format, context)
    else await printRowsToFile(scan, { format, file, context })
    return 0
  })
}

export async function lakeCount(
  location: string,
  { where, ...options }: LakeReadOptions & { readonly where?: string },
  context: CliContext,
): Promise<number> {
  return await withLakeTable(location, options, context, async ({ lake, snapshot, table }) => {
    const count = await lake.scan(snapshot, table, where === undefined ? {} : { where }).count()
    await context.output.line(context.globals.json ? JSON.stringify({ count }) : String(count))
    return 0
  })
}

export interface LakeChangesOptions {
  readonly from?: number
  readonly to?: number
  readonly fromTimestamp?: string
  readonly toTimestamp?: string
  readonly limit?: number
  readonly dataPath?: string
  readonly output?: string
  readonly where?: unknown
  readonly select?: unknown
}

export async function lakeChanges(
  location: string,
  format: RowFormat,
  options: LakeChangesOptions,
  context: CliContext,
): Promise<number> {
  if (options.where !== undefined || options.select !== undefined) {
    const problem = 'changes of a lake are given whole'
    throw deltaError('LAKE_USAGE', { problem, advice: 'leave --where and --select out, or ask with bayou sql' })
  }
  return await withLake(location, options, context, async (lake, name) => {
    if (name === undefined)
      throw deltaError('LAKE_USAGE', { problem: `${location} names no table`, advice: 'add #schema.table to it' })
    const from = await firstSnapshot()
    const to = (await lake.snapshot({ version: options.to, timestamp: options.toTimestamp })).id
    const { limit } = options
    const changes = await lake.changes(name, { from, to, form: 'text', ...(limit !== undefined && { limit }) })
    if (options.output === undefined) await showRows(changes, format, context)
    else await printRowsToFile(changes, { format, file: options.output, context })
    return 0

    async function firstSnapshot(): Promise<number> {
      if (options.from !== undefined) return options.from
      if (options.fromTimestamp === undefined) {
        throw deltaError('LAKE_USAGE', { problem: 'changes begin at a snapshot', advice: 'add --from N' })
      }
      const since = await lake.snapshot({ timestamp: options.fromTimestamp })
      return since.id
    }
  })
}
