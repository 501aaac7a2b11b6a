/**
 * Types that a query of DuckDB's own can give, as types of a table.
 *
 * What no table can hold is cast to what holds it without loss: 128-bit integers (sums of bigint) to decimal(38,0),
 * unsigned 64-bit to decimal(20,0), narrower unsigned ones to the next signed type, everything else to its text.
 */
import type { DuckDBType } from '@duckdb/node-api'
import {
  arrayType,
  type DataType,
  decimalType,
  field,
  mapType,
  type PrimitiveName,
  stringType,
  structType,
} from '../../../schema/index.ts'

const PRIMITIVES: Readonly<Record<string, PrimitiveName>> = {
  BOOLEAN: 'boolean',
  TINYINT: 'byte',
  SMALLINT: 'short',
  INTEGER: 'integer',
  BIGINT: 'long',
  UTINYINT: 'short',
  USMALLINT: 'integer',
  UINTEGER: 'long',
  FLOAT: 'float',
  DOUBLE: 'double',
  VARCHAR: 'string',
  BLOB: 'binary',
  DATE: 'date',
  TIMESTAMP: 'timestamp_ntz',
  TIMESTAMP_S: 'timestamp_ntz',
  TIMESTAMP_MS: 'timestamp_ntz',
  'TIMESTAMP WITH TIME ZONE': 'timestamp',
  TIMESTAMPTZ: 'timestamp',
}

/** The parts of DuckDB's type classes that are read here. */
interface TypeParts {
  readonly valueType?: DuckDBType
  readonly keyType?: DuckDBType
  readonly entryNames?: readonly string[]
  readonly entryTypes?: readonly DuckDBType[]
  readonly width?: number
  readonly scale?: number
}

/** The type of a table that a column of a result is given as; SQL casts to it by `sqlType` with logical names. */
export function resultType(type: DuckDBType): DataType {
  const parts = type as TypeParts
  const name = type.toString()
  if (parts.keyType !== undefined && parts.valueType !== undefined) {
    return mapType(resultType(parts.keyType), resultType(parts.valueType))
  }
  if (parts.valueType !== undefined) return arrayType(resultType(parts.valueType))
  if (parts.entryNames !== undefined) return structOf(parts)
  if (parts.width !== undefined && parts.scale !== undefined) return decimalType(parts.width, parts.scale)
  if (name === 'HUGEINT' || name === 'UHUGEINT') return decimalType(38, 0)
  if (name === 'UBIGINT') return decimalType(20, 0)
  const primitive = PRIMITIVES[name]
  return primitive === undefined ? stringType : { kind: primitive }
}

function structOf({ entryNames = [], entryTypes = [] }: TypeParts): DataType {
  return structType(entryNames.map((name, i) => field(name, resultType(entryTypes[i]!))))
}
