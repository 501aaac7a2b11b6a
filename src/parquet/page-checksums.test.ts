import { readFileSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { sharedMissing, sharedPath } from '../../test/support/shared.ts'
import { field, longType, structType } from '../schema/index.ts'
import { checkPages, memoryFile, openParquet, ParquetWriter } from './index.ts'

const CHECKPOINT = ['tables-spark', 'ckpt-classic', 'table', '_delta_log', '00000000000000000006.checkpoint.parquet']
const missing = sharedMissing(...CHECKPOINT)

describe('checksums of pages', () => {
  it('are looked for in vain where the writer stored none', async () => {
    const writer = new ParquetWriter(structType([field('x', longType)]))
    writer.writeRowGroup([[1n, 2n]])
    expect(await checkPages(memoryFile('f', writer.finish()))).toBe(false)
  })

  const test = missing === undefined ? it : (name: string, _: unknown) => it.skip(`${name}: ${missing}`, () => {})
  test('tell each byte of a page that is another', async () => {
    const bytes = new Uint8Array(readFileSync(sharedPath(...CHECKPOINT)))
    expect(await checkPages(memoryFile('f', bytes))).toBe(true)
    expect(await checkPages(memoryFile('f', bytes), crc32)).toBe(true)
    const { footer } = await openParquet(memoryFile('f', bytes))
    for (const { start, length } of footer.rowGroups.flatMap(({ chunks }) => chunks)) {
      const damaged = bytes.slice()
      damaged[start + length - 1]! ^= 1
      await expect(checkPages(memoryFile('f', damaged))).rejects.toMatchObject({ code: 'FAILED_READ_FILE.NO_HINT' })
    }
  })
})
