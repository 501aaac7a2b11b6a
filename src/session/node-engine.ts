/**
 * The engine of Node: DuckDB, with small logs kept in TypeScript, each loaded when it is first needed.
 *
 * A checkpoint of some megabytes is read sooner by the Parquet layer than DuckDB loads, so commands about the log of
 * such a table never load it. Rows always move through DuckDB.
 */
import type { DuckDbOptions } from '../engine/duckdb/index.ts'
import type { Engine } from '../engine/index.ts'
import { assert } from '../errors/index.ts'
import { arrayFileIndex, type LogEngine } from '../kernel/index.ts'

/** bytes of a checkpoint up to which replay stays in TypeScript: about half a second of decoding */
const SMALL_CHECKPOINT_BYTES = 1_000_000

export function nodeEngine(options: DuckDbOptions = {}): Engine {
  let loaded: Promise<Engine> | undefined
  const duckdb = () =>
    (loaded ??= import('../engine/duckdb/index.ts').then(({ duckdbEngine }) => duckdbEngine(options)))
  const logEngineFor = async (files: readonly { readonly size: number }[]): Promise<LogEngine> => {
    const size = files.reduce((sum, file) => sum + file.size, 0)
    if (size > SMALL_CHECKPOINT_BYTES) return await duckdb()
    const { jsLogEngine } = await import('../engine/js/index.ts')
    return jsLogEngine
  }
  return {
    name: 'duckdb',
    async *scan(plan, call) {
      yield* (await duckdb()).scan(plan, call)
    },
    count: async (plan, call) => (await duckdb()).count(plan, call),
    async *findRows(plan, call) {
      yield* (await duckdb()).findRows(plan, call)
    },
    write: async (source, plan, call) => (await duckdb()).write(source, plan, call),
    stage: async (source, call) => (await duckdb()).stage(source, call),
    async query(sql, views, call) {
      const engine = await duckdb()
      assert(engine.query !== undefined, 'DuckDB answers queries')
      return await engine.query(sql, views, call)
    },
    async queryNeeds(sql, call) {
      const engine = await duckdb()
      return (await engine.queryNeeds?.(sql, call)) ?? { predicates: new Map() }
    },
    async openFileIndex(source) {
      if (source.checkpoint.length === 0) return await arrayFileIndex(source, noCheckpoint)
      return await (await logEngineFor(source.checkpoint)).openFileIndex(source)
    },
    async *readCheckpoint(store, files, kinds, call) {
      yield* (await logEngineFor(files)).readCheckpoint(store, files, kinds, call)
    },
    writeCheckpoint: async (store, key, actions, write) => (await duckdb()).writeCheckpoint(store, key, actions, write),
    async close() {
      await (await loaded)?.close()
    },
  }
}

async function* noCheckpoint(): AsyncGenerator<never> {}
