/** Any calls in any order: what the log says, what is read and what comes out of a zip are the same table. */
import { expect, test } from 'vitest'
import { PlayTable } from '../../explorer/src/play/play-table.ts'
import { unzipTable, zipTable } from '../../explorer/src/play/zip.ts'
import { jsEngine } from '../../src/browser.ts'
import { rowTexts, runRandomCalls } from '../support/random-calls.ts'

const seed = Number(process.env.BAYOU_SEED ?? 20240409)
const count = Number(process.env.BAYOU_CALLS ?? 40)

test(`${count} random calls with the seed ${seed}, zipped and read again at every version`, {
  timeout: 300_000,
}, async () => {
  const { play, rowsAt, refused } = await runRandomCalls(seed, count)
  const latest = Math.max(...rowsAt.keys())
  console.log(
    `${latest} versions; refused: ${[...refused].map(([code, times]) => `${code} ${times}`).join(', ') || 'none'}`,
  )
  const lines = await play.reader.versions(latest, latest + 1)
  let rows = 0
  for (const { version, rowsAdded, rowsRemoved } of lines.toReversed()) {
    rows += (rowsAdded ?? Number.NaN) - (rowsRemoved ?? Number.NaN)
    expect(rows, `rows of version ${version} by its log`).toBe(rowsAt.get(version)?.length)
  }
  const other = new PlayTable('other', jsEngine())
  await other.load({ objects: unzipTable(zipTable(play.store.objects())), nowMs: play.nowMs, calls: [], start: null })
  for (const [version, texts] of rowsAt) expect(await rowTexts(other, version), `version ${version}`).toEqual(texts)
})
