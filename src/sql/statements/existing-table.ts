/** What CREATE TABLE says to a table that lies there already. */
import { deltaError } from '../../errors/index.ts'
import type { CreateCommand } from '../../operations/index.ts'
import { type DataType, printSchema, type StructType, structType } from '../../schema/index.ts'
import type { CreateMode, TableTarget } from '../parser/index.ts'
import type { StatementContext } from './statement-context.ts'

export interface Creation {
  readonly target: TableTarget
  readonly mode: CreateMode
  readonly command: CreateCommand
  /** whether the table is named by its path */
  readonly byPath: boolean
  /** whether the name stands for a table of the session already */
  readonly isNamed: boolean
}

/**
 * Whether the table that lies there is the one that is asked for, so that nothing is to be made.
 *
 * As in the reference, CREATE OR REPLACE of a path replaces nothing: the table must be as the statement says. A new name
 * may be given to such a table by LOCATION. Both hold for statements without a query.
 *
 * @throws DeltaError `TABLE_OR_VIEW_ALREADY_EXISTS`, `DELTA_CREATE_TABLE_SCHEME_MISMATCH`,
 * `DELTA_CREATE_TABLE_WITH_DIFFERENT_PARTITIONING`, `DELTA_CREATE_TABLE_WITH_DIFFERENT_CLUSTERING`,
 * `DELTA_CREATE_TABLE_WITH_DIFFERENT_PROPERTY`
 */
export async function isThereAlready(creation: Creation, context: StatementContext): Promise<boolean> {
  const { command, mode, byPath, isNamed } = creation
  const { table, ifExists, rows } = command
  const isLookedAt = ifExists === 'error' || (mode === 'create or replace' && byPath && rows === undefined)
  if (!isLookedAt || !(await context.backend.execute({ kind: 'exists', table }, context.options))) return false
  if (ifExists === 'error' && (byPath || isNamed || rows !== undefined)) {
    throw deltaError('TABLE_OR_VIEW_ALREADY_EXISTS', { table: table.location })
  }
  await refuseOther(command, context)
  return true
}

async function refuseOther({ table, ...wanted }: CreateCommand, context: StatementContext): Promise<void> {
  const detail = await context.backend.execute({ kind: 'detail', table }, context.options)
  const { schema } = await context.backend.execute({ kind: 'describe', table }, context.options)
  const path = table.location
  if (!sameColumns(schema, wanted.schema!)) throw deltaError('DELTA_CREATE_TABLE_SCHEME_MISMATCH', { path })
  const refuseUnless = (part: 'PARTITIONING' | 'CLUSTERING' | 'PROPERTY', found: string, given: string) => {
    const details = { path, found: found || 'nothing', given: given || 'nothing' }
    if (found !== given) throw deltaError(`DELTA_CREATE_TABLE_WITH_DIFFERENT_${part}`, details)
  }
  refuseUnless('PARTITIONING', detail.partitionColumns.join(', '), (wanted.partitionBy ?? []).join(', '))
  refuseUnless('CLUSTERING', detail.clusteringColumns.join(', '), (wanted.clusterBy ?? []).join(', '))
  const given = propertiesText(wanted.properties ?? new Map())
  if (given !== '') refuseUnless('PROPERTY', propertiesText(detail.properties), given)
}

/** Properties that a statement sets, in one order; those that the table keeps by itself are left out. */
function propertiesText(properties: ReadonlyMap<string, string>): string {
  const told = [...properties].filter(([key]) => !KEPT_BY_TABLE.test(key))
  return told
    .map(([key, value]) => `${key}=${value}`)
    .sort()
    .join(', ')
}

const KEPT_BY_TABLE = /^delta\.(columnMapping\.maxColumnId|minReaderVersion|minWriterVersion|feature\..*)$/i

/** Whether columns are the same, what the table alone knows of them left out. */
function sameColumns(a: StructType, b: StructType): boolean {
  return printSchema(unmapped(a)) === printSchema(unmapped(b))
}

const MAPPING = /^(delta\.columnMapping\.|parquet\.field\.)/

function unmapped({ fields }: StructType): StructType {
  return structType(
    fields.map((field) => {
      const own = Object.entries(field.metadata).filter(([key]) => !MAPPING.test(key))
      return { ...field, type: unmappedType(field.type), metadata: Object.fromEntries(own) }
    }),
  )
}

function unmappedType(type: DataType): DataType {
  if (type.kind === 'struct') return unmapped(type)
  if (type.kind === 'array') return { ...type, element: unmappedType(type.element) }
  return type.kind === 'map' ? { ...type, key: unmappedType(type.key), value: unmappedType(type.value) } : type
}
