/**
 * The values of a table inside this package, by type:
 *
 * | type | value |
 * |-|-|
 * | byte, short, integer, float, double | number (float already rounded to 32 bits) |
 * | long | bigint |
 * | decimal | `Decimal` with the type's scale |
 * | boolean, string, binary | boolean, string, Uint8Array |
 * | date | number: days since 1970-01-01, proleptic |
 * | timestamp, timestamp_ntz | bigint: microseconds since 1970-01-01T00:00:00 |
 * | array | array of values |
 * | map | array of `{ key, value }`, in stored order |
 * | struct | array of values, in the order of the type's fields |
 * | variant | `Variant` |
 *
 * SQL NULL is `null`; `undefined` never stands for a value.
 */
import type { Decimal } from '../support/index.ts'

export interface MapEntry {
  readonly key: Value
  readonly value: Value
}

/** A variant as its two binaries. Source: Parquet, "Variant Binary Encoding". */
export class Variant {
  readonly metadata: Uint8Array
  readonly value: Uint8Array
  constructor(metadata: Uint8Array, value: Uint8Array) {
    this.metadata = metadata
    this.value = value
  }
}

export type Value =
  | null
  | boolean
  | number
  | bigint
  | string
  | Uint8Array
  | Decimal
  | Variant
  | readonly Value[]
  | readonly MapEntry[]

/** Values in the order of a schema's fields. */
export type Row = readonly Value[]
