/** What lies in a table's folder: the page says what VACUUM does. */
import { expect, test } from 'vitest'
import { PlayTable } from '../../explorer/src/play/play-table.ts'
import { jsEngine } from '../../src/browser.ts'

const ALL = { folder: '', state: null, offset: 0, limit: 1000 } as const
const DAY_HOURS = 24

async function playWithHistory() {
  const play = new PlayTable('play', jsEngine())
  await play.begin({ from: 'first', partitionBy: ['country'] })
  await play.perform({ op: 'delete', where: "country = 'FR' and order_id = '1044'" })
  await play.perform({ op: 'wait', hours: 8 * DAY_HOURS })
  await play.perform({ op: 'delete', where: "country = 'NL' and order_id = '1042'" })
  await play.store.put('country=DE/part-left.parquet', new Uint8Array(7))
  await play.store.put('_notes/read.me', new Uint8Array(3))
  return play
}

const latestOf = async (play: PlayTable) => (await play.state()).opened.latest
const look = async (play: PlayTable, version: number, query: object = {}) =>
  await play.reader.storage(version, { ...ALL, ...query }, { nowMs: play.nowMs })

test('files are live, kept, removable, orphaned or hidden', async () => {
  const play = await playWithHistory()
  const { folders, files, total, missing } = await look(play, await latestOf(play))
  expect(missing).toEqual([])
  expect(total).toBe(files.length)
  const root = folders[0]!
  expect(Object.entries(root.sums).map(([state, { files: count }]) => [state, count])).toEqual([
    ['live', 3],
    ['kept', 1],
    ['removable', 1],
    ['orphaned', 1],
    ['hidden', 1],
  ])
  expect(root.sums.orphaned.bytes).toBe(7)
  expect(folders.map(({ path }) => path)).toEqual(['', '_notes', 'country=DE', 'country=FR', 'country=NL'])
  const removable = await look(play, await latestOf(play), { state: 'removable' })
  expect(removable.files.map(({ path }) => path)).toEqual([expect.stringMatching(/^country=FR\//)])
  const left = await look(play, await latestOf(play), { folder: 'country=DE', state: 'orphaned' })
  expect(left.files).toEqual([expect.objectContaining({ path: 'country=DE/part-left.parquet', size: 7 })])
})

test('what is removable is what VACUUM deletes, and older versions then miss it', async () => {
  const play = await playWithHistory()
  const { files } = await look(play, await latestOf(play))
  const named = (state: string) => files.filter((file) => file.state === state).map(({ path }) => path)
  await play.perform({ op: 'wait', hours: 1 })
  await play.perform({ op: 'sql', text: 'VACUUM orders' })
  const after = await look(play, await latestOf(play))
  const left = new Set(after.files.map(({ path }) => path))
  expect(files.map(({ path }) => path).filter((path) => !left.has(path))).toEqual(named('removable'))
  const first = await look(play, 0)
  expect([first.missing, first.numMissing]).toEqual([named('removable'), 1])
})
