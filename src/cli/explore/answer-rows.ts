/** Rows as the page shows them: texts, as `bayou rows` prints them. */
import type { Batch } from '../../engine/index.ts'
import { type DataType, formatType, type StructType, type Value, valueToText } from '../../schema/index.ts'

export interface RowsAnswer {
  readonly columns: readonly { readonly name: string; readonly type: string }[]
  /** null is SQL NULL */
  readonly rows: readonly (readonly (string | null)[])[]
  /** there are more rows than these */
  readonly more: boolean
}

export async function answerRows(
  schema: StructType,
  batches: AsyncIterable<Batch>,
  { offset = 0, limit }: { readonly offset?: number; readonly limit: number },
): Promise<RowsAnswer> {
  const rows: (string | null)[][] = []
  let place = 0
  for await (const batch of batches) {
    const columns = schema.fields.map((_, index) => batch.column(index))
    for (let row = 0; row < batch.numRows && rows.length <= limit; row++) {
      if (place++ < offset) continue
      rows.push(schema.fields.map(({ type }, index) => textOf(columns[index]?.[row] ?? null, type)))
    }
    if (rows.length > limit) break
  }
  return {
    columns: schema.fields.map(({ name, type }) => ({ name, type: formatType(type) })),
    rows: rows.slice(0, limit),
    more: rows.length > limit,
  }
}

function textOf(value: Value, type: DataType): string | null {
  return value === null ? null : valueToText(value, type)
}
