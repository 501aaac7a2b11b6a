import { expect, test } from 'vitest'
import { Slots } from './index.ts'

test('calls beyond the slots wait and come in order, whatever becomes of those before', async () => {
  const slots = new Slots(2)
  const begun: number[] = []
  const ends: (() => void)[] = []
  const calls = [0, 1, 2, 3].map((i) =>
    slots.run(async () => {
      begun.push(i)
      await new Promise<void>((resolve) => ends.push(resolve))
      if (i === 0) throw new Error('no')
      return i
    }),
  )
  const failed = expect(calls[0]).rejects.toThrow('no')
  expect(begun).toEqual([0, 1])
  ends[0]!()
  await failed
  await new Promise((resolve) => setImmediate(resolve))
  expect(begun).toEqual([0, 1, 2])
  for (let i = 1; i < 4; i++) {
    ends[i]!()
    expect(await calls[i]).toBe(i)
  }
})
