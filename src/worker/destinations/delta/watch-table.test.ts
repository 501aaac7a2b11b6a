import { expect, it } from 'vitest'
import { TableWatch } from './watch-table.ts'

const fine = { numFiles: 1000, sizeInBytes: 1000 * 2 ** 20, commitsSinceCheckpoint: 30, checkpointInterval: 10 }

it('warns with numbers, once each time a limit is passed', () => {
  const said: string[] = []
  const watch = new TableWatch((text) => said.push(text))
  watch.look(fine)
  watch.look({ ...fine, numFiles: 999, sizeInBytes: 999 })
  expect(said).toEqual([])
  watch.look({ ...fine, sizeInBytes: 5_000_000 })
  watch.look({ ...fine, sizeInBytes: 5_000_000, commitsSinceCheckpoint: 31 })
  watch.look(fine)
  watch.look({ ...fine, commitsSinceCheckpoint: 40 })
  expect(said).toEqual([
    'the table has 1000 files of 5000 bytes on average: compact it, or raise fileIntervalSecs',
    'no checkpoint is known for 31 commits; one is due every 10',
    'no checkpoint is known for 40 commits; one is due every 10',
  ])
})
