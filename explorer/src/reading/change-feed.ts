/** The change feed of a range of versions. */
import { localBackend, type StructType } from '../library.ts'
import type { ChangeFeed } from '../messages.ts'
import type { TableContext } from './context.ts'
import { cellOf, headsOf } from './scan-rows.ts'

/** Rows from `offset` on; the feed is computed anew from its beginning each time. */
export async function changeFeed(
  { store, engine }: TableContext,
  range: { readonly from: number; readonly to: number },
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<ChangeFeed> {
  const backend = localBackend({ openStore: async () => store, engine })
  const command = { kind: 'changes', table: { location: 'table' } } as const
  const ends = { from: { version: range.from }, to: { version: range.to } }
  const result = await backend.execute({ ...command, range: ends, limit: offset + limit + 1 })
  const schema: StructType = result.schema
  const rows: (string | null)[][] = []
  let seen = 0
  for await (const batch of result.batches()) {
    for (let row = Math.max(0, offset - seen); row < batch.numRows && rows.length <= limit; row++) {
      rows.push(schema.fields.map(({ type }, i) => cellOf(batch.column(i)[row] ?? null, type)))
    }
    seen += batch.numRows
  }
  return { ...range, columns: headsOf(schema), rows: rows.slice(0, limit), more: rows.length > limit }
}
