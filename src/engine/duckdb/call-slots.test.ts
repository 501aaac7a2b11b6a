import { stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import { CallSlots } from './call-slots.ts'
import { DuckDatabase } from './instance.ts'

const HEAVY = 'SELECT count(*) FROM range(100000000000) a WHERE a.range % 7 = 3'

test('calls beyond the slots wait and come in order, whatever becomes of those before', async () => {
  const slots = new CallSlots(2)
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

test('UP-49: eight heavy queries do not keep files from being opened, and close ends them all', async () => {
  const database = new DuckDatabase({ threads: 1, memoryLimit: '500MB' })
  const sessions = await Promise.all(Array.from({ length: 8 }, () => database.acquire()))
  let ended = 0
  const queries = sessions.map((session) =>
    session.query(HEAVY).catch((error: { code: string }) => {
      ended++
      return error.code
    }),
  )
  await new Promise((resolve) => setTimeout(resolve, 100))
  for (let i = 0; i < 20; i++) await stat(tmpdir())
  expect(ended).toBe(0)
  await database.close()
  expect(new Set(await Promise.all(queries))).toEqual(new Set(['LAKE_CANCELLED']))
})
