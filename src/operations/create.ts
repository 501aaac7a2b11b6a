/** Makes an empty table. */

import { isDeltaError } from '../errors/index.ts'
import { createTable, requireCommitted } from '../kernel/index.ts'
import type { CreateCommand, CreateResult } from './command.ts'
import { signed } from './commit.ts'
import type { OperationContext } from './context.ts'

/**
 * @throws DeltaError `DELTA_TABLE_ALREADY_EXISTS`, `DELTA_DUPLICATE_COLUMNS_FOUND`,
 * `DELTA_INVALID_CHARACTERS_IN_COLUMN_NAMES`, `DELTA_CANNOT_USE_ALL_COLUMNS_FOR_PARTITION`, `DELTA_UNKNOWN_CONFIGURATION`
 */
export async function executeCreate(command: CreateCommand, context: OperationContext): Promise<CreateResult> {
  if (command.ifExists === 'ignore' && (await context.exists())) return await existing(context)
  const { store, engine, clock, options } = context
  const { schema, partitionBy = [], properties = new Map(), name, description } = command
  const outcome = await createTable(
    store,
    engine,
    {
      schema,
      partitionColumns: partitionBy,
      configuration: properties,
      ...(name !== undefined && { name }),
      ...(description !== undefined && { description }),
    },
    {
      ...signed(context, { operation: 'CREATE TABLE', operationParameters: createParameters(command) }),
      clock,
      ...(options.signal && { signal: options.signal }),
    },
  )
  if (
    outcome.kind === 'conflict' &&
    command.ifExists === 'ignore' &&
    isDeltaError(outcome.error, 'DELTA_TABLE_ALREADY_EXISTS')
  ) {
    return await existing(context)
  }
  return { created: true, version: requireCommitted(outcome) }
}

async function existing(context: OperationContext): Promise<CreateResult> {
  return await context.withSnapshot(undefined, async ({ version }) => ({ created: false, version }))
}

/** As the reference writes them: JSON in texts, the description bare or null. */
function createParameters({ partitionBy = [], properties = new Map(), description }: CreateCommand) {
  return {
    partitionBy: JSON.stringify(partitionBy),
    clusterBy: '[]',
    description: description ?? null,
    isManaged: 'false',
    properties: JSON.stringify(Object.fromEntries(properties)),
  }
}
