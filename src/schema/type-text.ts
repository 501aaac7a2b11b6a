/** Types as people write them in SQL and as Spark prints them: `bigint`, `decimal(10,2)`, `struct<a:int,b:string>`. */
import type { DataType, PrimitiveName } from './types.ts'

const SIMPLE_NAMES: Partial<Record<PrimitiveName, string>> = {
  long: 'bigint',
  integer: 'int',
  short: 'smallint',
  byte: 'tinyint',
}

/** Spark's simple text of a type (`catalogString`), as DESCRIBE and error messages show it. */
export function formatType(type: DataType): string {
  switch (type.kind) {
    case 'decimal':
      return `decimal(${type.precision},${type.scale})`
    case 'array':
      return `array<${formatType(type.element)}>`
    case 'map':
      return `map<${formatType(type.key)},${formatType(type.value)}>`
    case 'struct':
      return `struct<${type.fields.map((f) => `${f.name}:${formatType(f.type)}`).join(',')}>`
    default:
      return SIMPLE_NAMES[type.kind] ?? type.kind
  }
}

/** The type as Delta names it in the log: `long`, `decimal(10,2)`, nested types by their simple text. */
export function deltaTypeName(type: DataType): string {
  return type.kind === 'decimal' || type.kind === 'array' || type.kind === 'map' || type.kind === 'struct'
    ? formatType(type)
    : type.kind
}
