import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { tables } from '../../test/support/typed-rows.ts'
import type { StructType, Value } from '../schema/index.ts'
import { memoryFile, openParquet, ParquetWriter } from './index.ts'

async function roundTrip(schema: StructType, groups: readonly (readonly (readonly Value[])[])[]) {
  const writer = new ParquetWriter(schema)
  for (const columns of groups) writer.writeRowGroup(columns)
  const reader = await openParquet(memoryFile('f.parquet', writer.finish()))
  const result: (readonly (readonly Value[])[])[] = []
  for (let i = 0; i < reader.footer.rowGroups.length; i++) result.push(await reader.readRowGroup(i, schema.fields))
  return result
}

describe('what is written', () => {
  test('is read as it was, whatever the types, nulls and nesting', async () => {
    await fc.assert(
      fc.asyncProperty(tables, async ({ schema, rows }) => {
        const columns = schema.fields.map((_, i) => rows.map((row) => row[i]!))
        const expected = rows.length === 0 ? [] : [columns]
        expect(await roundTrip(schema, [columns])).toEqual(expected)
      }),
      { numRuns: 300 },
    )
  })
})
