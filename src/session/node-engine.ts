/**
 * The engine of Node: DuckDB, with small logs and writes of few rows in TypeScript; each is loaded when first needed.
 *
 * A checkpoint of some megabytes is read sooner by the Parquet layer than DuckDB loads, so commands about the log of
 * such a table never load it. A few rows are in a file before DuckDB has begun a statement. All else moves through DuckDB.
 */
import zlib from 'node:zlib'
import type { DuckDbOptions } from '../engine/duckdb/index.ts'
import type { Engine } from '../engine/index.ts'
import type { JsEngineOptions } from '../engine/js/index.ts'
import { assert } from '../errors/index.ts'
import { arrayFileIndex, type LogEngine } from '../kernel/index.ts'
import { peekPages, weighRow } from './peek-pages.ts'

/** bytes of a checkpoint up to which replay stays in TypeScript: about half a second of decoding */
const SMALL_CHECKPOINT_BYTES = 1_000_000
/** values of rows up to which TypeScript writes them sooner */
const FEW_VALUES = 8000
/** the same for actions of a checkpoint */
const FEW_ACTIONS = 1000

export function nodeEngine(options: DuckDbOptions = {}): Engine {
  let loaded: Promise<Engine> | undefined
  let scripted: Promise<Engine> | undefined
  const duckdb = () =>
    (loaded ??= import('../engine/duckdb/index.ts').then(({ duckdbEngine }) => duckdbEngine(options)))
  const script = () => (scripted ??= import('../engine/js/index.ts').then(({ jsEngine }) => jsEngine(scriptOptions())))
  const logEngineFor = async (files: readonly { readonly size: number }[]): Promise<LogEngine> => {
    const size = files.reduce((sum, file) => sum + file.size, 0)
    if (size > SMALL_CHECKPOINT_BYTES) return await duckdb()
    const { jsLogEngine } = await import('../engine/js/index.ts')
    return jsLogEngine
  }
  return {
    name: 'duckdb',
    readFooter: async (store, file, call) => (await import('../engine/js/index.ts')).readFooter(store, file, call),
    async *scan(plan, call) {
      yield* (await duckdb()).scan(plan, call)
    },
    count: async (plan, call) => (await duckdb()).count(plan, call),
    async *readSchemas(store, files, call) {
      yield* (await import('../engine/js/index.ts')).readSchemas(store, files, call)
    },
    async *findRows(plan, call) {
      yield* (await duckdb()).findRows(plan, call)
    },
    async write(source, plan, call) {
      if (source.kind !== 'rows') return await (await duckdb()).write(source, plan, call)
      const { areFew, pages: rows } = await peekPages(source.rows, FEW_VALUES, weighRow)
      return await (await (areFew ? script() : duckdb())).write({ ...source, rows }, plan, call)
    },
    stage: async (source, call) => (await duckdb()).stage(source, call),
    async query(sql, views, call) {
      const engine = await duckdb()
      assert(engine.query !== undefined, 'DuckDB answers queries')
      return await engine.query(sql, views, call)
    },
    async describeQuery(sql, views, call) {
      const engine = await duckdb()
      assert(engine.describeQuery !== undefined, 'DuckDB describes queries')
      return await engine.describeQuery(sql, views, call)
    },
    async explainQuery(sql, views, call) {
      const engine = await duckdb()
      assert(engine.explainQuery !== undefined, 'DuckDB explains queries')
      return await engine.explainQuery(sql, views, call)
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
    async writeCheckpoint(store, key, actions, write) {
      const { areFew, pages } = await peekPages(actions, FEW_ACTIONS, () => 1)
      return await (await (areFew ? script() : duckdb())).writeCheckpoint(store, key, pages, write)
    },
    async close() {
      await (await loaded)?.close()
    },
  }
}

/** Newer lines of Node come with zstd. */
function scriptOptions(): JsEngineOptions {
  const compress: unknown = Reflect.get(zlib, 'zstdCompressSync')
  return typeof compress === 'function' ? { zstd: (bytes) => compress(bytes) } : {}
}

async function* noCheckpoint(): AsyncGenerator<never> {}
