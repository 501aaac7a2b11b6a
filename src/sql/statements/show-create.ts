/** SHOW CREATE TABLE: the statement that makes a table like this one. */
import { field, formatType, type StructField, stringType, structType } from '../../schema/index.ts'
import { rowsResult } from '../result.ts'
import type { Execute } from './statement-context.ts'

const COLUMNS = structType([field('createtab_stmt', stringType)])

/** Properties that come with others, or that no statement may set. */
const DERIVED =
  /^delta\.(columnMapping\.maxColumnId|rowTracking\.materialized.*|inCommitTimestampEnablement.*|identity\..*)$/
/** Features that CLUSTER BY brings, and that may not be asked for. */
const CLUSTERING: ReadonlySet<string> = new Set(['clustering', 'domainMetadata'])

/** Run under another name it makes an empty table of the same columns, layout, properties and features. */
export const executeShowCreate: Execute<'show create table'> = async ({ table }, context) => {
  const location = context.locate(table)
  const named = 'parts' in table ? context.tables.find(table.parts.join('.')) : undefined
  const target = { location }
  const described = await context.backend.execute({ kind: 'describe', table: target }, context.options)
  const { schema, configuration, protocol } = described
  const { partitionColumns, clusteringColumns, description } = await context.backend.execute(
    { kind: 'detail', table: target },
    context.options,
  )
  const features = (protocol.writerFeatures ?? []).filter((name) => {
    return clusteringColumns.length === 0 || !CLUSTERING.has(name)
  })
  const properties = [
    ...[...configuration].filter(([key]) => !DERIVED.test(key)),
    ...features.map((name) => [`delta.feature.${name}`, 'supported'] as const),
  ].sort(([a], [b]) => (a < b ? -1 : 1))
  const lines = [
    `CREATE TABLE ${named === undefined ? `delta.${quoted(location)}` : pathText(named.name)} (`,
    `  ${schema.fields.map(columnText).join(',\n  ')})`,
    'USING delta',
    ...(partitionColumns.length > 0 ? [`PARTITIONED BY (${partitionColumns.map(quoted).join(', ')})`] : []),
    ...(clusteringColumns.length > 0 ? [`CLUSTER BY (${clusteringColumns.map(pathText).join(', ')})`] : []),
    ...(description === null ? [] : [`COMMENT ${text(description)}`]),
    ...(named === undefined || named.managed ? [] : [`LOCATION ${text(location)}`]),
    ...(properties.length === 0 ? [] : [`TBLPROPERTIES (\n  ${properties.map(propertyText).join(',\n  ')})`]),
  ]
  return rowsResult(COLUMNS, [[lines.join('\n')]])
}

function propertyText([key, value]: readonly [string, string]): string {
  return `${text(key)} = ${text(value)}`
}

function columnText({ name, type, nullable, metadata }: StructField): string {
  const {
    CURRENT_DEFAULT: standard,
    comment,
    __CHAR_VARCHAR_TYPE_STRING: declared,
    'delta.generationExpression': generated,
  } = metadata
  return [
    quoted(name),
    typeof declared === 'string' ? declared : formatType(type),
    ...(nullable ? [] : ['NOT NULL']),
    ...(typeof generated === 'string' ? [`GENERATED ALWAYS AS (${generated})`] : []),
    ...identityText(metadata),
    ...(typeof standard === 'string' ? [`DEFAULT ${standard}`] : []),
    ...(typeof comment === 'string' ? [`COMMENT ${text(comment)}`] : []),
  ].join(' ')
}

function identityText(metadata: StructField['metadata']): string[] {
  const start = metadata['delta.identity.start']
  if (start === undefined) return []
  const always = metadata['delta.identity.allowExplicitInsert'] !== true
  const numbers = `START WITH ${String(start)} INCREMENT BY ${String(metadata['delta.identity.step'])}`
  return [`GENERATED ${always ? 'ALWAYS' : 'BY DEFAULT'} AS IDENTITY (${numbers})`]
}

function pathText(path: string): string {
  return path.split('.').map(quoted).join('.')
}

/** A name that is plain stays as it is. */
function quoted(name: string): string {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) ? name : `\`${name.replaceAll('`', '``')}\``
}

function text(value: string): string {
  return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}
