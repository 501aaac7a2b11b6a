/** The rows a statement gave, beside the rows the reference's gave. */

import { rowsOf } from '../../src/engine/index.ts'
import { field, type StructField, type StructType, structType, typeToJson } from '../../src/schema/index.ts'
import type { SqlResult } from '../../src/sql/index.ts'
import { printJson } from '../../src/support/index.ts'
import { recordedText, rowText } from '../conformance/canonical-rows.ts'
import type { RecordedStatement } from './recorded-statements.ts'

/** Columns and metrics that hang on encodings of files, on the clock, or are drawn. */
const UNSTEADY =
  /^(id|createdAt|lastModified|sizeInBytes|size|min|max|avg|totalSize|startTimeMs|endTimeMs|.*_size|table_size_after_restore|.*[Pp]arallelism.*|totalScheduledTasks)$/

/** Rows of a statement as they are compared, each as JSON. */
export interface ReadResult {
  readonly columns: readonly string[]
  readonly rows: readonly string[]
  readonly schema: StructType
}

export async function readResult({ schema, batches }: SqlResult): Promise<ReadResult> {
  const rows: string[] = []
  for await (const batch of batches) for (const row of rowsOf(batch)) rows.push(rowText(row, schema))
  return { columns: schema.fields.map(columnText), rows, schema }
}

/** @param place says how a text of ours names the place the recording was made at */
export function compareResult(
  ours: ReadResult,
  { sql = '', columns = [], rows = [] }: Pick<RecordedStatement, 'sql' | 'columns' | 'rows'>,
  place: (text: string) => string,
): string[] {
  const theirs = columns.map(({ name, type }) => `${name} ${typeText(type)}`)
  if (ours.columns.join(', ') !== theirs.join(', ')) {
    return [`columns: ${cut(ours.columns.join(', '))} instead of ${cut(theirs.join(', '))}`]
  }
  // `recordedText` spells a recorded row by our schema, so that numbers and maps are comparable
  const keepsOrder = !QUERY.test(sql) || /\bORDER BY\b/i.test(sql)
  const ordered = (texts: string[]) => (keepsOrder ? texts : texts.sort()).join('\n')
  const [a, b] = [
    ordered(ours.rows.map((row) => steady(place(row), sql))),
    ordered(rows.map((row) => steady(recordedText(row, ours.schema), sql))),
  ]
  return a === b ? [] : [`rows: ${cut(a)} instead of ${cut(b)}`]
}

/** Of a query every column counts. */
function steady(row: string, sql: string): string {
  if (QUERY.test(sql)) return row
  return JSON.stringify(JSON.parse(row), (key, value: unknown) => {
    return UNSTEADY.test(key) && (typeof value !== 'object' || value === null) ? undefined : value
  })
}

const QUERY = /^\s*(SELECT|FROM|WITH)\b/i

function columnText({ name, type }: StructField): string {
  const json = JSON.parse(printJson(typeToJson(structType([field('c', type)])))) as { fields: { type: unknown }[] }
  return `${name} ${typeText(json.fields[0]!.type)}`
}

/** A type without what it says of NULL and of metadata. */
function typeText(type: unknown): string {
  if (typeof type === 'string') return type
  const {
    type: kind,
    fields,
    elementType,
    keyType,
    valueType,
  } = type as {
    readonly type: string
    readonly fields?: readonly { readonly name: string; readonly type: unknown }[]
    readonly elementType?: unknown
    readonly keyType?: unknown
    readonly valueType?: unknown
  }
  if (fields !== undefined) return `struct<${fields.map((f) => `${f.name} ${typeText(f.type)}`).join(',')}>`
  if (elementType !== undefined) return `array<${typeText(elementType)}>`
  return keyType === undefined ? kind : `map<${typeText(keyType)},${typeText(valueType)}>`
}

function cut(text: string): string {
  return text.length > 700 ? `${text.slice(0, 700)}…` : text
}
