/** What the ways of writing share: the write under way, and columns of a source as columns of the table. */
import { deltaError } from '../../../errors/index.ts'
import { findField, type StructType } from '../../../schema/index.ts'
import type { WritePlan } from '../../index.ts'
import type { DuckDatabase, DuckSession, QueryOptions } from '../instance.ts'
import { convertSql } from '../values/convert.ts'
import { type Naming, sqlType } from '../values/sql-type.ts'
import type { FileWriter } from './file-writer.ts'

/** One write under way. */
export interface WriteJob {
  readonly database: DuckDatabase
  readonly session: DuckSession
  readonly writer: FileWriter
  readonly plan: WritePlan
  readonly options: QueryOptions
  /** tells the caller how far the write is */
  report(): void
}

export interface SourceCounts {
  readonly numFiltered: number
  readonly numRejected: number
  readonly numIgnoredFields?: number
}

/**
 * The SELECT list that turns columns of a source into the `d<ordinal>` of a table, matched by name; absent ones are null.
 *
 * @param columnSql SQL of the source's column
 */
export function tableColumns(
  source: { readonly schema: StructType; readonly naming: Naming; columnSql(ordinal: number): string },
  { layout }: WritePlan,
): string {
  const outputs: string[] = []
  for (const [ordinal, field] of layout.schema.fields.entries()) {
    if (field.type.kind === 'void') continue
    const given = findField(source.schema, field.name)
    const sql =
      given === undefined || given.type.kind === 'void'
        ? `NULL::${sqlType(field.type, layout)}`
        : convertSql(
            source.columnSql(source.schema.fields.indexOf(given)),
            { type: given.type, naming: source.naming },
            { type: field.type, naming: layout },
          )
    outputs.push(`${sql} AS d${ordinal}`)
  }
  refuseUnknown(source.schema, layout.schema)
  return outputs.join(', ')
}

function refuseUnknown(source: StructType, table: StructType): void {
  const unknown = source.fields.find((f) => findField(table, f.name) === undefined)
  if (unknown === undefined) return
  throw deltaError('LAKE_INTERNAL', { what: `the column ${unknown.name} of the rows is a column of the table` })
}
