/** CREATE TABLE, REPLACE TABLE, CREATE TABLE AS SELECT and CREATE TABLE LIKE. */
import { deltaError } from '../../errors/index.ts'
import type { CreateCommand } from '../../operations/index.ts'
import { field, foldCase, type StructField, type StructType, structType } from '../../schema/index.ts'
import type { ColumnDefinition, TableSpec, TableTarget } from '../parser/index.ts'
import { NO_ROWS } from '../result.ts'
import { isThereAlready } from './existing-table.ts'
import type { Execute, StatementContext } from './statement-context.ts'

/**
 * A table is made where LOCATION says, or at its path; its name then stands for that place in the session.
 *
 * @throws DeltaError what `DeltaTable.create` throws; `UNSUPPORTED_FEATURE.TABLE_OPERATION` for constraints;
 * `LAKE_STATEMENT_UNSUPPORTED` for other formats, for transforms in PARTITIONED BY, and for a name without LOCATION
 */
export const executeCreateTable: Execute<'create table'> = async (statement, context) => {
  const { table, mode, ifNotExists, spec, as } = statement
  refuseOtherSpecs(spec)
  const { location, managed } = placeOf(table, spec.location, context)
  const query = as === undefined ? undefined : (await context.rows(as.text)).source
  const columns = spec.columns.length > 0 ? structType(spec.columns.map(columnField)) : undefined
  const schema = columns ?? (query === undefined ? undefined : query.schema)
  if (schema === undefined && mode !== 'create') throw deltaError('DELTA_SCHEMA_NOT_PROVIDED')
  if (query !== undefined) refuseRepeated(query.schema)
  if (
    schema === undefined &&
    (await context.backend.execute({ kind: 'exists', table: { location } }, context.options))
  ) {
    await context.name(table, location, managed)
    return NO_ROWS
  }
  const command: CreateCommand = {
    kind: 'create',
    table: { location },
    schema: schema ?? structType([]),
    ifExists: mode === 'create' ? (ifNotExists ? 'ignore' : 'error') : 'replace',
    properties: spec.properties,
    partitionBy: spec.partitionedBy,
    ...(mode === 'replace' && { mustExist: true }),
    ...(spec.clusterBy !== undefined && { clusterBy: spec.clusterBy }),
    ...(spec.comment !== undefined && { description: spec.comment }),
    ...(query !== undefined && { rows: { kind: 'rows', schema: query.schema, source: query } }),
    ...context.settings.commit,
  }
  const creation = { target: table, mode, command, byPath: isPath(table), isNamed: isNamed(table, context) }
  if (!(await isThereAlready(creation, context))) await context.backend.execute(command, context.options)
  await context.name(table, location, managed)
  return NO_ROWS
}

function refuseRepeated({ fields }: StructType): void {
  const names = fields.map(({ name }) => foldCase(name))
  const twice = names.find((name, i) => names.indexOf(name) < i)
  if (twice !== undefined) throw deltaError('COLUMN_ALREADY_EXISTS', { column: twice })
}

function isPath(table: TableTarget): boolean {
  return 'parts' in table && (table.isPath || table.parts[0]?.toLowerCase() === 'delta')
}

/** @throws DeltaError as `executeCreateTable` */
export const executeCreateLike: Execute<'create table like'> = async (statement, context) => {
  const { table, source, ifNotExists, spec } = statement
  const { location, managed } = placeOf(table, spec.location, context)
  const like = await context.backend.execute(
    { kind: 'describe', table: { location: context.locate(source) } },
    context.options,
  )
  await context.backend.execute(
    {
      kind: 'create',
      table: { location },
      schema: like.schema,
      partitionBy: like.partitionColumns,
      properties: new Map([...like.configuration, ...spec.properties]),
      ifExists: ifNotExists ? 'ignore' : 'error',
      ...context.settings.commit,
    },
    context.options,
  )
  await context.name(table, location, managed)
  return NO_ROWS
}

export interface Place {
  readonly location: string
  readonly managed: boolean
}

/** Where a table is made: LOCATION, its path, where its name stands for already, or the folder of names. */
export function placeOf(table: TableTarget, location: string | undefined, context: StatementContext): Place {
  if (location !== undefined) return { location, managed: false }
  if (isPath(table)) return { location: context.locate(table), managed: false }
  if (isNamed(table, context)) return { location: context.locate(table), managed: isManaged(table, context) }
  const own = context.managedLocation(table)
  if (own !== undefined) return { location: own, managed: true }
  throw deltaError('LAKE_STATEMENT_UNSUPPORTED', {
    statement: 'CREATE TABLE of a name without LOCATION, where no folder of names is given,',
  })
}

function isManaged(table: TableTarget, { tables }: StatementContext): boolean {
  return 'parts' in table && tables.find(table.parts.join('.'))?.managed === true
}

function isNamed(table: TableTarget, { names }: StatementContext): boolean {
  return 'parts' in table && names.some((name) => name.toLowerCase() === table.parts.join('.').toLowerCase())
}

function refuseOtherSpecs(spec: TableSpec): void {
  const refuse = (statement: string): never => {
    throw deltaError('LAKE_STATEMENT_UNSUPPORTED', { statement })
  }
  if ((spec.provider ?? 'delta').toLowerCase() !== 'delta') refuse(`CREATE TABLE … USING ${spec.provider}`)
  if (spec.foreignClauses.length > 0) refuse(`CREATE TABLE … ${spec.foreignClauses[0]}`)
  if (spec.options.size > 0) refuse('CREATE TABLE … OPTIONS')
  if (spec.constraints.length > 0) throw deltaError('UNSUPPORTED_FEATURE.TABLE_OPERATION')
  const transform = spec.partitionedBy.find((text) => text.includes('('))
  if (transform !== undefined) refuse(`PARTITIONED BY (${transform})`)
  const foreign = spec.columns.filter(({ foreignType }) => foreignType !== undefined)
  if (foreign.length === 0) return
  const columns = foreign.map(({ field: { name }, foreignType }) => `${name}: ${foreignType}`)
  throw deltaError('DELTA_UNSUPPORTED_DATA_TYPES', { columns: columns.join(', ') })
}

/** What the log keeps of a column's own rules. Source: Delta protocol, "Default Columns", "Identity Columns". */
function columnField({ field: column, default: text, generated, identity }: ColumnDefinition): StructField {
  return field(column.name, column.type, column.nullable, {
    ...column.metadata,
    ...(text !== undefined && { CURRENT_DEFAULT: text }),
    ...(generated !== undefined && { 'delta.generationExpression': generated }),
    ...(identity !== undefined && {
      'delta.identity.start': identity.start,
      'delta.identity.step': identity.step,
      'delta.identity.allowExplicitInsert': !identity.always,
    }),
  })
}
