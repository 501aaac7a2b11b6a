import { expect, it } from 'vitest'
import { checkpointedAt, TableWatch } from './watch-table.ts'

const fine = { numFiles: 1000, sizeInBytes: 1000 * 2 ** 20, commitsSinceCheckpoint: 30, checkpointInterval: 10 }

it('UP-43: warns with numbers, once each time a limit is passed', () => {
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

it('UP-43: a checkpoint that two intervals passed over is made up for', () => {
  const at = (version: number, checkpointVersion: number | undefined, known?: number) =>
    checkpointedAt(
      { version, segment: { checkpointVersion }, configuration: new Map() } as unknown as Parameters<
        typeof checkpointedAt
      >[0],
      version,
      known,
    )
  expect([at(10, undefined), at(13, undefined), at(19, undefined)]).toEqual([10, 13, 19])
  expect([at(23, undefined), at(23, 10), at(23, undefined, 10), at(33, 10)]).toEqual([20, 23, 23, 30])
})
