/** A batch whose columns are arrays of values. */
import type { StructType, Value } from '../../schema/index.ts'
import type { Batch } from '../index.ts'

export class ColumnBatch implements Batch {
  readonly schema: StructType
  readonly numRows: number
  private readonly columns: readonly (readonly Value[])[]

  constructor(schema: StructType, columns: readonly (readonly Value[])[], numRows: number) {
    this.schema = schema
    this.columns = columns
    this.numRows = numRows
  }

  column(index: number): readonly Value[] {
    return this.columns[index]!
  }
}
