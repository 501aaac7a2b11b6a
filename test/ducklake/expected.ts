/** Rows of a lake in the form in which `shared/ducklake` records them. */
import { createHash } from 'node:crypto'
import type { Batch } from '../../src/engine/index.ts'
import {
  type DataType,
  type MapEntry,
  type StructType,
  type Value,
  type Variant,
  variantToJson,
} from '../../src/schema/index.ts'
import { Decimal } from '../../src/support/index.ts'

export interface ExpectedTable {
  readonly table_id: number
  readonly columns: readonly (readonly [string, string])[]
  readonly count: number
  readonly rows?: readonly unknown[][]
  readonly rowids?: readonly number[]
  readonly rows_sha256?: string
  readonly error?: string
}

export interface ExpectedSnapshot {
  readonly snapshot_id: number
  readonly schema_version: number
  readonly changes_made: string
  readonly author: string | null
  readonly commit_message: string | null
  readonly commit_extra_info: string | null
  readonly schemas?: readonly string[]
  readonly tables: Readonly<Record<string, ExpectedTable>>
  readonly views?: Readonly<Record<string, ExpectedTable>>
}

export interface Expected {
  readonly ducklake: string
  readonly options?: Readonly<Record<string, string>>
  readonly snapshots: readonly ExpectedSnapshot[]
  readonly changes?: Readonly<
    Record<string, { columns: unknown; rows?: readonly [number, number, string, unknown[]][] }>
  >
}

export interface ReadRows {
  readonly schema: StructType
  batches(): AsyncIterable<Batch>
}

/** All rows of a read whose form is `text`. */
export async function recordedRows({ schema, batches }: ReadRows): Promise<unknown[][]> {
  const rows: unknown[][] = []
  for await (const batch of batches()) {
    const columns = schema.fields.map((f, i) => batch.column(i).map((value) => recorded(value, f.type)))
    for (let i = 0; i < batch.numRows; i++) rows.push(columns.map((column) => column[i]))
  }
  return rows
}

function recorded(value: Value, type: DataType): unknown {
  // the extension prints a variant that is NULL as one that holds null
  if (value === null) return type.kind === 'variant' ? { json: null } : null
  switch (type.kind) {
    case 'array':
      return (value as readonly Value[]).map((item) => recorded(item, type.element))
    case 'map':
      return (value as readonly MapEntry[]).map((entry) => [
        recorded(entry.key, type.key),
        recorded(entry.value, type.value),
      ])
    case 'struct':
      return Object.fromEntries(type.fields.map((f, i) => [f.name, recorded((value as readonly Value[])[i]!, f.type)]))
    case 'binary':
      return Buffer.from(value as Uint8Array).toString('hex')
    case 'variant':
      return { json: JSON.parse(variantToJson(value as Variant)) }
    case 'float':
    case 'double':
      return Number.isFinite(value) ? (Object.is(value, -0) ? 0 : value) : String(value)
    case 'decimal':
      return type.scale === 0 && value instanceof Decimal ? wholeNumber(value.unscaled) : String(value)
    case 'long':
      return wholeNumber(value as bigint)
    case 'string':
      return timeText(value as string)
    default:
      return value
  }
}

function wholeNumber(value: bigint): number | string {
  return Number.isSafeInteger(Number(value)) ? Number(value) : String(value)
}

/** Times are recorded as DuckDB prints them. */
function timeText(text: string): string {
  const match = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d(?:\.\d+)?)(Z?)$/.exec(text)
  return match === null ? text : `${match[1]} ${match[2]}${match[3] === 'Z' ? '+00' : ''}`
}

export function sorted(rows: readonly unknown[]): string[] {
  return rows.map((row) => JSON.stringify(row)).sort()
}

/** SHA-256 of sorted rows, as tables too large to list are recorded. */
export function rowsHash(rows: readonly unknown[]): string {
  return createHash('sha256').update(sorted(rows).join('\n')).digest('hex')
}

/** A decimal without a scale is recorded as text; it looks like a whole number here. */
export function normalized(rows: readonly unknown[]): string[] {
  return sorted(JSON.parse(JSON.stringify(rows)) as unknown[])
}
