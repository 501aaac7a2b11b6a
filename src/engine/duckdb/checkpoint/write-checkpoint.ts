/**
 * Actions into one Parquet file that other readers understand.
 *
 * The actions go through a temporary file of JSON lines, so that memory holds one page of them and DuckDB's row group.
 * A key that is absent becomes a struct that is really null. Source: Delta protocol, "Checkpoint Schema".
 */

import { once } from 'node:events'
import { createWriteStream, readFileSync, rmSync, statSync } from 'node:fs'
import { assert } from '../../../errors/index.ts'
import type { Action, CheckpointStatistics, CheckpointWriteOptions } from '../../../kernel/index.ts'
import type { ObjectStore } from '../../../storage/index.ts'
import type { DuckDatabase } from '../instance.ts'
import { quoteIdent, quoteLiteral } from '../sql-text.ts'
import { actionType, type CheckpointKind } from './action-columns.ts'
import { addType, printer } from './typed-statistics.ts'

const V1: readonly CheckpointKind[] = ['txn', 'add', 'remove', 'metaData', 'protocol', 'domainMetadata']
const KINDS: Readonly<Record<CheckpointWriteOptions['content'], readonly CheckpointKind[]>> = {
  v1: V1,
  v2: [...V1, 'checkpointMetadata', 'sidecar'],
  sidecar: ['add', 'remove'],
}

/** Rows of a row group; bounds what the writer holds in memory. */
const ROW_GROUP_ROWS = 50_000
/** DuckDB allots buffers by the longest object it is told of; this much always. */
const MIN_OBJECT_BYTES = 1024 * 1024

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
    const { content, statistics = { text: true } } = write.options
    const kinds = KINDS[content]
    const { numActions, longest } = await writeLines(lines, write.actions, { kinds, print: printer(statistics) })
    const statement = copyStatement(lines, { parquet, kinds, longest, statistics })
    await database.withSession((session) => session.run(statement))
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
  { kinds, print }: { readonly kinds: readonly CheckpointKind[]; readonly print: (action: Action) => string },
): Promise<{ numActions: number; longest: number }> {
  const stream = createWriteStream(path)
  let numActions = 0
  let longest = 0
  for await (const page of pages) {
    if (page.length === 0) continue
    for (const action of page)
      assert(
        kinds.some((kind) => kind in action),
        `a checkpoint holds ${Object.keys(action)}`,
      )
    numActions += page.length
    const printed = page.map(print)
    for (const line of printed) longest = Math.max(longest, line.length * MAX_UTF8_BYTES)
    const text = `${printed.join('\n')}\n`
    if (!stream.write(text)) await once(stream, 'drain')
  }
  stream.end()
  await once(stream, 'finish')
  return { numActions, longest }
}

/** Bytes one UTF-16 unit takes at most. */
const MAX_UTF8_BYTES = 3

interface CopyOptions {
  readonly parquet: string
  readonly kinds: readonly CheckpointKind[]
  readonly longest: number
  readonly statistics: CheckpointStatistics
}

function copyStatement(lines: string, { parquet, kinds, longest, statistics }: CopyOptions): string {
  const types = kinds.map(
    (kind) => `${quoteLiteral(kind)}: ${quoteLiteral(kind === 'add' ? addType(statistics) : actionType(kind))}`,
  )
  const columns = kinds.map(quoteIdent).join(', ')
  return `COPY (SELECT ${columns} FROM read_json(${quoteLiteral(lines)}, format='newline_delimited',
    maximum_object_size=${Math.max(MIN_OBJECT_BYTES, 2 * longest)}, columns={${types.join(', ')}}))
    TO ${quoteLiteral(parquet)} (FORMAT parquet, COMPRESSION snappy, ROW_GROUP_SIZE ${ROW_GROUP_ROWS})`
}
