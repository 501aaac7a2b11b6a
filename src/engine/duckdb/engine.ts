/** The engine of Node: DuckDB behind the port. */
import type { Engine } from '../index.ts'
import { readFooter, readSchemas } from '../pruning/index.ts'
import { readCheckpoint, writeCheckpoint } from './checkpoint/index.ts'
import { exportRows } from './export/export-rows.ts'
import { duckdbFileIndex } from './file-index/index.ts'
import { DuckDatabase, type DuckDbOptions } from './instance.ts'
import { stage } from './join/stage.ts'
import { describeQuery, explainQuery, query } from './query/query.ts'
import { statementNeeds } from './query/statement-needs.ts'
import { findRows } from './scan/find-rows.ts'
import { count, scan } from './scan/scan.ts'
import { write } from './write/write.ts'

/**
 * An engine that moves rows with DuckDB.
 *
 * Nothing is loaded before the first row moves. All work shares one instance and so one memory limit; spilled and
 * temporary files lie in a folder of the process that `close` removes.
 */
export function duckdbEngine(options: DuckDbOptions = {}): Engine {
  const database = new DuckDatabase(options)
  return {
    name: 'duckdb',
    readFooter,
    scan: (plan, call) => scan(database, plan, call),
    exportRows: (plan, format, call) => exportRows(database, plan, format, call),
    count: (plan, call) => count(database, plan, call),
    readSchemas,
    findRows: (plan, call) => findRows(database, plan, call),
    query: (sql, views, call) => query(database, sql, views, call),
    describeQuery: (sql, views, call) => describeQuery(database, sql, views, call),
    explainQuery: (sql, views, call) => explainQuery(database, sql, views, call),
    queryNeeds: (sql) => database.withSession((session) => statementNeeds(session, sql)),
    stage: (source, call) => stage(database, source, call),
    write: (source, plan, call) => write(database, source, plan, call),
    openFileIndex: (source) => duckdbFileIndex(database, source),
    readCheckpoint: (store, files, kinds, call) => readCheckpoint(database, store, files, kinds, call),
    writeCheckpoint: (store, key, actions, options) => writeCheckpoint(database, store, key, { actions, options }),
    close: () => database.close(),
  }
}
