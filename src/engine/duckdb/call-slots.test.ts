import { stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import { DuckDatabase } from './instance.ts'

const HEAVY = 'SELECT count(*) FROM range(100000000000) a WHERE a.range % 7 = 3'

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
