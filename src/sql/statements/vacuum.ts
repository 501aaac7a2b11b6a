/** VACUUM: the table's path, or with DRY RUN a row for each file that would go. */
import type { Batch } from '../../engine/index.ts'
import type { MergeSource, VacuumResult } from '../../operations/index.ts'
import { field, stringType, structType } from '../../schema/index.ts'
import { HOUR_MS } from '../../support/index.ts'
import type { StatementOf } from '../parser/index.ts'
import { rowsResult, type SqlResult } from '../result.ts'
import type { Execute, StatementContext } from './statement-context.ts'
import { printedPath } from './table-path.ts'

const PATHS = structType([field('path', stringType)])
const RETENTION_CHECK = 'spark.databricks.delta.retentionDurationCheck.enabled'

/** @throws DeltaError what `DeltaTable.vacuum` throws */
export const executeVacuum: Execute<'vacuum'> = async (statement, context) => {
  const location = context.locate(statement.table)
  const { type, retainHours, dryRun } = statement
  const inventory = await inventoryOf(statement, context)
  const result = await context.backend.execute(
    {
      kind: 'vacuum',
      table: { location },
      dryRun,
      checkRetention: context.settings.get(RETENTION_CHECK).toLowerCase() === 'true',
      ...(type !== undefined && { type }),
      ...(retainHours !== undefined && { retentionMs: retainHours * HOUR_MS }),
      ...(inventory !== undefined && { inventory }),
    },
    context.options,
  )
  return dryRun ? filesResult(result, location) : rowsResult(PATHS, [[printedPath(location)]])
}

async function inventoryOf(
  { inventory }: StatementOf<'vacuum'>,
  context: StatementContext,
): Promise<MergeSource | undefined> {
  if (inventory === undefined) return undefined
  if ('text' in inventory) return { kind: 'query', ...(await context.readQuery(inventory.text)) }
  return { kind: 'table', table: { location: context.locate(inventory) } }
}

function filesResult(result: VacuumResult, location: string): SqlResult {
  return { schema: PATHS, batches: fileBatches(result, location) }
}

async function* fileBatches(result: VacuumResult, location: string): AsyncGenerator<Batch> {
  for await (const keys of result.files()) {
    yield { schema: PATHS, numRows: keys.length, column: () => keys.map((key) => printedPath(location, key)) }
  }
}
