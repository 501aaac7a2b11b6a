/** DELETE and TRUNCATE TABLE: the number of rows that went. */
import { deltaError } from '../../errors/index.ts'
import { countsResult, NO_ROWS } from '../result.ts'
import { unqualified } from './alias.ts'
import type { Execute } from './statement-context.ts'

/** @throws DeltaError what `DeltaTable.delete` throws */
export const executeDelete: Execute<'delete'> = async (statement, context) => {
  const { where } = statement
  const result = await context.backend.execute(
    {
      kind: 'delete',
      table: { location: context.locate(statement.table) },
      ...(where !== undefined && { where: unqualified(context.atTime(where), statement) }),
      ...context.settings.commit,
      ...context.settings.concurrency,
      ...context.settings.transaction,
    },
    context.options,
  )
  return countsResult({ num_affected_rows: result.numAffectedRows }, result.skipped)
}

/** @throws DeltaError `DELTA_TRUNCATE_TABLE_PARTITION_NOT_SUPPORTED` for one partition */
export const executeTruncate: Execute<'truncate table'> = async ({ table, partition }, context) => {
  if (partition !== undefined) {
    throw deltaError('DELTA_TRUNCATE_TABLE_PARTITION_NOT_SUPPORTED', {})
  }
  const { commit, transaction } = context.settings
  const command = { kind: 'delete', table: { location: context.locate(table) }, truncates: true } as const
  await context.backend.execute({ ...command, ...commit, ...transaction }, context.options)
  return NO_ROWS
}
