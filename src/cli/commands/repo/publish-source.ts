/** What `repo publish` is to publish, from how it is written. */
import { deltaSource, lakeSource, type PublishSource, parseName, rowsSource } from '../../../ducklake/index.ts'
import { deltaError } from '../../../errors/index.ts'
import { isDeltaTable } from '../../../kernel/index.ts'
import type { ObjectStore } from '../../../storage/index.ts'
import { isLakeAddress, parseLakeAddress } from '../../ducklake/lake-address.ts'
import { duckDbOptions } from '../../globals.ts'
import { clockOf, openStoreOf, type RepoCall, required } from './repo-verb.ts'

const CATALOG_FILE = /\.(?:duckdb|ddb|db|sqlite3?|ducklake)$/i

/** @throws DeltaError `LAKE_USAGE` for a source that is nothing this package publishes */
export async function publishSource({ args, options, context }: RepoCall): Promise<PublishSource> {
  const openStore = await openStoreOf(context)
  const engine = duckDbOptions(context.globals)
  if (options.query !== undefined) {
    return rowsSource({ sql: options.query, name: tableName(required(options.as, '--as'), ''), ...rowsOptions() })
  }
  const location = required(args[1], 'what to publish')
  const isLake = isLakeAddress(location) || CATALOG_FILE.test(location)
  if (isLake) {
    const catalog = isLakeAddress(location) ? parseLakeAddress(location).place : location
    return lakeSource({ catalog: catalog.replace(/^sqlite:/, ''), dataPath: options.dataPath, openStore, engine })
  }
  const store = await openStore(location)
  if (await isDeltaTable(store)) {
    return deltaSource({
      store,
      name: tableName(options.as, location),
      engine,
      ...clockOf(context),
      onNote: (text) => context.note(text),
    })
  }
  const folder = store.localPath === undefined ? undefined : store.location
  if (folder !== undefined && (await holdsParquet(store))) {
    const glob = `${folder.replaceAll("'", "''").replace(/[*?[]/g, (c) => `[${c}]`)}/**/*.parquet`
    const sql = `SELECT * FROM read_parquet('${glob}', union_by_name = true)`
    return rowsSource({ sql, name: tableName(options.as, location), ...rowsOptions() })
  }
  const advice = 'name a catalog file, a Delta table or a folder of Parquet files'
  throw deltaError('LAKE_USAGE', { problem: `${location} is nothing that can be published`, advice })

  function rowsOptions() {
    return { engine, ...clockOf(context), author: options.author, message: options.message }
  }
}

/** `--as schema.table`; the last part of the location in `main` without. */
function tableName(as: string | undefined, location: string): readonly [string, string] {
  const text = as ?? location.replace(/\/+$/, '').split('/').at(-1) ?? ''
  const parts = as === undefined ? [text] : parseName(text)
  if (parts?.length === 1) return ['main', parts[0]!]
  if (parts?.length === 2) return [parts[0]!, parts[1]!]
  throw deltaError('LAKE_USAGE', { problem: `${text} is no name of a table`, advice: 'write --as schema.table' })
}

async function holdsParquet(store: ObjectStore): Promise<boolean> {
  for await (const page of store.list({ prefix: '' })) if (page.some(({ key }) => key.endsWith('.parquet'))) return true
  return false
}
