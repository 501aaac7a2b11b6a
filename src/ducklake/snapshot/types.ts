/**
 * Column types of DuckLake as DuckDB SQL, and as the types of `schema/` in which values leave this package.
 *
 * What those types do not hold is given as what loses nothing: narrower unsigned integers as the next signed type,
 * 64-bit and 128-bit ones as decimals without a scale, times, intervals, UUIDs, JSON and shapes as their texts.
 * Source: DuckLake, "Data Types".
 */
import { type DataType, decimalType, type PrimitiveName } from '../../schema/index.ts'

interface LakeType {
  readonly sql: string
  readonly type: DataType
}

const primitive = (sql: string, kind: PrimitiveName): LakeType => ({ sql, type: { kind } })

const TYPES: ReadonlyMap<string, LakeType> = new Map([
  ['boolean', primitive('BOOLEAN', 'boolean')],
  ['int8', primitive('TINYINT', 'byte')],
  ['int16', primitive('SMALLINT', 'short')],
  ['int32', primitive('INTEGER', 'integer')],
  ['int64', primitive('BIGINT', 'long')],
  ['int128', { sql: 'HUGEINT', type: decimalType(38, 0) }],
  ['uint8', primitive('UTINYINT', 'short')],
  ['uint16', primitive('USMALLINT', 'integer')],
  ['uint32', primitive('UINTEGER', 'long')],
  ['uint64', { sql: 'UBIGINT', type: decimalType(20, 0) }],
  ['uint128', { sql: 'UHUGEINT', type: decimalType(38, 0) }],
  ['float32', primitive('FLOAT', 'float')],
  ['float64', primitive('DOUBLE', 'double')],
  ['date', primitive('DATE', 'date')],
  ['time', primitive('TIME', 'string')],
  ['time_ns', primitive('TIME_NS', 'string')],
  ['timetz', primitive('TIMETZ', 'string')],
  ['timestamp', primitive('TIMESTAMP', 'timestamp_ntz')],
  ['timestamp_s', primitive('TIMESTAMP_S', 'timestamp_ntz')],
  ['timestamp_ms', primitive('TIMESTAMP_MS', 'timestamp_ntz')],
  ['timestamp_ns', primitive('TIMESTAMP_NS', 'string')],
  ['timestamptz', primitive('TIMESTAMPTZ', 'timestamp')],
  ['interval', primitive('INTERVAL', 'string')],
  ['varchar', primitive('VARCHAR', 'string')],
  ['blob', primitive('BLOB', 'binary')],
  ['json', primitive('JSON', 'string')],
  ['uuid', primitive('UUID', 'string')],
  ['variant', primitive('VARIANT', 'variant')],
  ['geometry', primitive('GEOMETRY', 'string')],
  ['null', primitive('INTEGER', 'void')],
])

const LOWER_NAMES: ReadonlyMap<string, string> = new Map(
  [...TYPES].filter(([name]) => name !== 'null').map(([name, { sql }]) => [sql, name]),
)

/** @returns undefined for a type this version does not know, and for list, struct and map */
export function leafType(name: string): LakeType | undefined {
  const decimal = /^decimal\((\d+),\s*(\d+)\)$/.exec(name)
  if (decimal !== null) {
    const [precision, scale] = [Number(decimal[1]), Number(decimal[2])]
    return { sql: `DECIMAL(${precision},${scale})`, type: decimalType(precision, scale) }
  }
  return TYPES.get(name.startsWith('geometry') ? 'geometry' : name)
}

export function isContainer(name: string): name is 'list' | 'struct' | 'map' {
  return name === 'list' || name === 'struct' || name === 'map'
}

/** The name a SQL type of DuckDB has in a catalog; undefined for types that no lake holds. */
export function lakeTypeName(sql: string): string | undefined {
  if (/^DECIMAL\(\d+,\d+\)$/.test(sql)) return sql.toLowerCase()
  const long = sql.replace('TIMESTAMP WITH TIME ZONE', 'TIMESTAMPTZ').replace('TIME WITH TIME ZONE', 'TIMETZ')
  return long.startsWith('GEOMETRY') ? 'geometry' : LOWER_NAMES.get(long)
}
