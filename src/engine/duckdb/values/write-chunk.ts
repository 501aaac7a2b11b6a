/** Values of `schema/value.ts` into chunks of DuckDB, for the appender. */
import type * as Duck from '@duckdb/node-api'
import { physicalName } from '../../../kernel/index.ts'
import type { DataType, MapEntry, Row, StructType, Value, Variant } from '../../../schema/index.ts'
import type { Decimal } from '../../../support/index.ts'
import { type Naming, storedFields } from './sql-type.ts'

type Api = typeof Duck

/** Rows a chunk holds at most. */
export const CHUNK_ROWS = 2048

/** Builds the chunks of one row type. Void columns are left out. */
export class ChunkBuilder {
  private readonly api: Api
  private readonly naming: Naming
  private readonly columns: readonly { ordinal: number; type: DataType }[]
  private readonly types: readonly Duck.DuckDBType[]

  constructor(api: Api, schema: StructType, naming: Naming) {
    this.api = api
    this.naming = naming
    this.columns = schema.fields
      .map((field, ordinal) => ({ ordinal, type: field.type }))
      .filter(({ type }) => type.kind !== 'void')
    this.types = this.columns.map(({ type }) => this.typeOf(type))
  }

  /** @param rows at most `CHUNK_ROWS` */
  build(rows: readonly Row[]): Duck.DuckDBDataChunk {
    const chunk = this.api.DuckDBDataChunk.create(this.types, rows.length)
    for (const [i, { ordinal, type }] of this.columns.entries()) {
      chunk.setColumnValues(
        i,
        rows.map((row) => this.value(row[ordinal] ?? null, type)),
      )
    }
    return chunk
  }

  private typeOf(type: DataType): Duck.DuckDBType {
    const { api } = this
    switch (type.kind) {
      case 'decimal':
        return api.DECIMAL(type.precision, type.scale)
      case 'array':
        return api.LIST(this.typeOf(type.element))
      case 'map':
        return api.MAP(this.typeOf(type.key), this.typeOf(type.value))
      case 'struct':
        return api.STRUCT(
          Object.fromEntries(storedFields(type).map((f) => [physicalName(f, this.naming), this.typeOf(f.type)])),
        )
      case 'variant':
        return api.STRUCT({ metadata: api.BLOB, value: api.BLOB })
      default:
        return primitiveTypes(api)[type.kind]
    }
  }

  private value(value: Value, type: DataType): Duck.DuckDBValue {
    if (value === null) return null
    const { api } = this
    switch (type.kind) {
      case 'decimal':
        return api.decimalValue((value as Decimal).unscaled, type.precision, type.scale)
      case 'date':
        return new api.DuckDBDateValue(value as number)
      case 'timestamp':
        return new api.DuckDBTimestampTZValue(value as bigint)
      case 'timestamp_ntz':
        return new api.DuckDBTimestampValue(value as bigint)
      case 'binary':
        return new api.DuckDBBlobValue(value as Uint8Array)
      case 'array':
        return api.listValue((value as readonly Value[]).map((item) => this.value(item, type.element)))
      case 'map':
        return api.mapValue(
          (value as readonly MapEntry[]).map((entry) => ({
            key: this.value(entry.key, type.key),
            value: this.value(entry.value, type.value),
          })),
        )
      case 'struct':
        return this.structValue(value as Row, type)
      case 'variant':
        return api.structValue({
          metadata: new api.DuckDBBlobValue((value as Variant).metadata),
          value: new api.DuckDBBlobValue((value as Variant).value),
        })
      default:
        return value as Duck.DuckDBValue
    }
  }

  /** Own properties, so that a member called `__proto__` is one like any other. */
  private structValue(row: Row, type: StructType): Duck.DuckDBValue {
    const entries: [string, Duck.DuckDBValue][] = []
    for (const [i, field] of type.fields.entries()) {
      if (field.type.kind === 'void') continue
      entries.push([physicalName(field, this.naming), this.value(row[i] ?? null, field.type)])
    }
    return this.api.structValue(Object.fromEntries(entries))
  }
}

function primitiveTypes(api: Api) {
  return {
    byte: api.TINYINT,
    short: api.SMALLINT,
    integer: api.INTEGER,
    long: api.BIGINT,
    float: api.FLOAT,
    double: api.DOUBLE,
    string: api.VARCHAR,
    binary: api.BLOB,
    boolean: api.BOOLEAN,
    date: api.DATE,
    timestamp: api.TIMESTAMPTZ,
    timestamp_ntz: api.TIMESTAMP,
    void: api.INTEGER,
  } as const
}
