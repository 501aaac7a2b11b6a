/**
 * Types of a table as DuckDB SQL, structs with their physical member names.
 *
 * Void columns are in no file and in no SQL type; a variant stands as its two binaries. Source: the table of types that
 * other readers take in.
 */
import { deltaError } from '../../../errors/index.ts'
import { physicalName, type TableLayout } from '../../../kernel/index.ts'
import { type DataType, formatType, type StructField, type StructType } from '../../../schema/index.ts'
import { quoteIdent } from '../sql-text.ts'

/** What decides how members of structs are called. */
export type Naming = Pick<TableLayout, 'columnMapping'>

export const LOGICAL: Naming = { columnMapping: 'none' }

export const VARIANT_SQL = 'STRUCT(metadata BLOB, "value" BLOB)'

const PRIMITIVE_SQL = {
  byte: 'TINYINT',
  short: 'SMALLINT',
  integer: 'INTEGER',
  long: 'BIGINT',
  float: 'FLOAT',
  double: 'DOUBLE',
  string: 'VARCHAR',
  binary: 'BLOB',
  boolean: 'BOOLEAN',
  date: 'DATE',
  timestamp: 'TIMESTAMPTZ',
  timestamp_ntz: 'TIMESTAMP',
  void: 'INTEGER',
  variant: VARIANT_SQL,
} as const

/** @throws DeltaError `DELTA_UNSUPPORTED_DATA_TYPE` for a struct that has no member a file could hold */
export function sqlType(type: DataType, naming: Naming): string {
  switch (type.kind) {
    case 'decimal':
      return `DECIMAL(${type.precision},${type.scale})`
    case 'array':
      return `${sqlType(type.element, naming)}[]`
    case 'map':
      return `MAP(${sqlType(type.key, naming)}, ${sqlType(type.value, naming)})`
    case 'struct':
      return structSql(type, naming)
    default:
      return PRIMITIVE_SQL[type.kind]
  }
}

function structSql(type: StructType, naming: Naming): string {
  const members = storedFields(type).map((f) => `${quoteIdent(physicalName(f, naming))} ${sqlType(f.type, naming)}`)
  if (members.length > 0) return `STRUCT(${members.join(', ')})`
  throw deltaError('DELTA_UNSUPPORTED_DATA_TYPE', { column: 'of a struct', type: formatType(type) })
}

/** The members of a struct that files hold. */
export function storedFields(type: StructType): readonly StructField[] {
  return type.fields.filter((f) => f.type.kind !== 'void')
}
