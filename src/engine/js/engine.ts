/** The engine of browsers and tests, in TypeScript alone. */
import type { Engine } from '../index.ts'
import { jsLogEngine } from './log-engine.ts'
import { count, findRows, scan } from './scan.ts'
import { stage } from './stage.ts'
import { write } from './write.ts'

/**
 * An engine for small data that runs wherever JavaScript does.
 *
 * It reads whatever `parquet/` reads, from any store, fetching only the chunks a plan needs. Files it writes are snappy
 * where zstd is asked for. A file is in memory while it is written, a row group while it is read.
 */
export function jsEngine(): Engine {
  return { name: 'js', ...jsLogEngine, scan, count, findRows, stage, write, close: async () => {} }
}
