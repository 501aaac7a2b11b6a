import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { sharedPath } from '../../test/support/shared.ts'
import { field, longType, stringType, structType } from '../schema/index.ts'
import { memoryFile, openParquet, ParquetWriter, type PartialFile, partialFile } from './index.ts'

const schema = structType([field('id', longType), field('text', stringType)])
const GROUP_ROWS = 1_000

function made(groups: number): Uint8Array {
  const writer = new ParquetWriter(schema)
  for (let group = 0; group < groups; group++) {
    const ids = Array.from({ length: GROUP_ROWS }, (_, i) => BigInt(group * GROUP_ROWS + i))
    writer.writeRowGroup([ids, ids.map((id) => `text ${id}`)])
  }
  return writer.finish()
}

/** The file that is left: garbage wherever nothing is asked for. */
function assembled(whole: Uint8Array, part: PartialFile): Uint8Array {
  const bytes = new Uint8Array(Math.max(whole.length, part.size)).fill(0xa5)
  for (const { start, end } of part.ranges) bytes.set(whole.subarray(start, end), start)
  for (const { at, bytes: given } of part.given) bytes.set(given, at)
  return bytes.subarray(0, part.size)
}

async function cut(whole: Uint8Array, columns: readonly string[], groups: readonly number[]) {
  const reader = await openParquet(memoryFile('whole.parquet', whole))
  const column = ({ name }: { readonly name: string }) => columns.includes(name)
  const part = partialFile(reader, { column, rowGroup: (index) => groups.includes(index) })
  expect(part).toBeDefined()
  return { reader, part: part!, left: await openParquet(memoryFile('part.parquet', assembled(whole, part!))) }
}

describe('a part of a file', () => {
  test.each([[[0]], [[3]], [[1, 2, 19]], [[]], [Array.from({ length: 20 }, (_, i) => i)]])(
    'has the row groups %j and their rows, and no others',
    async (groups) => {
      const { left, part } = await cut(made(20), ['id'], groups)
      expect(left.footer.rowGroups.map(({ numRows }) => numRows)).toEqual(groups.map(() => GROUP_ROWS))
      for (const [at, group] of groups.entries()) {
        const [ids] = await left.readRowGroup(at, [schema.fields[0]!])
        expect([ids![0], ids!.at(-1)]).toEqual([
          BigInt(group * GROUP_ROWS),
          BigInt(group * GROUP_ROWS + GROUP_ROWS - 1),
        ])
      }
      const asked = part.ranges.reduce((sum, { start, end }) => sum + end - start, 0)
      const chunks = left.footer.rowGroups.reduce((sum, { chunks }) => sum + chunks[0]!.length, 0)
      expect(asked).toBeLessThan(chunks + 600 * groups.length + 1)
    },
  )

  test('takes the footers of other writers apart', async () => {
    const root = sharedPath('tables-spark')
    const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.parquet'))
    expect(files.length).toBeGreaterThan(100)
    for (const name of files) {
      const whole = readFileSync(join(root, name))
      if (whole.length < 12) continue // one is damaged on purpose
      const { reader, left } = await cut(whole, [], [])
      expect(left.footer).toMatchObject({ numRows: 0, rowGroups: [] })
      expect([...left.footer.keyValues]).toEqual([...reader.footer.keyValues])
      expect(left.footer.createdBy).toBe(reader.footer.createdBy)
      const every = partialFile(reader, { column: () => true, rowGroup: () => true })!
      expect(Buffer.compare(assembled(whole, every), whole), name).toBe(0)
    }
  })

  test('is not made of a file whose chunks reach into its footer', async () => {
    const whole = made(1)
    const reader = await openParquet(memoryFile('whole.parquet', whole))
    const [group] = reader.footer.rowGroups
    const chunks = group!.chunks.map((chunk) => ({ ...chunk, length: whole.length }))
    const footer = { ...reader.footer, rowGroups: [{ ...group!, chunks }] }
    const need = { column: () => true, rowGroup: () => true }
    expect(
      partialFile({ ...reader, file: reader.file, footerBytes: reader.footerBytes, footer } as typeof reader, need),
    ).toBeUndefined()
  })
})
