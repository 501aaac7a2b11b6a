/** A chunk of DuckDB as a batch of the port. */
import type { DuckDBDataChunk } from '@duckdb/node-api'
import type { StructType, Value } from '../../../schema/index.ts'
import type { Batch } from '../../index.ts'
import { readVector } from '../values/read-vector.ts'

/** A chunk whose columns become values when they are asked for. */
export class ChunkBatch implements Batch {
  readonly schema: StructType
  readonly numRows: number
  private readonly chunk: DuckDBDataChunk
  private readonly columns: (readonly Value[] | undefined)[] = []

  constructor(chunk: DuckDBDataChunk, schema: StructType) {
    this.chunk = chunk
    this.schema = schema
    this.numRows = chunk.rowCount
  }

  column(index: number): readonly Value[] {
    this.columns[index] ??= readVector(this.chunk.getColumnVector(index), this.schema.fields[index]!.type)
    return this.columns[index]
  }
}
