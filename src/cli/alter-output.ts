/** What a change of a table came to, in one line. */
import type { AlterResult } from '../operations/index.ts'
import type { CliContext } from './cli-command.ts'

export async function tellVersion({ version }: AlterResult, { globals, output }: CliContext): Promise<void> {
  if (globals.json) return await output.line(JSON.stringify({ version }))
  await output.line(version === null ? 'the table is that way already' : `version ${version}`)
}
