/**
 * The engine of Node: DuckDB, with small logs kept in TypeScript.
 *
 * A checkpoint of some megabytes is read sooner by the Parquet layer than DuckDB loads, so commands about the log of
 * such a table never load it. Rows always move through DuckDB.
 */
import { type DuckDbOptions, duckdbEngine } from '../engine/duckdb/index.ts'
import type { Engine } from '../engine/index.ts'
import { jsLogEngine } from '../engine/js/index.ts'

/** bytes of a checkpoint up to which replay stays in TypeScript: about half a second of decoding */
const SMALL_CHECKPOINT_BYTES = 1_000_000

export function nodeEngine(options: DuckDbOptions = {}): Engine {
  const duckdb = duckdbEngine(options)
  const logEngineFor = (files: readonly { readonly size: number }[]) => {
    const size = files.reduce((sum, file) => sum + file.size, 0)
    return size <= SMALL_CHECKPOINT_BYTES ? jsLogEngine : duckdb
  }
  return {
    name: duckdb.name,
    scan: (plan, call) => duckdb.scan(plan, call),
    count: (plan, call) => duckdb.count(plan, call),
    write: (source, plan, call) => duckdb.write(source, plan, call),
    ...(duckdb.query && { query: duckdb.query }),
    openFileIndex: (source) => logEngineFor(source.checkpoint).openFileIndex(source),
    readCheckpoint: (store, files, kinds) => logEngineFor(files).readCheckpoint(store, files, kinds),
    writeCheckpoint: (store, key, actions, write) => duckdb.writeCheckpoint(store, key, actions, write),
    close: () => duckdb.close(),
  }
}
