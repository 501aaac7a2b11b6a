/** Values of this package as DuckDB literals, exact. */
import type { BoundExpression, ExpressionType } from '../../../expressions/index.ts'
import type { DataType, MapEntry, Value } from '../../../schema/index.ts'
import { type Decimal, encodeHex } from '../../../support/index.ts'
import { quoteIdent, quoteLiteral } from '../sql-text.ts'

/** The DuckDB type that holds a type's values. */
export function sqlType(type: ExpressionType): string {
  switch (type.kind) {
    case 'byte':
      return 'TINYINT'
    case 'short':
      return 'SMALLINT'
    case 'integer':
    case 'interval_year_month':
      return 'INTEGER'
    case 'long':
    case 'interval_day_time':
      return 'BIGINT'
    case 'float':
      return 'FLOAT'
    case 'double':
      return 'DOUBLE'
    case 'decimal':
      return `DECIMAL(${type.precision}, ${type.scale})`
    case 'boolean':
      return 'BOOLEAN'
    case 'string':
      return 'VARCHAR'
    case 'binary':
      return 'BLOB'
    case 'date':
      return 'DATE'
    case 'timestamp':
      return 'TIMESTAMPTZ'
    case 'timestamp_ntz':
      return 'TIMESTAMP'
    case 'array':
      return `${sqlType(type.element)}[]`
    case 'map':
      return `MAP(${sqlType(type.key)}, ${sqlType(type.value)})`
    case 'struct':
      return `STRUCT(${type.fields.map((f) => `${quoteIdent(f.name)} ${sqlType(f.type)}`).join(', ')})`
    case 'void':
      return 'INTEGER'
    case 'variant':
      return 'VARIANT'
  }
}

/** A literal of exactly the type's DuckDB type. */
export function literalSql(value: Value, type: ExpressionType): string {
  const target = sqlType(type)
  if (value === null) return `CAST(NULL AS ${target})`
  switch (type.kind) {
    case 'string':
      return textLiteral(value as string)
    case 'boolean':
      return value ? 'true' : 'false'
    case 'float':
    case 'double':
      return `CAST('${doubleText(value as number)}' AS ${target})`
    case 'decimal':
      return `CAST('${(value as Decimal).toString()}' AS ${target})`
    case 'binary':
      return `from_hex('${encodeHex(value as Uint8Array)}')`
    case 'date':
      return `(DATE '1970-01-01' + ${value as number}::INTEGER)`
    case 'timestamp':
      return `make_timestamptz(${value as bigint}::BIGINT)`
    case 'timestamp_ntz':
      return `make_timestamp(${value as bigint}::BIGINT)`
    case 'array':
      return `CAST([${(value as readonly Value[]).map((item) => literalSql(item, type.element)).join(', ')}] AS ${target})`
    case 'map':
      return mapLiteral(value as readonly MapEntry[], type.key, type.value)
    case 'struct':
      return `struct_pack(${type.fields
        .map((f, i) => `${quoteIdent(f.name)} := ${literalSql((value as readonly Value[])[i] ?? null, f.type)}`)
        .join(', ')})`
    default:
      return `CAST(${String(value)} AS ${target})`
  }
}

/** A text literal; U+0000 ends a statement's text early, so texts with it are built from pieces. */
export function textLiteral(text: string): string {
  if (!text.includes('\u0000')) return quoteLiteral(text)
  return `(${text.split('\u0000').map(quoteLiteral).join(' || chr(0) || ')})`
}

export function isLiteral(expression: BoundExpression): expression is BoundExpression & { kind: 'literal' } {
  return expression.kind === 'literal'
}

function mapLiteral(entries: readonly MapEntry[], key: DataType, value: DataType): string {
  const keys = entries.map((entry) => literalSql(entry.key, key)).join(', ')
  const values = entries.map((entry) => literalSql(entry.value, value)).join(', ')
  return `CAST(map([${keys}], [${values}]) AS ${sqlType({ kind: 'map', key, value, valueContainsNull: true })})`
}

function doubleText(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  if (!Number.isFinite(value)) return value > 0 ? 'Infinity' : '-Infinity'
  return Object.is(value, -0) ? '-0.0' : String(value)
}
