/** SHOW TABLES, TBLPROPERTIES, COLUMNS and PARTITIONS. */
import { deltaError } from '../../errors/index.ts'
import { booleanType, field, stringType, structType } from '../../schema/index.ts'
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
  if (partition !== undefined)
    throw deltaError('LAKE_STATEMENT_UNSUPPORTED', { statement: 'SHOW PARTITIONS … PARTITION' })
  const target = { location: context.locate(table) }
  const { partitionColumns } = await context.backend.execute({ kind: 'describe', table: target }, context.options)
  if (partitionColumns.length === 0) {
    throw deltaError('DELTA_SHOW_PARTITION_IN_NON_PARTITIONED_TABLE', { table: target.location })
  }
  const columns = partitionColumns.map((name) => `"${name.replaceAll('"', '""')}"`).join(', ')
  const path = `delta.\`${target.location.replaceAll('`', '``')}\``
  return await context.query(`SELECT DISTINCT ${columns} FROM ${path} ORDER BY ALL`)
}
