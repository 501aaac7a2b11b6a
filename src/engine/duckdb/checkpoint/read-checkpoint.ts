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
import { type CheckpointKind, isCheckpointKind } from './action-columns.ts'
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
  for (const column of columns) {
    const sql = `SELECT ${column.json}::VARCHAR FROM ${group.source} WHERE ${column.isPresent}`
    try {
      for await (const chunk of session.stream(sql, { signal, what: `reading ${key}` })) {
        yield chunk.getColumnValues(0).map((json) => parseMember(column.kind, json))
      }
    } catch (cause) {
      throw unreadable(key, cause)
    }
  }
}

function parseMember(kind: CheckpointKind, json: unknown): Action {
  assert(typeof json === 'string', 'an action that is present has a JSON text')
  return parseAction({ [kind]: parseJson(json) })
}
