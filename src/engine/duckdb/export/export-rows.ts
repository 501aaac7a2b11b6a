/**
 * Rows as text, for printing and exporting: a line is made in SQL, so that no value of a row becomes a JavaScript value.
 *
 * Plans that hold what SQL has no text for (variants, filters without an SQL form) go through batches; the text is the
 * same.
 */
import {
  type DataType,
  type Row,
  rowToJson,
  type StructType,
  structType,
  valueToJson,
  valueToText,
} from '../../../schema/index.ts'
import type { EngineOptions, RowTextFormat, ScanPlan } from '../../index.ts'
import type { DuckDatabase } from '../instance.ts'
import { filterOf } from '../scan/filter.ts'
import { scan, scanLines } from '../scan/scan.ts'
import { bareText, hasSqlText, jsonText, objectText } from './value-text.ts'

/** See `Engine.exportRows`. */
export async function* exportRows(
  database: DuckDatabase,
  plan: ScanPlan,
  format: RowTextFormat,
  call: EngineOptions = {},
): AsyncGenerator<string> {
  const schema = structType(plan.columns.map((i) => plan.layout.schema.fields[i]!))
  if (format === 'csv') yield `${schema.fields.map((f) => csvField(f.name)).join(',')}\n`
  const inSql = !filterOf(plan).residual && schema.fields.every((f) => hasSqlText(f.type))
  yield* inSql
    ? scanLines(database, plan, lineSql(plan, format), call)
    : batchLines(database, plan, schema, { format, call })
}

function lineSql({ layout, columns }: ScanPlan, format: RowTextFormat): string {
  const fields = columns.map((i) => ({ source: `c${i}`, ...layout.schema.fields[i]! }))
  if (format === 'ndjson') {
    return objectText(fields.map(({ source, name, type }) => ({ name, json: jsonText(source, type, layout) })))
  }
  const cells = fields.map(({ source, type }) => csvCell(bareText(source, type, layout), type))
  return cells.length === 0 ? "''" : cells.join(" || ',' || ")
}

/** Types whose texts never need quotes. */
const PLAIN: ReadonlySet<DataType['kind']> = new Set<DataType['kind']>([
  'byte',
  'short',
  'integer',
  'long',
  'float',
  'double',
  'decimal',
  'boolean',
  'date',
  'timestamp',
  'timestamp_ntz',
  'void',
])

/** Null is an empty field, an empty text a quoted one. */
function csvCell(text: string, type: DataType): string {
  if (PLAIN.has(type.kind)) return `coalesce(${text}, '')`
  return `coalesce(CASE WHEN ${text} = '' OR regexp_matches(${text}, '[",\\r\\n]')
    THEN '"' || replace(${text}, '"', '""') || '"' ELSE ${text} END, '')`
}

async function* batchLines(
  database: DuckDatabase,
  plan: ScanPlan,
  schema: StructType,
  { format, call }: { format: RowTextFormat; call: EngineOptions },
): AsyncGenerator<string> {
  const line = format === 'ndjson' ? (row: Row) => rowToJson(row, schema) : (row: Row) => csvLine(row, schema)
  for await (const batch of scan(database, plan, call)) {
    const columns = schema.fields.map((_, i) => batch.column(i))
    let text = ''
    for (let at = 0; at < batch.numRows; at++) text += `${line(columns.map((column) => column[at]!))}\n`
    yield text
  }
}

function csvLine(row: Row, schema: StructType): string {
  const cells = schema.fields.map(({ type }, i) => {
    const value = row[i] ?? null
    if (value === null) return ''
    return csvField(type.kind === 'struct' ? valueToJson(value, type) : valueToText(value, type))
  })
  return cells.join(',')
}

function csvField(text: string): string {
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
