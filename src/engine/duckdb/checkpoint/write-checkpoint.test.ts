import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Action } from '../../../kernel/index.ts'
import { memoryStore } from '../../../storage/index.ts'
import { collect } from '../../../support/index.ts'
import { DuckDatabase } from '../instance.ts'
import { readCheckpoint, writeCheckpoint } from './index.ts'

let database: DuckDatabase
beforeAll(() => {
  database = new DuckDatabase({ threads: 2, memoryLimit: '100MB' })
})
afterAll(() => database.close())

async function* pageOf(...actions: Action[]): AsyncGenerator<readonly Action[]> {
  yield actions
}

const key = '_delta_log/00000000000000000001.checkpoint.parquet'

test.each([10, 3_000_000])('memory is asked for by the longest action: a path of %i characters', async (length) => {
  const store = memoryStore()
  const path = 'é'.repeat(length)
  const add = { path, partitionValues: new Map(), size: 1, modificationTime: 1, dataChange: true }
  const written = await writeCheckpoint(database, store, key, { actions: pageOf({ add }), options: { content: 'v1' } })
  expect(written.numActions).toBe(1)
  const file = { key, size: written.size, format: 'parquet' as const }
  const [read] = (await collect(readCheckpoint(database, store, [file], ['add']))).flat()
  expect(read).toMatchObject({ add: { path } })
})
