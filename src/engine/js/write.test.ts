import { describe, expect, test } from 'vitest'
import { field, integerType, type Row } from '../../schema/index.ts'
import { faulty, memoryStore } from '../../storage/index.ts'
import { addOf, keysOf, layoutOf, scanPlan, scanTexts, writeRows } from '../contract/ground.ts'
import { jsEngine } from './index.ts'

const layout = layoutOf([field('n', integerType, false)])
const rows = (count: number): Row[] => Array.from({ length: count }, (_, i) => [i])

describe('a write', () => {
  test('begins a new file when one is big enough, and loses no row', async () => {
    const subject = { engine: jsEngine(), store: memoryStore() }
    const { files } = await writeRows(subject, layout, rows(45_000), { targetFileSize: 1 })
    expect(files.map((file) => file.numRecords)).toEqual([20_000, 20_000, 5000])
    const plan = scanPlan(
      subject,
      layout,
      files.map((file) => addOf(file)),
    )
    expect(await subject.engine.count(plan)).toBe(45_000)
    expect((await scanTexts(subject.engine, plan)).at(-1)).toBe('{"n":44999}')
  })

  test('that fails behind a finished file deletes it', async () => {
    const subject = { engine: jsEngine(), store: memoryStore() }
    const failing = writeRows(subject, layout, [...rows(20_000), [null]], { targetFileSize: 1 })
    await expect(failing).rejects.toMatchObject({
      code: 'DELTA_NOT_NULL_CONSTRAINT_VIOLATED',
      details: { column: 'n' },
    })
    expect(await keysOf(subject.store)).toEqual([])
  })

  test.each(['before', 'after-effect'] as const)('whose put fails %s leaves nothing', async (when) => {
    const inner = memoryStore()
    const store = faulty(inner, { failCall: 2, when })
    const failing = writeRows({ engine: jsEngine(), store }, layout, rows(40_000), { targetFileSize: 1 })
    await expect(failing).rejects.toMatchObject({ code: 'LAKE_STORAGE_UNAVAILABLE' })
    expect(await keysOf(inner)).toEqual([])
  })
})
