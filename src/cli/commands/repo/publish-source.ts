/** What `repo publish` is to publish, from how it is written. */
import { lakeSource, type PublishSource } from '../../../ducklake/index.ts'
import { deltaError } from '../../../errors/index.ts'
import { isLakeAddress, parseLakeAddress } from '../../ducklake/lake-address.ts'
import { duckDbOptions } from '../../globals.ts'
import { openStoreOf, type RepoCall, required } from './repo-verb.ts'

const CATALOG_FILE = /\.(?:duckdb|ddb|db|sqlite3?|ducklake)$/i

/** @throws DeltaError `LAKE_USAGE` for a source that is nothing this package publishes */
export async function publishSource({ args, options, context }: RepoCall): Promise<PublishSource> {
  const openStore = await openStoreOf(context)
  const engine = duckDbOptions(context.globals)
  const location = required(args[1], 'what to publish')
  const isLake = isLakeAddress(location) || CATALOG_FILE.test(location)
  if (isLake) {
    const catalog = isLakeAddress(location) ? parseLakeAddress(location).place : location
    return lakeSource({ catalog: catalog.replace(/^sqlite:/, ''), dataPath: options.dataPath, openStore, engine })
  }
  throw deltaError('LAKE_USAGE', { problem: `${location} is no DuckLake catalog`, advice: 'name a catalog file' })
}
