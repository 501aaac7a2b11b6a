/** CONVERT TO DELTA: a folder of Parquet files becomes a table where it lies. */
import { deltaError } from '../../errors/index.ts'
import type { TableName } from '../parser/index.ts'
import { NO_ROWS } from '../result.ts'
import type { Execute, StatementContext } from './statement-context.ts'

/** @throws DeltaError what `convertToDelta` throws; `LAKE_STATEMENT_UNSUPPORTED` for formats other than Parquet */
export const executeConvert: Execute<'convert'> = async (statement, context) => {
  const { source, partitionedBy, collectStatistics } = statement
  await context.backend.execute(
    {
      kind: 'convert',
      table: { location: locationOf(source, context) },
      collectStatistics,
      ...(partitionedBy !== undefined && { partitionBy: partitionedBy }),
      ...context.settings.commit,
    },
    context.options,
  )
  return NO_ROWS
}

function locationOf(source: TableName, context: StatementContext): string {
  const [format, path] = source.parts
  if (source.isPath || path === undefined || format?.toLowerCase() === 'delta') return context.locate(source)
  if (source.parts.length === 2 && format?.toLowerCase() === 'parquet') return path
  if (['iceberg', 'csv', 'json', 'orc', 'avro'].includes(String(format).toLowerCase())) {
    throw deltaError('LAKE_STATEMENT_UNSUPPORTED', { statement: `CONVERT TO DELTA of the format ${format}` })
  }
  return context.locate(source)
}
