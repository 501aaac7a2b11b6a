/** What a table holds, for tests of the worker. */
import { duckdbEngine } from '../../src/engine/duckdb/index.ts'
import { type Commit, loadSnapshot, planScan, readCommit, type Snapshot } from '../../src/kernel/index.ts'
import { type Row, rowToJson } from '../../src/schema/index.ts'
import { localStore } from '../../src/storage/fs/index.ts'
import type { ObjectStore } from '../../src/storage/index.ts'

export interface TableContents {
  readonly snapshot: Snapshot
  readonly numFiles: number
  readonly commits: readonly Commit[]
  readonly rows: readonly Row[]
  /** the rows as NDJSON, sorted */
  readonly lines: readonly string[]
}

/** @param table a folder, or its store */
export async function readTable(table: string | ObjectStore): Promise<TableContents> {
  const engine = duckdbEngine({})
  const store = typeof table === 'string' ? localStore(table) : table
  try {
    const snapshot = await loadSnapshot(store, engine)
    const files = await planScan(snapshot)
    const columns = snapshot.schema.fields.map((_, i) => i)
    const rows: Row[] = []
    for await (const batch of engine.scan({ store, layout: snapshot.layout, files, columns })) {
      const values = columns.map((i) => batch.column(i))
      for (let row = 0; row < batch.numRows; row++) rows.push(values.map((column) => column[row] ?? null))
    }
    const commits: Commit[] = []
    for (let version = 0; version <= snapshot.version; version++) commits.push(await readCommit(store, version))
    const { length: numFiles } = files
    return { snapshot, numFiles, commits, rows, lines: rows.map((row) => rowToJson(row, snapshot.schema)).sort() }
  } finally {
    await engine.close()
  }
}
