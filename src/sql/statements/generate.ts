/** GENERATE symlink_format_manifest. */
import { NO_ROWS } from '../result.ts'
import type { Execute } from './statement-context.ts'

/** @throws DeltaError what `DeltaTable.generate` throws */
export const executeGenerate: Execute<'generate'> = async ({ mode, table }, context) => {
  const command = { kind: 'generate', table: { location: context.locate(table) }, mode } as const
  await context.backend.execute(command, context.options)
  return NO_ROWS
}
