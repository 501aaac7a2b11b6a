/** FSCK REPAIR TABLE: a row for each thing that is wrong; with DRY RUN nothing is put right. */
import { booleanType, field, stringType, structType } from '../../schema/index.ts'
import { rowsResult } from '../result.ts'
import type { Execute } from './statement-context.ts'

const PROBLEMS = structType([
  field('kind', stringType),
  field('path', stringType),
  field('problem', stringType),
  field('repair', stringType),
  field('repaired', booleanType),
])

/** @throws DeltaError what `DeltaTable.fsck` throws */
export const executeFsck: Execute<'fsck'> = async ({ table, dryRun }, context) => {
  const command = { kind: 'fsck', table: { location: context.locate(table) }, repair: !dryRun } as const
  const { problems, repairedVersion } = await context.backend.execute(command, context.options)
  return rowsResult(
    PROBLEMS,
    problems.map(({ kind, path, problem, repair }) => [
      kind,
      path,
      problem,
      repair,
      repair !== null && repairedVersion !== null,
    ]),
  )
}
