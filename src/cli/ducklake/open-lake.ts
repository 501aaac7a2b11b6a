/** A lake, or a table of it, for one command. */
import {
  Lake,
  type LakeSnapshot,
  type LakeTable,
  type OpenStore,
  openVersion,
  Repository,
} from '../../ducklake/index.ts'
import type { DuckDbOptions } from '../../engine/duckdb/index.ts'
import { deltaError } from '../../errors/index.ts'
import type { CliContext } from '../cli-command.ts'
import { duckDbOptions } from '../globals.ts'
import { type LakeAddress, parseLakeAddress } from './lake-address.ts'

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
  options: LakeReadOptions,
  context: CliContext,
  work: (lake: Lake, table: string | undefined) => Promise<T>,
): Promise<T> {
  const address = parseLakeAddress(location)
  const { openStore } = await context.session()
  const opened = await openAddress(address, { ...options, openStore, engine: duckDbOptions(context.globals) })
  try {
    return await work(opened.lake, address.table)
  } finally {
    await opened.close()
  }
}

interface Opening extends LakeReadOptions {
  readonly openStore: OpenStore
  readonly engine: DuckDbOptions
}

/** A catalog file, or a version of a repository: what has an fdl.json is one. */
async function openAddress({ place, ref }: LakeAddress, { dataPath, openStore, engine }: Opening) {
  const store = await openStore(place)
  const isRepository =
    ref !== undefined ||
    (await store.head('fdl.json').then(
      () => true,
      () => false,
    ))
  if (isRepository) {
    const repository = await Repository.open(store)
    const version = await repository.version(await repository.resolve(ref), ref ?? 'HEAD')
    return await openVersion(repository, version, { openStore, engine })
  }
  const lake = await Lake.open({ catalog: place, dataPath, openStore, engine })
  return { lake, close: () => lake.close() }
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
