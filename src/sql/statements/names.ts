/** DROP TABLE lets go of a name; CHECKPOINT TABLE writes a checkpoint. */
import { deltaError } from '../../errors/index.ts'
import { NO_ROWS } from '../result.ts'
import type { Execute } from './statement-context.ts'

/** The name goes; log and files stay, as they do for any table that lies where its user put it. */
export const executeDropTable: Execute<'drop table'> = async ({ table, ifExists }, context) => {
  if (context.forget(table) || ifExists) return NO_ROWS
  const name = 'parts' in table ? table.parts.join('.') : 'the table'
  throw deltaError('DELTA_TABLE_NOT_FOUND', { path: name, reason: 'no table of this session has the name' })
}

export const executeCheckpoint: Execute<'checkpoint'> = async ({ table }, context) => {
  await context.backend.execute({ kind: 'checkpoint', table: { location: context.locate(table) } }, context.options)
  return NO_ROWS
}
