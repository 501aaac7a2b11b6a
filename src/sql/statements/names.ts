/** DROP TABLE lets go of a name; CHECKPOINT TABLE writes a checkpoint. */
import { deltaError } from '../../errors/index.ts'
import type { ObjectStore } from '../../storage/index.ts'
import { NO_ROWS } from '../result.ts'
import type { Execute } from './statement-context.ts'

/** The name goes. Files of a table go with it that was made without a place of its own; others stay where they are. */
export const executeDropTable: Execute<'drop table'> = async ({ table, ifExists }, context) => {
  const dropped = await context.forget(table)
  if (dropped?.managed) await deleteFiles(await context.openStore(dropped.location))
  if (dropped !== undefined || ifExists) return NO_ROWS
  const name = 'parts' in table ? table.parts.join('.') : 'the table'
  throw deltaError('DELTA_TABLE_NOT_FOUND', { path: name, reason: 'no table of this session has the name' })
}

/** The log goes first, so that a drop that is cut short leaves no table with files missing. */
async function deleteFiles(store: ObjectStore): Promise<void> {
  const log: string[] = []
  const data: string[] = []
  for await (const page of store.list({ prefix: '' })) {
    for (const { key } of page) (key.startsWith('_delta_log/') ? log : data).push(key)
  }
  for (const key of [...log, ...data]) await store.delete(key)
  await deleteFolders(store)
}

/** Folders that are empty now, and those that become so. */
async function deleteFolders(store: ObjectStore): Promise<void> {
  for (let deleted = 1; deleted > 0 && store.emptyFolders !== undefined; ) {
    deleted = 0
    for await (const page of store.emptyFolders({ prefix: '' })) {
      for (const { key } of page) if (await store.deleteEmptyFolder?.(key)) deleted++
    }
  }
}

export const executeCheckpoint: Execute<'checkpoint'> = async ({ table }, context) => {
  await context.backend.execute({ kind: 'checkpoint', table: { location: context.locate(table) } }, context.options)
  return NO_ROWS
}
