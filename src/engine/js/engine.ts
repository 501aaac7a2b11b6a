/** The engine of browsers and tests, in TypeScript alone. */
import type { Compressor } from '../../parquet/index.ts'
import type { Engine } from '../index.ts'
import { readFooter, readSchemas } from '../pruning/index.ts'
import { jsLogEngine } from './log-engine.ts'
import { count, findRows, scan } from './scan.ts'

export interface JsEngineOptions {
  /** compresses a page as one zstd frame; without it files are snappy where zstd is asked for */
  readonly zstd?: Compressor
}

/**
 * An engine for small data that runs wherever JavaScript does.
 *
 * It reads whatever `parquet/` reads, from any store, fetching only the chunks a plan needs. JavaScript has no compressor
 * for zstd of its own: without the option, files that should have it are snappy, which every reader takes. A file is in
 * memory while it is written, a row group while it is read.
 */
export function jsEngine({ zstd }: JsEngineOptions = {}): Engine {
  return {
    name: 'js',
    ...jsLogEngine,
    scan,
    count,
    readFooter,
    readSchemas,
    findRows,
    // what writes is loaded when something is written: a page that only reads goes without
    async stage(source, options) {
      const { stage } = await import('./stage.ts')
      return await stage(source, options)
    },
    async write(source, plan, options) {
      const { write } = await import('./write.ts')
      return await write(source, plan, { ...options, ...(zstd && { zstd }) })
    },
    close: async () => {},
  }
}
