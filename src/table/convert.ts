/** How a folder of Parquet files becomes a table, in the words of a program. */
import { parseTableSchema } from '../expressions/index.ts'
import type { CommandOptions, ConvertCommand, TableRef } from '../operations/index.ts'
import { type Properties, propertyMap } from './options.ts'

export interface ConvertOptions extends CommandOptions {
  /** the columns that folders `name=value` stand for, with their types: `'country STRING, day DATE'` */
  readonly partitionBy?: string
  /** false: files get no statistics, and readers skip none of them */
  readonly statistics?: boolean
  readonly properties?: Properties
  readonly userMetadata?: string
}

export function convertCommand(
  table: TableRef,
  { partitionBy, statistics, properties, userMetadata }: ConvertOptions,
): ConvertCommand {
  return {
    kind: 'convert',
    table,
    ...(partitionBy !== undefined && { partitionBy: parseTableSchema(partitionBy).fields }),
    ...(statistics !== undefined && { collectStatistics: statistics }),
    ...(properties !== undefined && { properties: propertyMap(properties) }),
    ...(userMetadata !== undefined && { userMetadata }),
  }
}
