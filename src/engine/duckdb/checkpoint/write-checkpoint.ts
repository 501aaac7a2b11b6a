/**
 * Actions into one Parquet file that other readers understand.
 *
 * The actions go through a temporary file of JSON lines, so that memory holds one page of them and DuckDB's row group.
 * A key that is absent becomes a struct that is really null. Source: Delta protocol, "Checkpoint Schema".
 */

import { once } from 'node:events'
import { createWriteStream, readFileSync, rmSync, statSync } from 'node:fs'
import { assert } from '../../../errors/index.ts'
import { type Action, type CheckpointWriteOptions, printAction } from '../../../kernel/index.ts'
import type { ObjectStore } from '../../../storage/index.ts'
import type { DuckDatabase } from '../instance.ts'
import { quoteIdent, quoteLiteral } from '../sql-text.ts'
import { actionType, type CheckpointKind } from './action-columns.ts'

const V1: readonly CheckpointKind[] = ['txn', 'add', 'remove', 'metaData', 'protocol', 'domainMetadata']
const V2: readonly CheckpointKind[] = [...V1, 'checkpointMetadata', 'sidecar']

/** Rows of a row group; bounds what the writer holds in memory. */
const ROW_GROUP_ROWS = 50_000
/** One action may be as long as this: a schema, or statistics of very many columns. */
const MAX_ACTION_BYTES = 256 * 1024 * 1024

/** `LogEngine.writeCheckpoint` by DuckDB. */
export async function writeCheckpoint(
  database: DuckDatabase,
  store: ObjectStore,
  key: string,
  write: { readonly actions: AsyncIterable<readonly Action[]>; readonly options: CheckpointWriteOptions },
): Promise<{ size: number; numActions: number }> {
  const lines = database.tempFile('.ndjson')
  const parquet = database.tempFile('.parquet')
  try {
    const kinds = write.options.content === 'v2' ? V2 : V1
    const numActions = await writeLines(lines, write.actions, kinds)
    await database.withSession((session) => session.run(copyStatement(lines, parquet, kinds)))
    const size = statSync(parquet).size
    await store.put(key, readFileSync(parquet))
    return { size, numActions }
  } finally {
    rmSync(lines, { force: true })
    rmSync(parquet, { force: true })
  }
}

async function writeLines(
  path: string,
  pages: AsyncIterable<readonly Action[]>,
  kinds: readonly CheckpointKind[],
): Promise<number> {
  const stream = createWriteStream(path)
  let count = 0
  for await (const page of pages) {
    if (page.length === 0) continue
    for (const action of page)
      assert(
        kinds.some((kind) => kind in action),
        `a checkpoint holds ${Object.keys(action)}`,
      )
    count += page.length
    const text = `${page.map(printAction).join('\n')}\n`
    if (!stream.write(text)) await once(stream, 'drain')
  }
  stream.end()
  await once(stream, 'finish')
  return count
}

function copyStatement(lines: string, parquet: string, kinds: readonly CheckpointKind[]): string {
  const types = kinds.map((kind) => `${quoteLiteral(kind)}: ${quoteLiteral(actionType(kind))}`)
  const columns = kinds.map(quoteIdent).join(', ')
  return `COPY (SELECT ${columns} FROM read_json(${quoteLiteral(lines)}, format='newline_delimited',
    maximum_object_size=${MAX_ACTION_BYTES}, columns={${types.join(', ')}}))
    TO ${quoteLiteral(parquet)} (FORMAT parquet, COMPRESSION snappy, ROW_GROUP_SIZE ${ROW_GROUP_ROWS})`
}
