/** SHOW TABLES, TBLPROPERTIES, COLUMNS and PARTITIONS. */
import { deltaError } from '../../errors/index.ts'
import type { Expression } from '../../expressions/index.ts'
import { parsePartitionValue, physicalName } from '../../kernel/index.ts'
import type { TableDescription } from '../../operations/index.ts'
import { booleanType, field, findField, foldCase, type Row, stringType, structType } from '../../schema/index.ts'
import type { PartitionSpec } from '../parser/index.ts'
import { rowsResult } from '../result.ts'
import type { Execute } from './statement-context.ts'

const TABLES = structType([
  field('namespace', stringType),
  field('tableName', stringType),
  field('isTemporary', booleanType),
])
const PROPERTIES = structType([field('key', stringType), field('value', stringType)])

/** The names of the session; a pattern has `*` for any text and `|` between choices, in any case. */
export const executeShowTables: Execute<'show tables'> = async ({ pattern = '*' }, { names }) => {
  const choices = pattern.split('|').map((choice) => choice.trim().split('*').map(escaped).join('.*'))
  const matches = new RegExp(`^(?:${choices.join('|')})$`, 'is')
  const found = [...names].filter((name) => matches.test(name)).sort()
  return rowsResult(
    TABLES,
    found.map((name) => ['', name, false]),
  )
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}

/** The properties with the protocol among them, as the reference lists them; one key alone where it is named. */
export const executeShowProperties: Execute<'show properties'> = async ({ table, key }, context) => {
  const location = context.locate(table)
  const { configuration, protocol } = await context.backend.execute(
    { kind: 'describe', table: { location } },
    context.options,
  )
  const all = new Map<string, string>([
    ...configuration,
    ['delta.minReaderVersion', String(protocol.minReaderVersion)],
    ['delta.minWriterVersion', String(protocol.minWriterVersion)],
  ])
  for (const feature of [...(protocol.readerFeatures ?? []), ...(protocol.writerFeatures ?? [])]) {
    all.set(`delta.feature.${feature}`, 'supported')
  }
  if (key === undefined) {
    const sorted = [...all].sort(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0))
    return rowsResult(PROPERTIES, sorted)
  }
  const value = all.get(key) ?? `Table ${location} does not have property: ${key}`
  return rowsResult(PROPERTIES, [[key, value]])
}

export const executeShowColumns: Execute<'show columns'> = async ({ table }, context) => {
  const command = { kind: 'describe', table: { location: context.locate(table) } } as const
  const { schema } = await context.backend.execute(command, context.options)
  return rowsResult(
    structType([field('col_name', stringType)]),
    schema.fields.map(({ name }) => [name]),
  )
}

/** The partitions that hold files, each once, as `country=FR/month=2`. */
export const executeShowPartitions: Execute<'show partitions'> = async ({ table, partition }, context) => {
  const target = { location: context.locate(table) }
  const description = await context.backend.execute({ kind: 'describe', table: target }, context.options)
  const { partitionColumns, schema } = description
  if (partitionColumns.length === 0) {
    throw deltaError('DELTA_SHOW_PARTITION_IN_NON_PARTITIONED_TABLE', { table: target.location })
  }
  const columns = partitionColumns.map((name) => findField(schema, name)!)
  const where = partitionCondition(partition ?? [], description)
  const listed = await context.backend.execute(
    { kind: 'files', table: target, ...(where && { where }) },
    context.options,
  )
  const columnMapping = (description.configuration.get('delta.columnMapping.mode') ?? 'none') as 'none' | 'name' | 'id'
  const found = new Map<string, Row>()
  for await (const { file } of listed.files()) {
    const texts = columns.map((column) => file.partitionValues.get(physicalName(column, { columnMapping })) ?? null)
    const values = columns.map((column, i) => parsePartitionValue(texts[i]!, column.type, { column: column.name }))
    found.set(JSON.stringify(texts), values)
  }
  const sorted = [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, values]) => values)
  return rowsResult(structType(columns.map(({ name, type }) => field(name, type))), sorted)
}

function partitionCondition(partition: PartitionSpec, { partitionColumns }: TableDescription): Expression | undefined {
  const conditions = partition.flatMap(({ column, value }): Expression[] => {
    const known = partitionColumns.find((name) => foldCase(name) === foldCase(column))
    if (known === undefined) {
      throw deltaError('NON_PARTITION_COLUMN', { column, columns: partitionColumns.join(', ') })
    }
    if (value === undefined) return []
    const { span } = value
    return [{ kind: 'call', name: '<=>', args: [{ kind: 'column', path: [known], span }, value], span }]
  })
  return conditions.length === 0
    ? undefined
    : conditions.reduce((left, right) => ({ kind: 'call', name: 'and', args: [left, right], span: left.span }))
}
