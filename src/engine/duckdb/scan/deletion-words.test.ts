import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DuckDatabase } from '../instance.ts'
import { pathList, quoteLiteral } from '../sql-text.ts'
import { DeletionFilter, deletionWords } from './deletion-words.ts'

const ROWS = 300
let root: string
let paths: string[]
let database: DuckDatabase
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'deletions-'))
  database = new DuckDatabase({ threads: 1 })
  paths = ['a', 'b', 'c'].map((name) => join(root, `${name}.parquet`))
  for (const path of paths) {
    const copy = `COPY (SELECT range AS r FROM range(${ROWS})) TO ${quoteLiteral(path)} (FORMAT parquet)`
    await database.withSession((session) => session.run(copy))
  }
})
afterAll(async () => {
  await database.close()
  rmSync(root, { recursive: true })
})

async function left(deleted: readonly (readonly number[] | undefined)[], padding = 0): Promise<number[]> {
  const words = deleted.map((rows) => rows && deletionWords(BigUint64Array.from(rows, BigInt)))
  // files that are not read, so that room for the longest is a waste
  const filter = new DeletionFilter('d', [...words, ...Array<undefined>(padding).fill(undefined)])
  return await database.withSession(async (session) => {
    await filter.define(session)
    const rows = `read_parquet(${pathList(paths)}, hive_partitioning=false) t`
    const found = await session.query(
      `SELECT t.file_index::INTEGER, t.r::INTEGER FROM ${rows} WHERE ${filter.condition ?? 'true'}`,
    )
    return found.map(([file, row]) => Number(file) * ROWS + Number(row))
  })
}

function without(deleted: readonly (readonly number[] | undefined)[]): number[] {
  const all = Array.from({ length: paths.length * ROWS }, (_, i) => i)
  return all.filter((i) => deleted[Math.floor(i / ROWS)]?.includes(i % ROWS) !== true)
}

test.each([
  ['in one file', [undefined, [0, 1, 63, 64, 299], undefined]],
  ['in all files, to different lengths', [[0], [128], [7, 8, 9, 299]]],
  ['in none, with a vector that is empty', [[], undefined, undefined]],
])('drops rows %s, in the order of files and rows', async (_, deleted) => {
  expect(await left(deleted)).toEqual(without(deleted))
})

test('takes no room for files without deleted rows where one file has many', async () => {
  const deleted = [[5, 299], undefined, Array.from({ length: ROWS }, (_, i) => i)]
  expect(await left(deleted, 40_000)).toEqual(without(deleted))
})
