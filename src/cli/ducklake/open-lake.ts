/** A lake, or a table of it, for one command. */
import { openLocation } from '../../catalog/index.ts'
import { Lake, type LakeSnapshot, type LakeTable } from '../../ducklake/index.ts'
import { deltaError } from '../../errors/index.ts'
import type { CliContext } from '../cli-command.ts'
import { duckDbOptions } from '../globals.ts'
import { parseLakeAddress } from './lake-address.ts'

export interface LakeReadOptions {
  readonly version?: number
  readonly timestamp?: string
  readonly dataPath?: string
}

export interface OpenedTable {
  readonly lake: Lake
  readonly snapshot: LakeSnapshot
  readonly table: LakeTable
}

/** Opens the lake of an address, does the work and closes it. */
export async function withLake<T>(
  location: string,
  { dataPath }: LakeReadOptions,
  context: CliContext,
  work: (lake: Lake, table: string | undefined) => Promise<T>,
): Promise<T> {
  const address = parseLakeAddress(location)
  const engine = duckDbOptions(context.globals)
  const lake = await Lake.open({ catalog: address.place, dataPath, openStore: openLocation, engine })
  try {
    return await work(lake, address.table)
  } finally {
    await lake.close()
  }
}

/** The same with the table that the address must name, at the snapshot the options name. */
export async function withLakeTable<T>(
  location: string,
  options: LakeReadOptions,
  context: CliContext,
  work: (opened: OpenedTable) => Promise<T>,
): Promise<T> {
  return await withLake(location, options, context, async (lake, name) => {
    const snapshot = await lake.snapshot(options)
    if (name === undefined) {
      const names = (await snapshot.tables()).map((table) => table.name)
      const advice = `add #schema.table to it; its tables are: ${names.join(', ') || 'none'}`
      throw deltaError('LAKE_USAGE', { problem: `${location} names no table`, advice })
    }
    return await work({ lake, snapshot, table: await snapshot.table(name) })
  })
}
