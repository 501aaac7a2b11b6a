/** Actions out of checkpoint files, as the kernel's values. */
import { assert } from '../../../errors/index.ts'
import {
  type Action,
  type ActionKind,
  type CheckpointFile,
  parseAction,
  readJsonCheckpoint,
  type SelectOptions,
} from '../../../kernel/index.ts'
import type { ObjectStore } from '../../../storage/index.ts'
import { parseJson } from '../../../support/index.ts'
import type { DuckDatabase, DuckSession } from '../instance.ts'
import { quoteLiteral } from '../sql-text.ts'
import { type ActionColumn, type CheckpointKind, isCheckpointKind } from './action-columns.ts'
import { type CheckpointGroup, groupByShape, LocalFiles, unreadable } from './checkpoint-files.ts'

/** `LogEngine.readCheckpoint` by DuckDB: only the columns of the wanted kinds are decoded. */
export async function* readCheckpoint(
  database: DuckDatabase,
  store: ObjectStore,
  files: readonly CheckpointFile[],
  kinds: readonly ActionKind[],
  { signal }: SelectOptions = {},
): AsyncGenerator<readonly Action[]> {
  for (const file of files.filter((one) => one.format === 'json')) {
    yield readJsonCheckpoint(store, file, kinds)
  }
  const local = new LocalFiles(database)
  const session = await database.acquire()
  try {
    for (const file of files.filter((one) => one.format === 'parquet')) {
      const opened = { key: file.key, path: await local.open(store, file.key) }
      for (const group of await groupByShape(session, [opened])) {
        yield* readGroup(session, { group, key: file.key, kinds: kinds.filter(isCheckpointKind), signal })
      }
    }
  } finally {
    session.release()
    local.release()
  }
}

interface GroupRead {
  readonly group: CheckpointGroup
  /** the file, for errors */
  readonly key: string
  readonly kinds: readonly CheckpointKind[]
  readonly signal: AbortSignal | undefined
}

async function* readGroup(session: DuckSession, { group, key, kinds, signal }: GroupRead): AsyncGenerator<Action[]> {
  const columns = kinds.flatMap((kind) => group.columns.get(kind) ?? [])
  // one pass a kind: each reads its own columns only, and the footer's counts let row groups without it be skipped
  const holding = await rowsHolding(session, group, columns).catch((cause: unknown) => {
    throw unreadable(key, cause)
  })
  for (const column of columns) {
    const rows = holding.get(column)
    if (rows === 'none') continue
    const within = rows === undefined ? '' : ` AND (${rows})`
    const sql = `SELECT ${column.json}::VARCHAR FROM ${group.source} WHERE ${column.isPresent}${within}`
    try {
      for await (const chunk of session.stream(sql, { signal, what: `reading ${key}` })) {
        yield chunk.getColumnValues(0).map((json) => parseMember(column.kind, json))
      }
    } catch (cause) {
      throw unreadable(key, cause)
    }
  }
}

/**
 * Which rows may hold an action of each column, by the null counts of the footer; columns of which it tells nothing, or
 * that may be anywhere, are left out. DuckDB skips row groups by bare row numbers, not by nulls inside of structs.
 */
async function rowsHolding(
  session: DuckSession,
  group: CheckpointGroup,
  columns: readonly ActionColumn[],
): Promise<ReadonlyMap<ActionColumn, string>> {
  const leaves = columns.map((column) => quoteLiteral(column.presenceLeaf)).join(', ')
  const groups = await session.query(
    `SELECT path_in_schema, row_group_num_rows, coalesce(stats_null_count < num_values, true)
     FROM parquet_metadata(${group.paths}) WHERE path_in_schema IN (${leaves || "''"}) ORDER BY row_group_id`,
  )
  const holding = new Map<ActionColumn, string>()
  for (const column of columns) {
    const own = groups.filter(([leaf]) => leaf === column.presenceLeaf)
    let start = 0n
    const ranges: string[] = []
    for (const [, rows, mayHold] of own) {
      const end = start + (rows as bigint)
      if (mayHold === true) ranges.push(`file_row_number BETWEEN ${start} AND ${end - 1n}`)
      start = end
    }
    if (own.length === 0 || ranges.length === own.length) continue
    holding.set(column, ranges.join(' OR ') || 'none')
  }
  return holding
}

function parseMember(kind: CheckpointKind, json: unknown): Action {
  assert(typeof json === 'string', 'an action that is present has a JSON text')
  return parseAction({ [kind]: parseJson(json) })
}
