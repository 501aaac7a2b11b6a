/** The head's catalog as the draft of the next version, or an empty lake where there is no head. */
import { DuckDatabase, type DuckDbOptions } from '../../engine/duckdb/index.ts'
import type { Clock } from '../../support/index.ts'
import type { Lake } from '../lake.ts'
import { Draft } from '../write/draft.ts'
import { bootstrap } from '../write/snapshot-writer.ts'
import { placeFiles } from './place-files.ts'
import type { SourceFile } from './source.ts'

export interface BaseDraft {
  readonly draft: Draft
  /** of the versions before: they lie in the repository */
  readonly files: readonly SourceFile[]
  /** where the files of a table lie below `data/`, with a slash at its end */
  folderOf(tableId: number): Promise<string>
  close(): Promise<void>
}

export async function openBase(
  base: Lake | undefined,
  options: { readonly engine?: DuckDbOptions; readonly clock: Clock },
): Promise<BaseDraft> {
  if (base !== undefined) {
    const draft = await Draft.copyOf(base.catalog)
    const files = await placeFiles(draft, base.access)
    return { draft, files, folderOf: (id) => folderOf(draft, id), close: () => draft.close() }
  }
  const database = new DuckDatabase(options.engine)
  const draft = await Draft.create(await database.acquire())
  await bootstrap(draft, BigInt(Math.floor(options.clock.now())) * 1000n - 1_000_000n)
  const close = async () => {
    await draft.close()
    await database.close()
  }
  return { draft, files: [], folderOf: (id) => folderOf(draft, id), close }
}

async function folderOf(draft: Draft, tableId: number): Promise<string> {
  const [row] = await draft.query(
    `SELECT s.path || t.path FROM ${draft.view('table')} t JOIN ${draft.view('schema')} s USING (schema_id)
     WHERE t.table_id = ${tableId} ORDER BY t.begin_snapshot DESC LIMIT 1`,
  )
  return String(row?.[0] ?? '')
}
